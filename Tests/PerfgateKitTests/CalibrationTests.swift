import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The calibration of runs with known noise.
struct CalibrationTests {
    static let environment = EnvironmentKey.standard.environment(of: Context(["device": .text("iPhone12,1")]))

    /// Normal quantiles, so samples are spread evenly: five per run.
    private static let places = [-1.28, -0.52, 0, 0.52, 1.28]
    /// Ten runs' effects, with a standard deviation of 1.
    private static let effects = [-1.6, -1, -0.7, -0.4, -0.1, 0.1, 0.4, 0.7, 1, 1.6]

    /// Times around 500 ms with these standard deviations, as fractions.
    static func times(within: Double, between: Double, runs: Int = 10, samples: Int = 5) -> Reference.Entry {
        let list = effects.prefix(runs).enumerated().map { index, effect in
            RunSamples(
                run: "r\(index)",
                samples: places.prefix(samples).map { Sample(500 * (1 + between * effect) * (1 + within * $0)) })
        }
        return Reference.Entry(metric: Metric(id: "ttil", unit: .milliseconds, better: .lower), runs: list)
    }

    static func counts(runs: [[Double]]) -> Reference.Entry {
        Reference.Entry(
            metric: Metric(id: "drop_events", unit: .events, better: .lower),
            runs: runs.enumerated().map { index, values in
                RunSamples(run: "r\(index)", samples: values.map { Sample($0) })
            })
    }

    static func calibration(_ entries: [String: Reference.Entry], policy: Policy = Policy()) throws -> Calibration {
        let cells = entries.map { page, entry in
            (Cell(page: Page(page), metric: entry.metric.id, environment: environment), entry)
        }
        return try Calibration(Reference(cells: Dictionary(uniqueKeysWithValues: cells)), policy: policy)
    }

    @Test func measuresNoise() throws {
        let found = try #require(try Self.calibration(["A": Self.times(within: 0.05, between: 0.04)]).cells.first)
        #expect(abs(found.center - 500) < 2 && abs(found.tolerance - found.center / 10) < 1e-9)
        #expect(abs(try #require(found.withinRuns) - 0.0598) < 0.0001)
        // The noise of medians of five, 0.0319, is subtracted (NumPy).
        #expect(abs(try #require(found.betweenRuns) - 0.0245) < 0.0001)
        #expect(found.design.baselineSamples == 50 && found.design.candidateSamples == 5)
        #expect(!found.isUnstable && found.obstacle == nil && found.isGated)
        #expect((0.1..<0.35).contains(try #require(found.detectable)))
    }

    @Test func noisierTimesSeeLessAndWantMoreTolerance() throws {
        let found = try Self.calibration([
            "A": Self.times(within: 0.02, between: 0.02), "B": Self.times(within: 0.06, between: 0.04),
            "C": Self.times(within: 0.08, between: 0.07),
        ])
        let detectable = try found.cells.map { try #require($0.detectable) }
        let suggestions = try found.cells.map { try #require($0.suggestion) }
        let alarms = try found.cells.map { try #require($0.falseAlarms) }
        #expect(detectable == detectable.sorted() && suggestions == suggestions.sorted() && alarms == alarms.sorted())
        #expect(suggestions[0] < 0.1 && suggestions[2] >= 0.1)
        #expect(found.unstable.map(\.cell.page.name) == ["C"])
        #expect(abs(found.expectedFalseAlarms - alarms.reduce(0, +)) < 1e-12)
    }

    /// A page with far more variation between runs than the others gets its own allowance: it detects less, and raises
    /// no alarms.
    @Test func aPageWithNoiseOfItsOwnIsAllowedIt() throws {
        var entries = ["A": Self.times(within: 0.04, between: 0.1)]
        for page in ["B", "C", "D"] { entries[page] = Self.times(within: 0.04, between: 0.02) }
        let found = try Self.calibration(entries).cells
        let detectable = try found.map { try #require($0.detectable) }
        #expect(detectable[0] > 2 * detectable[1])
        #expect(try #require(found[0].falseAlarms) <= 0.005)
        #expect(found.map(\.isUnstable) == [true, false, false, false])
    }

    /// With the suggested tolerance, a second calibration expects no more alarms than the gate allows. The page varies
    /// more between runs than the others, but not enough to get its own noise.
    @Test func keepsWhatItSuggests() throws {
        var entries = ["A": Self.times(within: 0.04, between: 0.045)]
        for page in ["B", "C", "D"] { entries[page] = Self.times(within: 0.02, between: 0.02) }
        let suggested = try #require(try Self.calibration(entries).cells.first?.suggestion)
        #expect(suggested > 0.1)
        func alarms(tolerance: Double) throws -> Double {
            var policy = Policy()
            policy.metrics["ttil"] = MetricSettings(tolerance: Setting(tolerance, from: .builtIn))
            return try #require(try Self.calibration(entries, policy: policy).cells.first?.falseAlarms)
        }
        #expect(try alarms(tolerance: suggested) <= 0.005)
        #expect(try alarms(tolerance: suggested - 0.01) > 0.005)
    }

    @Test func namesWhatCannotGate() throws {
        let found = try Self.calibration(["A": Self.counts(runs: [[0, 1, 1]])])
        let cell = try #require(found.cells.first)
        #expect(cell.obstacle == .tooFewSamples(needed: 10))
        #expect(cell.detectable == nil && cell.betweenRuns == nil)
        #expect(found.blind.count == 1 && found.trials.isEmpty)
        // The noise test has no such bound.
        let young = try Self.calibration(["A": Self.times(within: 0.05, between: 0, runs: 1, samples: 3)])
        #expect(young.blind.isEmpty)
        let noisy = try Self.calibration(["A": Self.times(within: 0.6, between: 0.3)])
        #expect(noisy.blind.first?.obstacle == .tooNoisy)
    }

    @Test func countsHaveSpreadsInTheirUnit() throws {
        let runs = [[0.0, 2, 1, 1], [1, 1, 3, 3], [0, 0, 0, 0]]
        let found = try #require(try Self.calibration(["A": Self.counts(runs: runs)]).cells.first)
        #expect(abs(found.center - 1) < 1e-12)
        #expect(abs(try #require(found.withinRuns) - (6.0 / 9).squareRoot()) < 1e-12)
        #expect(abs(try #require(found.betweenRuns) - 1) < 1e-12)
        #expect(found.detectable == nil && found.suggestion == nil && !found.isUnstable)
    }

    /// Only the outlying run fails against the others, and none of the others fails because of it.
    @Test func judgesEachRunByTheOthers() throws {
        var entry = Self.times(within: 0.02, between: 0.005)
        entry.runs[3].samples = SampleList(entry.runs[3].samples.map { Sample($0.value * 1.5) })
        let found = try Self.calibration(["A": entry])
        #expect(found.trials.count == 10)
        #expect(found.trials.filter { !$0.failed.isEmpty }.map(\.run) == ["r3"])
        #expect(found.trials.flatMap(\.failed).map(\.page.name) == ["A"])
    }

    @Test func whatIsNotGatedFailsNothing() throws {
        var policy = Policy()
        policy.metrics["ttil"] = MetricSettings(gate: Setting(false, from: .builtIn))
        var entry = Self.times(within: 0.02, between: 0.005)
        entry.runs[3].samples = SampleList(entry.runs[3].samples.map { Sample($0.value * 1.5) })
        let found = try Self.calibration(["A": entry], policy: policy)
        #expect(found.trials.allSatisfy(\.failed.isEmpty) && found.blind.isEmpty && found.expectedFalseAlarms == 0)
        #expect(found.cells.first?.isGated == false)
    }

    /// A limit stored by another tool gates its metric here, too.
    @Test func whatGatesByAStoredLimitIsGated() throws {
        var entry = Self.times(within: 0.02, between: 0.005)
        entry.metric = Metric(id: "foreign", unit: .milliseconds, better: .lower)
        entry.runs[3].samples = SampleList(entry.runs[3].samples.map { Sample($0.value * 1.5) })
        #expect(try Self.calibration(["A": entry]).cells.map(\.isGated) == [false])
        entry.limit = Setting(Limit(2_000, isTakenAsWritten: true), from: .input(path: "Baselines/a.json"))
        let found = try Self.calibration(["A": entry])
        #expect(found.cells.map(\.isGated) == [true])
        #expect(found.trials.filter { !$0.failed.isEmpty }.map(\.run) == ["r3"])
    }

    @Test func countsAreJudgedByComparisonsThatAreDrawn() throws {
        let quiet = try #require(
            try Self.calibration(["A": Self.counts(runs: DrawnComparisonsTests.runs(10, seed: 1))]).cells.first)
        #expect(quiet.detectable == nil && quiet.suggestion == nil && quiet.obstacle == nil)
        #expect(try (1...3).contains(#require(quiet.detectableRise)))
        #expect(quiet.suggestedChange == 1 && quiet.falseAlarms == 0)
        var policy = Policy()
        policy.metrics["drop_events"] = MetricSettings(gate: Setting(false, from: .builtIn))
        let shown = try Self.calibration(
            ["A": Self.counts(runs: DrawnComparisonsTests.runs(10, seed: 1))], policy: policy)
        #expect(shown.cells.first?.detectableRise == nil && shown.cells.first?.falseAlarms == nil)
    }
}
