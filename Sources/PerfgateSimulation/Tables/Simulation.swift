import PerfgateStats
import SeededRandom

/// Repeats trials with random numbers that a seed gives, and counts.
public struct Simulation: Sendable {
    /// The seed of all random numbers.
    public let seed: UInt64
    /// How many runs without any change each number comes from; 1 or more.
    public let runs: Int
    /// How many changed cells each number comes from; 1 or more.
    public let changes: Int
    /// What is measured.
    public let world: World

    /// A simulation of a seed.
    public init(seed: UInt64, runs: Int, changes: Int, world: World = World()) {
        self.seed = seed
        self.runs = runs
        self.changes = changes
        self.world = world
    }

    /// The rules that are compared with the gate's own.
    public static let rivals: [any Rival] = [
        FixedShare(), PlainMannWhitney(), SpreadTest(), Percentiles(), LastRatio(), PredictionInterval(),
    ]

    /// What several rules said of the same trials.
    public struct Outcome: Sendable {
        /// The gate's rule in one look.
        public var once = Tally()
        /// The gate's rule with confirmation.
        public var confirmed = Tally()
        /// The others, in the order of `rivals`.
        public var rivals = Array(repeating: Tally(), count: Simulation.rivals.count)
    }

    /// How many runs without any change end red, of so many pages each.
    public func falseAlarms(_ plan: Plan, pages: Int) throws(StatsError) -> Outcome {
        try outcome(trials: runs, stream: 1) { generator throws(StatsError) in
            let cells = world.cells(pages: pages, &generator)
            return try RunTrial(cells, plan: plan, in: world, &generator)
        }
    }

    /// How many cells with a change end red, M being the number of comparisons in their run.
    public func power(_ plan: Plan, _ change: Change, comparisons: Int) throws(StatsError) -> Outcome {
        try outcome(trials: changes, stream: 2) { generator throws(StatsError) in
            let cell = model(for: change, &generator)
            return try RunTrial(
                [cell], plan: plan, change: change, comparisons: comparisons, in: world, &generator)
        }
    }

    /// How many runs without any change end red where main and candidate are measured in turn.
    public func falseAlarms(_ plan: PairedPlan, pages: Int) throws(StatsError) -> Tally {
        var tally = Tally()
        for trial in 0..<runs {
            var generator = generator(trial, stream: 3)
            let cells = world.cells(pages: pages, &generator)
            tally.count(try PairedTrial(cells, plan: plan, in: world).isRed(&generator))
        }
        return tally
    }

    /// How many cells with a change end red where main and candidate are measured in turn.
    public func power(_ plan: PairedPlan, _ change: Change, comparisons: Int) throws(StatsError) -> Tally {
        var tally = Tally()
        for trial in 0..<changes {
            var generator = generator(trial, stream: 4)
            let cell = model(for: change, &generator)
            let paired = PairedTrial([cell], plan: plan, change: change, comparisons: comparisons, in: world)
            tally.count(try paired.isRed(&generator))
        }
        return tally
    }

    private func outcome(
        trials: Int, stream: UInt64,
        _ measure: (inout SeededGenerator) throws(StatsError) -> RunTrial
    ) throws(StatsError) -> Outcome {
        var outcome = Outcome()
        for trial in 0..<trials {
            var generator = generator(trial, stream: stream)
            var run = try measure(&generator)
            outcome.once.count(try run.isRedAtOnce())
            for (index, rival) in Self.rivals.enumerated() { outcome.rivals[index].count(run.isRed(by: rival)) }
            outcome.confirmed.count(try run.isRedAfterConfirmation(&generator))
        }
        return outcome
    }

    private func model(for change: Change, _ generator: inout SeededGenerator) -> CellModel {
        switch change {
        case .none, .slower: world.time(&generator)
        case .newHitch: world.droppedFrames(&generator)
        case .moreEvents: world.dropEvents(&generator)
        }
    }

    /// Each trial has random numbers of its own: the same pages for every plan.
    private func generator(_ trial: Int, stream: UInt64) -> SeededGenerator {
        SeededGenerator(seed: seed, stream: UInt64(trial) << 3 | stream)
    }
}
