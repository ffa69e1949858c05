/// The samples of one cell, kept by the run that they come from; a run without samples does not count.
public struct MeasuredRuns: Equatable, Sendable {
    /// Each run's samples, in an order that depends on the samples alone.
    public let runs: [SortedSamples]
    /// The samples of all runs.
    public let pooled: SortedSamples

    /// Takes the samples run by run; throws `StatsError.notFinite`, its position counted through all runs.
    public init(_ runs: [[Double]]) throws(StatsError) {
        pooled = try SortedSamples(runs.flatMap { $0 })
        var sorted: [SortedSamples] = []
        for run in runs where !run.isEmpty { sorted.append(try SortedSamples(run)) }
        self.runs = sorted.sorted { $0.values.lexicographicallyPrecedes($1.values) }
    }
}
