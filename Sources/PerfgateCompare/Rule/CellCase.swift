import PerfgateModel
import PerfgateStats

/// Everything that the steps of the rule may look at: one cell, its policy and both sides' samples.
public struct CellCase: Sendable {
    /// The cell.
    public let cell: Cell
    /// The metric with its unit and direction.
    public let metric: Metric
    /// What the policy says of it.
    public let policy: CellPolicy
    /// Whether suspects are confirmed by a second run.
    public let confirmation: Policy.Confirmation
    /// What was expected.
    public let expectation: Expectation
    /// The candidate's measurement; `nil` where there is none.
    public let measurement: CellMeasurement?
    /// The candidate's samples; `nil` without any.
    public let candidate: MeasuredRuns?
    /// The reference's entry; `nil` where there is none.
    public let entry: Reference.Entry?
    /// The numbers of the comparison; `nil` where there is nothing comparable on either side.
    public let comparison: Comparison?

    /// Prepares a case; throws where a sample is not finite, which readers exclude.
    public init(
        cell: Cell, metric: Metric, policy: CellPolicy, confirmation: Policy.Confirmation, expectation: Expectation,
        measurement: CellMeasurement?, entry: Reference.Entry?, comparisons: Int, pairing: Pairing = Pairing()
    ) throws(StatsError) {
        self.cell = cell
        self.metric = metric
        self.policy = policy
        self.confirmation = confirmation
        self.expectation = expectation
        self.measurement = measurement
        self.entry = entry
        let measured = try measurement.map { measurement throws(StatsError) in
            try MeasuredRuns(measurement.runs.map(\.values))
        }
        candidate = measured.flatMap { $0.pooled.count > 0 ? $0 : nil }
        comparison = try Self.compare(
            candidate, entry, measurement, pairing,
            terms: try Self.terms(metric: metric, policy: policy, comparisons: comparisons))
    }

    /// S, the number of runs with samples of this cell.
    public var candidateRuns: Int { candidate?.runs.count ?? 0 }

    private static func compare(
        _ candidate: MeasuredRuns?, _ entry: Reference.Entry?, _ measurement: CellMeasurement?, _ pairing: Pairing,
        terms makeTerms: @autoclosure () throws(StatsError) -> Comparison.Terms
    ) throws(StatsError) -> Comparison? {
        guard let candidate, let entry, let measurement, entry.isComparable(with: measurement) else { return nil }
        let baseline = try MeasuredRuns(entry.runs.map(\.values))
        guard baseline.pooled.count > 0 else { return nil }
        let terms = try makeTerms()
        if let paired = try pairing.paired(candidate: measurement.runs, reference: entry.runs) {
            return try Comparison(paired, terms: terms)
        }
        return try Comparison(baseline: baseline, candidate: candidate, terms: terms)
    }

    private static func terms(
        metric: Metric, policy: CellPolicy, comparisons: Int
    ) throws(StatsError) -> Comparison.Terms {
        Comparison.Terms(
            tolerance: try Tolerance(relative: policy.tolerance.value, absolute: policy.minChange.value),
            centre: metric.centre,
            better: metric.better == .lower ? .lower : .higher,
            significance: Significance(comparisons: max(1, comparisons)))
    }
}
