import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// Main and candidate measured in turn, each in runs of its own.
package struct PairedPlan: Sendable, Hashable {
    /// The device runs; 1 or more.
    package var pairs: Int
    /// The samples of each cell in each of them, on each side; 1 or more.
    package var iterations: Int

    /// The plan in a few words, such as `3 pairs of 5 + 5`.
    package var title: String { "\(Figure.count(pairs, "pair")) of \(iterations) + \(iterations)" }
}

/// A complete run of the gate with main and candidate measured in turn, each in runs of its own: the runs of a pair
/// share nothing.
struct PairedTrial {
    private let models: [CellModel]
    private let plan: PairedPlan
    private let world: World
    private let change: Change
    private let gate: RuleUnderStudy
    private let pages: Int

    /// A trial of cells; with a change, only the first one changes and is judged. M may be larger than their number.
    init(_ models: [CellModel], plan: PairedPlan, change: Change = .none, comparisons: Int? = nil, in world: World) {
        self.models = models
        self.plan = plan
        self.world = world
        self.change = change
        gate = RuleUnderStudy(comparisons: comparisons ?? models.count)
        pages = max(1, models.count / World.timesPerPage)
    }

    /// Measures every cell, and returns whether any judged one fails.
    func isRed(_ generator: inout SeededGenerator) throws(StatsError) -> Bool {
        var runs: [DeviceRun] = []
        for _ in 0..<(2 * plan.pairs) { runs.append(DeviceRun(iterations: plan.iterations, in: world, &generator)) }
        var cells: [(model: CellModel, before: [[Double]], after: [[Double]])] = []
        for (index, model) in models.enumerated() {
            let own = index == 0 ? change : .none
            var samples: [[Double]] = []
            for (order, run) in runs.enumerated() {
                samples.append(run.samples(of: model, change: order % 2 == 0 ? .none : own, in: world, &generator))
            }
            let pairs = 0..<plan.pairs
            cells.append((model, pairs.map { samples[2 * $0] }, pairs.map { samples[2 * $0 + 1] }))
        }
        var times: [PairNoise.Time] = []
        for (index, cell) in cells.enumerated() where cell.model.metric.isTime {
            let pairs = zip(cell.before, cell.after).enumerated().map {
                (name: "\($0)", baseline: [$1.0], candidate: [$1.1])
            }
            guard let runs = try PairedRuns(pairs) else { continue }
            let least = MetricCatalog.definition(for: cell.model.metric).minChange(at: nil)
            times.append((index % pages, runs, least))
        }
        let noise = PairNoise(times)
        for cell in change == .none ? cells[...] : cells.prefix(1) {
            let (before, after) = (cell.before.flatMap { $0 }, cell.after.flatMap { $0 })
            let (baseline, candidate) = (try SortedSamples(before), try SortedSamples(after))
            guard try gate.exceedsTolerance(cell.model, baseline: baseline, candidate: candidate) else { continue }
            let decision = try gate.decide(
                cell.model, baseline: cell.before, candidate: cell.after, isPaired: true, turns: noise)
            if decision.verdict == .regressed { return true }
        }
        return false
    }
}
