import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// A run that was judged by all the others, as if it were a candidate: nothing had changed, so each failing cell is
/// a false alarm.
public struct RunTrial: Sendable, Hashable {
    /// The run's identifier.
    public let run: String
    /// The gated cells that it failed, sorted.
    public let failed: [Cell]
}

extension RunTrial {
    /// Judges each run of a reference by the others, in one look and without limits, in the order of the runs; none
    /// where no environment has two runs.
    static func all(of reference: Reference, policy: Policy) throws(StatsError) -> [RunTrial] {
        var failed: [String: [Cell]] = [:]
        let environments = reference.environments
        let gated = Judge(policy: policy).gatedCells(of: reference, in: environments)
        for (cell, entry) in reference.cells {
            let said = policy.withoutLimits.cellPolicy(of: cell, entry)
            guard said.isGated.value, entry.runs.count(where: { !$0.samples.isEmpty }) > 1 else { continue }
            for run in entry.runs where !run.samples.isEmpty {
                let isRegressed = try isRegressed(run, entry, cell, said, comparisons: gated[cell.environment] ?? 1)
                failed[run.run, default: []] += isRegressed ? [cell] : []
            }
        }
        return failed.map { RunTrial(run: $0, failed: $1.sorted()) }.sorted { $0.run.precedesInUTF8($1.run) }
    }

    private static func isRegressed(
        _ run: RunSamples, _ entry: Reference.Entry, _ cell: Cell, _ policy: CellPolicy, comparisons: Int
    ) throws(StatsError) -> Bool {
        var others = entry
        others.runs.removeAll { $0.run == run.run }
        let prepared = try CellCase(
            cell: cell, metric: entry.metric, policy: policy, confirmation: .off, expectation: Expectation(),
            measurement: CellMeasurement(
                metric: entry.metric, counting: entry.counting, formula: entry.formula, runs: [run]),
            entry: others, comparisons: comparisons)
        return VerdictRule.decide(prepared).verdict == .regressed
    }
}
