import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// How far a candidate has gone from a pinned reference: many small steps, each within its tolerance, add up.
///
/// The same rule judges it, in one look and without limits, which the rolling baseline has seen to; what isn't there to
/// compare says nothing, because only the rolling baseline is expected of a run.
struct PinnedComparison {
    /// The gated comparisons with the pinned reference, worst first.
    let comparisons: [CellResult]
    private let name: String
    private let isFailing: Bool

    /// How many cells are named at most.
    private static let mostNames = 5

    /// Compares a candidate with a pinned reference.
    init(_ pinned: PinnedReference, _ measurements: Measurements, policy: Policy) throws(StatsError) {
        var lenient = policy.withoutLimits
        lenient.confirmation = .off
        lenient.noBaseline = .warn
        comparisons = try Judge(policy: lenient).compare(measurements, with: pinned.reference)
            .filter { $0.isGated && $0.numbers != nil }
        name = pinned.name
        isFailing = policy.drift == .fail
    }

    /// The comparisons that fail the run: those that regressed, where the policy says so.
    var failing: [CellResult] { isFailing ? worse : [] }

    /// The same as a part of the report; `nil` where nothing fails.
    var findings: PinnedFindings? {
        failing.isEmpty ? nil : PinnedFindings(name: name, comparisons: failing)
    }

    private var worse: [CellResult] { comparisons.filter { $0.verdict == .regressed } }

    /// The pinned reference's verdict in words.
    var sentences: [String] {
        guard !comparisons.isEmpty else { return ["Against \(name) there is nothing to compare."] }
        guard !worse.isEmpty else {
            let noun = comparisons.count == 1 ? "comparison" : "comparisons"
            return ["Against \(name), none of \(comparisons.count) \(noun) got worse."]
        }
        let shown = worse.prefix(Self.mostNames).map(Self.text).joined(separator: ", ")
        let more = worse.count > Self.mostNames ? " and \(worse.count - Self.mostNames) more" : ""
        let consequence = isFailing ? "which fails" : "which is shown only"
        return ["Against \(name), \(worse.count) of \(comparisons.count) got worse, \(consequence): \(shown)\(more)."]
    }

    private static func text(_ result: CellResult) -> String {
        let delta = result.numbers?.delta ?? 0
        let center = result.baseline?.center ?? 0
        let change =
            center > 0
            ? Figure.percentage(delta / center) : Figure.signed(delta, result.resolution, result.metric.unit.symbol)
        return "\(result.metric.id) of \(result.page) \(change)"
    }
}

/// A second reference beside the rolling baseline, which never moves: what a release measured.
package struct PinnedReference: Sendable {
    /// How people call it, such as `7.129`.
    package let name: String
    /// What was measured then.
    package let reference: Reference

    /// Pins a reference under a name.
    package init(name: String, reference: Reference) {
        self.name = name
        self.reference = reference
    }
}
