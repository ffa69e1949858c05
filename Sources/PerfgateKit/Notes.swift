import PerfgateCompare
import PerfgateModel
import PerfgateStats

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
        let remedy = needed(example).map { "; \($0) iterations a run against this baseline would be enough" }
        return "\(count), only by a limit or a gross one\(remedy ?? "; more baseline runs are needed")."
    }

    private func needed(_ result: ComparisonResult) -> Int? {
        guard let baseline = result.baseline, let candidate = result.candidate, let numbers = result.numbers
        else { return nil }
        let design = Design(
            baselineSamples: baseline.count, baselineRuns: baseline.runs, candidateSamples: candidate.count,
            candidateRuns: candidate.runs)
        return design.candidateSamplesNeeded(toReach: numbers.alpha)
    }
}
