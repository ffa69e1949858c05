import PerfgateCompare
import PerfgateStats
import SeededRandom

/// One cell, measured by a plan: what the baseline and the first look came to.
struct CellTrial {
    /// The cell.
    let cell: CellModel
    /// The baseline's samples by run.
    let baseline: [[Double]]
    /// The baseline's samples.
    let pooled: SortedSamples
    /// The candidate's samples by run: the first look, then what confirms it.
    private(set) var candidate: [[Double]]

    /// Measures the baseline in its runs and the candidate in its own.
    init(
        _ cell: CellModel, baseline runs: [DeviceRun], candidate run: DeviceRun, change: Change, in world: World,
        _ generator: inout SeededGenerator
    ) throws(StatsError) {
        self.cell = cell
        var baseline: [[Double]] = []
        for run in runs { baseline.append(run.samples(of: cell, in: world, &generator)) }
        self.baseline = baseline
        pooled = try SortedSamples(baseline.flatMap { $0 })
        candidate = [run.samples(of: cell, change: change, in: world, &generator)]
    }

    /// Measures the candidate once more.
    mutating func measureAgain(
        in run: DeviceRun, change: Change, world: World, _ generator: inout SeededGenerator
    ) {
        candidate.append(run.samples(of: cell, change: change, in: world, &generator))
    }

    /// Whether the candidate's change exceeds the tolerance.
    func exceedsTolerance(_ gate: Gate) throws(StatsError) -> Bool {
        try gate.exceedsTolerance(cell, baseline: pooled, candidate: SortedSamples(candidate.flatMap { $0 }))
    }

    /// The rule's answer; `nil` where the change is within the tolerance.
    func decide(_ gate: Gate, _ confirmation: Policy.Confirmation) throws(StatsError) -> Decision? {
        guard try exceedsTolerance(gate) else { return nil }
        return try gate.decide(cell, baseline: baseline, candidate: candidate, confirmation: confirmation)
    }

    /// Whether the first look leaves it to be measured again.
    func isSuspect(_ gate: Gate) throws(StatsError) -> Bool {
        guard let decision = try decide(gate, .rerun), decision.verdict == .inconclusive else { return false }
        return decision.detail == .confirm || decision.detail == .needMore
    }

    /// Whether the rule fails it.
    func isRegressed(_ gate: Gate, _ confirmation: Policy.Confirmation) throws(StatsError) -> Bool {
        try decide(gate, confirmation)?.verdict == .regressed
    }
}
