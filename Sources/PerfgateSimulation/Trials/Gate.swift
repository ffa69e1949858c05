import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// The gate's own rule, asked about one cell: the same code that `perfgate check` runs.
struct Gate: Sendable {
    /// M, the number of comparisons in the run.
    let comparisons: Int

    /// What it goes by; limits are none of its business here.
    var policy = Policy().withoutLimits

    /// The rule's answer.
    ///
    /// - Parameter isPaired: Whether the runs of both sides were measured in turn, in their order.
    func decide(
        _ cell: CellModel, baseline: [[Double]], candidate: [[Double]], confirmation: Policy.Confirmation = .off,
        isPaired: Bool = false
    ) throws(StatsError) -> Decision {
        try decide(
            Self.metric(of: cell), baseline: baseline, candidate: candidate, confirmation: confirmation,
            isPaired: isPaired)
    }

    /// The rule's answer for any metric.
    func decide(
        _ metric: Metric, baseline: [[Double]], candidate: [[Double]], confirmation: Policy.Confirmation = .off,
        isPaired: Bool = false
    ) throws(StatsError) -> Decision {
        let page = Page("Simulated")
        let environment = Environment([])
        let (before, after) = (Self.runs(baseline, "b"), Self.runs(candidate, "c"))
        return VerdictRule.decide(
            try CellCase(
                cell: Cell(page: page, metric: metric.id, environment: environment), metric: metric,
                policy: policy.cellPolicy(page: page, metric: metric, environment: environment),
                confirmation: confirmation, expectation: Expectation(),
                measurement: CellMeasurement(metric: metric, runs: after),
                entry: Reference.Entry(metric: metric, runs: before), comparisons: comparisons,
                pairing: isPaired ? Self.pairing(before, after) : Pairing()))
    }

    /// Whether a cell's change exceeds its tolerance at all. No step of the rule objects to any other, which spares
    /// a simulation nearly all of the work.
    func exceedsTolerance(
        _ cell: CellModel, baseline: SortedSamples, candidate: SortedSamples
    ) throws(StatsError) -> Bool {
        let metric = Self.metric(of: cell)
        let tolerance = try Tolerance(
            relative: CellPolicy.standardTolerance, absolute: MetricCatalog.definition(for: metric).minChange)
        guard let before = baseline.centre(metric.centre), let median = baseline.median,
            let after = candidate.centre(metric.centre)
        else { return false }
        return after - before > tolerance.margin(median: median)
    }

    private static func metric(of cell: CellModel) -> Metric {
        MetricCatalog.definition(of: cell.metric)?.metric ?? Metric(id: cell.metric, unit: Unit(""), better: .lower)
    }

    private static func runs(_ values: [[Double]], _ prefix: String) -> [RunSamples] {
        values.enumerated().map { index, values in
            RunSamples(run: "\(prefix)\(index)", samples: values.map { Sample($0) })
        }
    }

    private static func pairing(_ before: [RunSamples], _ after: [RunSamples]) -> Pairing {
        func names(_ runs: [RunSamples]) -> [String: String] {
            runs.enumerated().reduce(into: [:]) { $0[$1.element.run] = "\($1.offset)" }
        }
        return Pairing(candidate: names(after), reference: names(before))
    }
}
