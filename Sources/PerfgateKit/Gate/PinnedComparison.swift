import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// The distance of a candidate from a pinned reference: small steps, each within its tolerance, add up.
///
/// The same rule judges it, once and without limits, which the rolling baseline has checked. Missing cells are
/// ignored, because runs are only expected to measure what the rolling baseline contains.
struct PinnedComparison {
    /// The gated comparisons with the pinned reference, worst first.
    let comparisons: [CellResult]
    private let name: String
    private let isFailing: Bool

    /// The most cells that are named.
    private static let mostNames = 5

    /// Compares a candidate with a pinned reference.
    init(_ pinned: PinnedReference, _ measurements: Measurements, policy: Policy) throws(StatsError) {
        var lenient = policy.withoutLimits
        lenient.confirmation = .off
        lenient.noBaseline = .warn
        comparisons = try Judge(policy: lenient).judge(measurements, with: pinned.reference)
            .comparisons.filter { $0.isGated && $0.numbers != nil }
        name = pinned.name
        isFailing = policy.drift == .fail
    }

    /// The comparisons that fail the run: regressions, if the policy says so.
    var failing: [CellResult] { isFailing ? worse : [] }

    /// The failures as part of the report; `nil` without any.
    var findings: PinnedFindings? { failing.isEmpty ? nil : PinnedFindings(name: name, comparisons: failing) }

    private var worse: [CellResult] { comparisons.filter { $0.verdict == .regressed } }

    /// The verdict of the pinned reference in words.
    var sentences: [String] {
        guard !comparisons.isEmpty else { return ["Against \(name), there is nothing to compare."] }
        guard !worse.isEmpty else {
            let noun = comparisons.count == 1 ? "comparison" : "comparisons"
            return ["Against \(name), none of \(comparisons.count) \(noun) got worse."]
        }
        let shown = worse.prefix(Self.mostNames).map(Self.text).joined(separator: ", ")
        let more = worse.count > Self.mostNames ? " and \(worse.count - Self.mostNames) more" : ""
        let consequence = isFailing ? "which fails" : "which is informational"
        return ["Against \(name), \(worse.count) of \(comparisons.count) got worse, \(consequence): \(shown)\(more)."]
    }

    private static func text(_ result: CellResult) -> String {
        let delta = result.numbers?.delta ?? 0
        let center = result.baseline?.center ?? 0
        let change =
            center > 0
            ? Figure.percentage(delta / center) : Figure.signed(delta, result.resolution, result.metric.unit.symbol)
        return "\(result.metricNameWithIdentifier) of \(result.page) \(change)"
    }
}

/// A second, fixed reference beside the rolling baseline, such as the measurements of a release.
package struct PinnedReference: Sendable {
    /// Its name, such as `7.129`.
    package let name: String
    package let reference: Reference

    package init(name: String, reference: Reference) {
        (self.name, self.reference) = (name, reference)
    }
}
