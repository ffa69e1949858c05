import PerfgateCompare
import PerfgateModel

/// What a reader should know before the rows.
struct Notes {
    /// The comparisons.
    let comparisons: [ComparisonResult]

    /// The sentences.
    var sentences: [String] { [limitsOnly].compactMap(\.self) }

    /// Where most comparisons are too small to fail by anything but a limit: how many samples would change that.
    private var limitsOnly: String? {
        let compared = comparisons.filter { $0.isGated && $0.numbers != nil }
        let powerless = compared.filter { ($0.numbers?.pMin ?? 0) > ($0.numbers?.alpha ?? 1) }
        guard let example = powerless.first, powerless.count * 2 > compared.count else { return nil }
        let count = "\(powerless.count) of \(compared.count) comparisons have too few samples to fail by a change"
        let needed = example.design?.candidateSamplesNeeded(toReach: example.numbers?.alpha ?? 0)
        let remedy = needed.map { "; \($0) iterations a run against this baseline would be enough" }
        return "\(count), only by a limit or a gross one\(remedy ?? "; more baseline runs are needed")."
    }
}
