import PerfgateModel

/// What is to be taken into the baseline of one page in one environment.
///
/// Which cells are taken in is decided before: nothing is refused here.
public struct BaselineUpdate: Sendable, Hashable {
    /// The runs that the samples came in.
    public let runs: [BaselineRun]
    /// The metrics by identifier, their samples by run.
    public let metrics: [String: BaselineMetric]
    /// The metrics whose change for the worse is accepted, by identifier; the others go on in their epoch.
    public let acceptedMetrics: Set<String>
    /// Why it is accepted; empty where nothing is.
    public let reason: String

    /// Makes an update of what was measured.
    ///
    /// - Parameters:
    ///   - runs: The runs that were read; others than those of the cells don't matter.
    ///   - cells: The cells of the page in the environment that are taken in.
    ///   - now: The time of the update, the start of a run that doesn't say its own.
    ///   - tool: The program that takes it in, with its version.
    ///   - acceptedMetrics: The metrics for which the update starts a new epoch.
    ///   - reason: Why it does.
    public init(
        runs: [Run], cells: [CellMeasurement], at now: Timestamp, tool: String,
        accepting acceptedMetrics: Set<String> = [], reason: String = ""
    ) {
        metrics = Dictionary(cells.map { ($0.metric.id, BaselineMetric($0)) }) { first, _ in first }
        let known = Dictionary(runs.map { ($0.id, $0) }) { first, _ in first }
        self.runs = Set(metrics.values.flatMap(\.samples.keys)).map { id in
            let run = known[id]
            return BaselineRun(
                id: id, startedAt: run?.startedAt.flatMap { Timestamp($0) } ?? now, commit: run?.commit, tool: tool)
        }.sorted()
        self.acceptedMetrics = acceptedMetrics
        self.reason = reason
    }
}
