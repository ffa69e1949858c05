import PerfgateStats
import SeededRandom

/// A whole run of the gate with main and candidate measured in turn, in the same device runs.
struct PairedTrial {
    private let models: [CellModel]
    private let plan: PairedPlan
    private let world: World
    private let change: Change
    private let gate: Gate

    /// A trial of cells that all change alike; M may be more than these.
    init(_ models: [CellModel], plan: PairedPlan, change: Change = .none, comparisons: Int? = nil, in world: World) {
        self.models = models
        self.plan = plan
        self.world = world
        self.change = change
        gate = Gate(comparisons: comparisons ?? models.count)
    }

    /// Measures every cell, and says whether any fails.
    func isRed(_ generator: inout SeededGenerator) throws(StatsError) -> Bool {
        var runs: [DeviceRun] = []
        for _ in 0..<plan.pairs { runs.append(DeviceRun(iterations: plan.iterations, in: world, &generator)) }
        var isRed = false
        for model in models {
            if try fails(model, in: runs, &generator) { isRed = true }
        }
        return isRed
    }

    private func fails(
        _ model: CellModel, in runs: [DeviceRun], _ generator: inout SeededGenerator
    ) throws(StatsError) -> Bool {
        var (before, after): ([[Double]], [[Double]]) = ([], [])
        for run in runs {
            let effect = run.effect(on: model, in: world, &generator)
            before.append(run.samples(of: model, effect: effect, change: .none, in: world, &generator))
            after.append(run.samples(of: model, effect: effect, change: change, in: world, &generator))
        }
        let (baseline, candidate) = (try SortedSamples(before.flatMap { $0 }), try SortedSamples(after.flatMap { $0 }))
        guard try gate.exceedsTolerance(model, baseline: baseline, candidate: candidate) else { return false }
        return try gate.decide(model, baseline: before, candidate: after, isPaired: true).verdict == .regressed
    }
}
