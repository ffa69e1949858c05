import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// Repeats trials with seeded random numbers, and counts.
package struct Study: Sendable {
    /// The seed of all random numbers.
    package let seed: UInt64
    /// The number of unchanged runs per result; 1 or more.
    package let runs: Int
    /// The number of changed cells per result; 1 or more.
    package let changes: Int
    /// The simulated world.
    package let world: World
    /// Whether counts are also compared by shares.
    package let comparesShares: Bool

    /// Whether other rules are applied too, which takes most of the time.
    package let asksRivals: Bool

    /// A simulation with a seed.
    package init(
        seed: UInt64, runs: Int, changes: Int, world: World = World(), comparesShares: Bool = true,
        asksRivals: Bool = true
    ) {
        self.comparesShares = comparesShares
        self.asksRivals = asksRivals
        self.seed = seed
        self.runs = runs
        self.changes = changes
        self.world = world
    }

    /// The rules that are compared with the gate's.
    package static let rivals: [any Rival] = [
        FixedShare(), PlainMannWhitney(), SpreadTest(), Percentiles(), LastRatio(), PredictionInterval(),
    ]

    /// The results of several rules for the same trials.
    package struct Scores: Sendable {
        /// The gate's rule in one look.
        package var once = Tally()
        /// The first looks that tell a share of slow samples and fail nothing by it.
        package var told = Tally()
        /// The calls that still do after confirmation, and fail nothing by it.
        package var toldAgain = Tally()
        /// The gate's rule with confirmation.
        package var confirmed = Tally()
        /// The other rules, in the order of `rivals`.
        package var rivals = Array(repeating: Tally(), count: Study.rivals.count)
    }

    /// The failed unchanged runs, with this many pages each.
    package func falseAlarms(_ plan: Plan, pages: Int) throws(StatsError) -> Scores {
        try outcome(trials: runs, stream: 1) { generator throws(StatsError) in
            let cells = world.cells(pages: pages, &generator)
            return try RunTrial(cells, plan: plan, comparesShares: comparesShares, in: world, &generator)
        }
    }

    /// The unchanged runs that fail by a count, with M the number of comparisons of all their cells.
    package func falseAlarmsOfCounts(_ plan: Plan, pages: Int) throws(StatsError) -> Scores {
        try outcome(trials: runs, stream: 5) { generator throws(StatsError) in
            let counts = world.cells(pages: pages, &generator).filter { if case .time = $0 { false } else { true } }
            return try RunTrial(
                counts, cellsPerPage: counts.count / pages, plan: plan, comparisons: pages * World.cellsPerPage,
                comparesShares: comparesShares, in: world, &generator)
        }
    }

    /// The failed changed cells, with M the number of comparisons in their run.
    package func power(_ plan: Plan, _ change: Change, comparisons: Int) throws(StatsError) -> Scores {
        try outcome(trials: changes, stream: 2, asked: 0) { generator throws(StatsError) in
            let cell = model(for: change, &generator)
            guard cell.metric.isTime else {
                return try RunTrial(
                    [cell], plan: plan, changes: [change], comparisons: comparisons, comparesShares: comparesShares,
                    in: world, &generator)
            }
            let others = world.times(of: max(0, comparisons / World.cellsPerPage - 1), &generator)
            return try RunTrial(
                [cell] + world.times(of: 1, &generator).dropLast() + others, cellsPerPage: World.timesPerPage,
                plan: plan, changes: [change], comparisons: comparisons, comparesShares: comparesShares, in: world,
                &generator)
        }
    }

    /// The results of the confirmed rule if part of the pages changed.
    package struct Parts: Sendable {
        /// The changed times that fail.
        package var changed = Tally()
        /// The runs in which an unchanged time fails.
        package var others = Tally()
        /// The runs that fail for any reason.
        package var runs = Tally()
    }

    /// The results of the confirmed rule for runs in which all times of some pages changed.
    package func parts(_ plan: Plan, pages: Int, changed: Int, _ change: Change) throws(StatsError) -> Parts {
        var parts = Parts()
        for trial in 0..<runs {
            var generator = generator(trial, stream: 6)
            let times = world.times(of: pages, &generator)
            let count = changed * World.timesPerPage
            var run = try RunTrial(
                times, cellsPerPage: World.timesPerPage, plan: plan,
                changes: Array(repeating: change, count: count), comparisons: pages * World.cellsPerPage, in: world,
                &generator)
            let red = try run.redAfterConfirmation(nil, &generator)
            for index in 0..<count { parts.changed.count(red.cells.contains(index)) }
            parts.others.count(red.cells.contains { $0 >= count })
            parts.runs.count(red.isAny)
        }
        return parts
    }

    /// The failed times that became slower after an earlier change was accepted with one run of the baseline.
    package func powerAfterAcceptance(_ plan: Plan, _ change: Change, pages: Int) throws(StatsError) -> Scores {
        try outcome(trials: changes, stream: 7, asked: 0) { generator throws(StatsError) in
            let times = world.times(of: pages, &generator)
            return try RunTrial(
                times, cellsPerPage: World.timesPerPage, plan: plan, changes: [change],
                comparisons: pages * World.cellsPerPage + 1, accepted: 0, in: world, &generator)
        }
    }

    /// The failed unchanged runs if main and candidate are measured in turn.
    package func falseAlarms(_ plan: PairedPlan, pages: Int) throws(StatsError) -> Tally {
        var tally = Tally()
        for trial in 0..<runs {
            var generator = generator(trial, stream: 3)
            let cells = world.cells(pages: pages, &generator)
            tally.count(try PairedTrial(cells, plan: plan, in: world).isRed(&generator))
        }
        return tally
    }

    /// The failed changed cells if main and candidate are measured in turn.
    package func power(_ plan: PairedPlan, _ change: Change, comparisons: Int) throws(StatsError) -> Tally {
        var tally = Tally()
        for trial in 0..<changes {
            var generator = generator(trial, stream: 4)
            let cell = model(for: change, &generator)
            let others = cell.metric.isTime ? world.times(of: comparisons / World.cellsPerPage, &generator) : []
            let paired = PairedTrial([cell] + others, plan: plan, change: change, comparisons: comparisons, in: world)
            tally.count(try paired.isRed(&generator))
        }
        return tally
    }

    private func outcome(
        trials: Int, stream: UInt64, asked: Int? = nil,
        _ measure: (inout SeededGenerator) throws(StatsError) -> RunTrial
    ) throws(StatsError) -> Scores {
        var outcome = Scores()
        for trial in 0..<trials {
            var generator = generator(trial, stream: stream)
            var run = try measure(&generator)
            outcome.once.count(try run.redAtOnce(asked).isAny)
            outcome.told.count(try run.isReported(asked))
            for (index, rival) in Self.rivals.enumerated() where asksRivals {
                outcome.rivals[index].count(run.isRed(by: rival, asked))
            }
            outcome.confirmed.count(try run.redAfterConfirmation(asked, &generator).isAny)
            outcome.toldAgain.count(try run.isReported(asked, .rerun))
        }
        return outcome
    }

    private func model(for change: Change, _ generator: inout SeededGenerator) -> CellModel {
        switch change {
        case .none, .slower, .slowLoads: world.time(&generator)
        case .newHitch, .hitch: world.droppedFrames(&generator)
        case .moreEvents: world.dropEvents(&generator)
        }
    }

    /// Each trial has its own random numbers: the same pages for every plan.
    private func generator(_ trial: Int, stream: UInt64) -> SeededGenerator {
        SeededGenerator(seed: seed, stream: UInt64(trial) << 3 | stream)
    }
}

/// The frequency of an event in trials.
package struct Tally: Sendable, Hashable {
    /// The number of trials with the event.
    package private(set) var hits = 0
    package private(set) var trials = 0

    /// No trial yet.
    package init() {}

    /// Counts a trial.
    package mutating func count(_ happened: Bool) {
        trials += 1
        if happened { hits += 1 }
    }

    /// Adds other trials.
    package mutating func join(_ other: Tally) {
        trials += other.trials
        hits += other.hits
    }

    /// Whether it happened in any trial.
    package var happened: Bool { hits > 0 }

    /// The fraction of trials with the event, 0…1; 0 without trials.
    package var share: Double { trials == 0 ? 0 : Double(hits) / Double(trials) }

    /// The standard error of the fraction, with A. Agresti and B. A. Coull's two additional successes and failures
    /// (Am. Stat. 52 (1998) 119–126), so a fraction of 0 isn't certain.
    package var standardError: Double {
        let (n, p) = (Double(trials + 4), Double(hits + 2) / Double(trials + 4))
        return (p * (1 - p) / n).squareRoot()
    }

    /// The fraction in percent: one decimal below 10, else none.
    package var percent: String {
        let share = 100 * share
        return share < 9.95 ? Self.decimal(share) : "\(Int(share.rounded()))"
    }

    /// Fractions in percent, with their largest standard error: `0.1/0.3/0.4 ± 0.1`.
    static func text(_ tallies: [Tally]) -> String {
        let error = tallies.map(\.standardError).max() ?? 0
        return "\(tallies.map(\.percent).joined(separator: "/")) ± \(decimal(100 * error))"
    }

    /// A nonnegative number with one decimal.
    static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
