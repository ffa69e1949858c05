import PerfgateCompare
import PerfgateModel
import PerfgateStats
import Testing
import SeededRandom

@testable import VerdictStudy

/// Trials use the gate's own rule, and their shortcuts don't change the results.
struct TrialTests {
    /// No cell within its tolerance is ever failed or suspected, so the simulation's shortcut doesn't affect its
    /// results.
    @Test(arguments: UInt64(1)...12)
    func theRuleObjectsToNothingWithinTolerance(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let world = World()
        let plan = Plan(baselineRuns: seed % 2 == 0 ? 10 : 1, baselineIterations: 5, firstLook: 5)
        let gate = RuleUnderStudy(comparisons: 50)
        let runs = (0..<plan.baselineRuns).map { _ in
            DeviceRun(iterations: plan.baselineIterations, in: world, &generator)
        }
        let look = DeviceRun(iterations: plan.firstLook, in: world, &generator)
        var trials: [CellTrial] = []
        for (index, cell) in world.cells(pages: 6, &generator).enumerated() {
            let page = Page("Page \(index / World.cellsPerPage)")
            trials.append(
                try CellTrial(
                    cell, at: page, number: index, baseline: runs, candidate: look, change: .none, in: world, &generator
                ))
        }
        let noise = try RunNoise(trials.compactMap(\.time), runs: [CellTrial.run(0)])
        var within = 0
        for trial in trials {
            guard try !trial.mayExceedTolerance(gate, noise) else { continue }
            within += 1
            for confirmation in Policy.Confirmation.allCases {
                let decision = try gate.decide(
                    trial.cell.metric, at: trial.place, entry: trial.entry, measurement: trial.measurement,
                    confirmation: confirmation, noise: noise)
                #expect(decision.verdict != .regressed && decision.verdict != .inconclusive, "seed \(seed)")
            }
        }
        #expect(within > 5)
    }

    /// With a plain median instead of the shorth, changed pages hide themselves: .44 and .23 of these times are found.
    @Test(arguments: [(12, 0.5), (16, 0.4)])
    func changesOfManyPagesAreSeen(changed: Int, found: Double) throws {
        let parts = try Self.study.parts(Self.settled, pages: 40, changed: changed, .slower(0.15))
        #expect(parts.changed.share > found)
    }

    /// If the whole shift were subtracted, an improvement of most pages would fail another page.
    @Test func whatMostPagesGainAccusesNoOther() throws {
        let parts = try Self.study.parts(Self.settled, pages: 40, changed: 24, .slower(-0.2))
        #expect(!parts.runs.happened)
    }

    @Test func allPagesTogetherAreAComparison() throws {
        let parts = try Self.study.parts(Self.settled, pages: 20, changed: 20, .slower(0.2))
        #expect(parts.runs.share > 0.9)
    }

    @Test func aBaselineOfOneRunSees() throws {
        let plan = Plan(baselineRuns: 1, baselineIterations: 5, firstLook: 5)
        #expect(try Self.study.power(plan, .slower(0.5), comparisons: 300).confirmed.share > 0.6)
    }

    @Test func anAcceptedChangeHidesNoOther() throws {
        #expect(
            try Self.study.powerAfterAcceptance(Self.settled, .slower(0.4), pages: 9).confirmed.share > 0.6)
    }

    private static let settled = StudyReport.plans[0]
    private static var study: Study {
        var world = World()
        (world.deviceEffect, world.pageEffect) = (0.03, 0.03)
        return Study(seed: 11, runs: 8, changes: 16, world: world)
    }

    /// A change of half is found at once and confirmed; without a change nothing is found.
    @Test func changesAreFound() throws {
        let plan = Plan(baselineRuns: 10, baselineIterations: 5, firstLook: 5)
        let simulation = Study(seed: 3, runs: 20, changes: 40)
        let found = try simulation.power(plan, .slower(0.5), comparisons: 100)
        #expect(found.once.share > 0.9 && found.confirmed.share > 0.9)
        let quiet = try simulation.falseAlarms(plan, pages: 2)
        #expect(quiet.confirmed.share <= 0.05 && quiet.rivals[3].share > 0.5)
    }

    @Test func pairsFindWhatTheyShare() throws {
        let simulation = Study(seed: 4, runs: 20, changes: 40)
        let plan = PairedPlan(pairs: 4, iterations: 5)
        #expect(try simulation.power(plan, .slower(0.3), comparisons: 100).share > 0.8)
        #expect(try simulation.falseAlarms(plan, pages: 2).share <= 0.05)
    }

    /// A rerun measures only the suspects' pages, and pools the results.
    @Test func confirmationNeedsASecondLook() throws {
        var generator = SeededGenerator(seed: 5)
        let cell = CellModel.time(level: 500, spread: 0.05)
        let once = Plan(baselineRuns: 10, baselineIterations: 5, firstLook: 5, confirming: [])
        var trial = try RunTrial([cell], plan: once, changes: [.slower(0.5)], in: World(), &generator)
        #expect(try trial.redAtOnce().isAny)
        #expect(try !trial.redAfterConfirmation(nil, &generator).isAny)
    }

    @Test func theSameSeedSaysTheSame() throws {
        func lines(seed: UInt64) throws -> [String] {
            var lines: [String] = []
            try StudyReport(Study(seed: seed, runs: 1, changes: 1), pages: [1, 2]).write { lines.append($0) }
            return lines
        }
        let first = try lines(seed: 1)
        #expect(first == (try lines(seed: 1)))
        #expect(first.count == 2 + 2 * StudyReport.plans.count + StudyReport.pairedPlans.count + 6)
        #expect(first.allSatisfy { $0.split(separator: "|").count == 6 })
    }

    @Test func worldsDifferInOneThing() throws {
        var lines: [String] = []
        try SensitivityReport(seed: 1, runs: 1, changes: 2).write(pages: 1) { lines.append($0) }
        #expect(lines.count == 2 + SensitivityReport.worlds.count)
        #expect(lines.allSatisfy { $0.split(separator: "|").count == 4 })
        #expect(lines[0].contains("M = 5,"))
    }

    @Test(arguments: [(0, 1_000, "0.0"), (13, 1_000, "1.3"), (99, 1_000, "9.9"), (100, 1_000, "10"), (3, 4, "75")])
    func tallies(hits: Int, trials: Int, expected: String) {
        var tally = Tally()
        for trial in 0..<trials { tally.count(trial < hits) }
        #expect(tally.percent == expected && tally.trials == trials)
        #expect(tally.standardError > 0 && Tally().share == 0)
    }
}
