import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom
import Testing

@testable import PerfgateKit

/// Comparisons drawn from unchanged runs, and the gate's verdicts on them.
struct DrawnComparisonsTests {
    /// Runs of five dropped-frame counts each, mostly 0, drawn with the seed.
    static func runs(_ count: Int, most: Int = 1, seed: UInt64) -> [[Double]] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            (0..<5).map { _ in Double(max(0, Int.random(in: -2...most, using: &generator))) }
        }
    }

    private static func drawn(_ runs: [[Double]], comparisons: Int = 20) throws -> DrawnComparisons? {
        let measured = try MeasuredRuns(runs)
        let design = Design(
            baselineSamples: measured.pooled.count, baselineRuns: measured.runs.count, candidateSamples: 5,
            candidateRuns: 1)
        return try DrawnComparisons(
            measured, design: design, centre: .mean,
            significance: Significance(comparisons: comparisons, comparesShares: true), limit: 1)
    }

    /// The gate's verdict on the same samples.
    private static func verdict(
        _ draw: DrawnComparisons.Draw, _ drawn: DrawnComparisons, rise: Double, change: Double
    ) throws -> Verdict {
        let metric = Metric(id: "dropped_frames", unit: .frames, better: .lower)
        let size = draw.baseline.count / drawn.design.baselineRuns
        let runs = (0..<drawn.design.baselineRuns).map { run in
            RunSamples(
                run: "\(run)", samples: draw.baseline.values[(run * size)..<((run + 1) * size)].map { Sample($0) })
        }
        let raised = RunSamples(run: "c", samples: draw.candidate.values.map { Sample($0 + rise) })
        var policy = Policy()
        policy.metrics[metric.id] = MetricSettings(minChange: Setting(change, from: .builtIn))
        let page = Page("A")
        let cell = try CellCase(
            cell: Cell(page: page, metric: metric.id, environment: Environment([])), metric: metric,
            policy: policy.withoutLimits.cellPolicy(page: page, metric: metric, environment: Environment([])),
            confirmation: .off, expectation: Expectation(),
            measurement: CellMeasurement(metric: metric, runs: [raised], iterations: ["c": [0]]),
            entry: Reference.Entry(metric: metric, runs: runs), comparisons: drawn.significance.comparisons)
        return VerdictRule.decide(cell).verdict
    }

    @Test(arguments: [(4, UInt64(1)), (10, 2), (10, 3)])
    func theGateSaysTheSame(_ count: Int, _ seed: UInt64) throws {
        let drawn = try #require(try Self.drawn(Self.runs(count, seed: seed)))
        #expect(drawn.canFail)
        var regressed = 0
        for (index, draw) in drawn.draws.prefix(90).enumerated() {
            let (rise, change) = (Double(index % 4), [0.5, 1][index % 2])
            let tolerance = try Tolerance(relative: 0.1, absolute: change)
            let answer = try drawn.isRegressed(draw, rise: rise, tolerance: tolerance)
            let verdict = try Self.verdict(draw, drawn, rise: rise, change: change)
            #expect(answer == (verdict == .regressed), "seed \(seed), draw \(index)")
            regressed += answer ? 1 : 0
        }
        #expect((10...80).contains(regressed))
    }

    @Test func aDrawHasTheSizesOfTheDesignAndNothingOfItsOwnRunInTheBaseline() throws {
        let drawn = try #require(try Self.drawn((0..<6).map { run in (0..<5).map { Double(10 * run + $0) } }))
        for draw in drawn.draws.prefix(50) {
            #expect(draw.baseline.count == 30 && draw.candidate.count == 5)
            let run = (draw.candidate.values[0] / 10).rounded(.down)
            #expect(draw.candidate.values.allSatisfy { ($0 / 10).rounded(.down) == run })
            #expect(draw.baseline.values.allSatisfy { ($0 / 10).rounded(.down) != run })
        }
    }

    @Test func twoRunsTellNothingOfWhatRunsDifferBy() throws {
        #expect(try Self.drawn(Self.runs(2, seed: 1)) == nil)
        #expect(try Self.drawn(Self.runs(3, seed: 1)) != nil)
    }

    @Test func aSeedRepeatsEverything() throws {
        let runs = Self.runs(8, seed: 5)
        let tolerance = try Tolerance(relative: 0.1, absolute: 0.5)
        let answers = try [runs, runs.reversed()].map { try Self.drawn($0)?.detectable(tolerance: tolerance) }
        #expect(answers[0] == answers[1] && answers[0] != nil)
    }

    @Test func noiseWithinRunsHidesRises() throws {
        let tolerance = try Tolerance(relative: 0.1, absolute: 0.5)
        let drawn = try [1, 6, 20].map { try #require(try Self.drawn(Self.runs(10, most: $0, seed: 9))) }
        let rises = try drawn.map { try #require(try $0.detectable(tolerance: tolerance)) }
        #expect(rises == rises.sorted() && rises[0] <= 2 && rises[2] > rises[0])
    }

    @Test func whatRunsDifferByWantsMoreTolerance() throws {
        let changes = try [0.0, 2, 5].map { lift in
            let runs = Self.runs(10, seed: 9).enumerated().map { index, run in index == 4 ? run.map { $0 + lift } : run
            }
            let drawn = try #require(try Self.drawn(runs))
            return try #require(try drawn.suggestedChange(relative: 0.1, step: 0.5))
        }
        #expect(changes[0] == 0.5 && changes[1] > changes[0] && changes[2] > changes[1])
    }

    /// With the suggested tolerance, unchanged comparisons fail at most as often as the level allows; with one step
    /// less, more often.
    @Test func keepsWhatItSuggests() throws {
        let runs = [[0.0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [3, 2, 3, 3, 2], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]]
        let drawn = try #require(try Self.drawn(runs))
        let suggested = try #require(try drawn.suggestedChange(relative: 0.1, step: 0.5))
        func alarms(_ change: Double) throws -> Double {
            try drawn.falseAlarms(tolerance: Tolerance(relative: 0.1, absolute: change))
        }
        #expect(suggested > 0.5)
        #expect(try alarms(suggested) <= 0.005)
        #expect(try alarms(suggested - 0.5) > 0.005)
    }

    @Test func whatCanNotFailDetectsNothing() throws {
        let drawn = try #require(try Self.drawn(Self.runs(3, seed: 1), comparisons: 100_000))
        let tolerance = try Tolerance(relative: 0.1, absolute: 0.5)
        #expect(!drawn.canFail)
        #expect(try drawn.detectable(tolerance: tolerance) == nil)
        #expect(try drawn.suggestedChange(relative: 0.1, step: 0.5) == nil)
        #expect(try drawn.falseAlarms(tolerance: tolerance) == 0)
    }

    /// Runs without differences stay equal: drawing adds no noise.
    @Test func runsAreTakenAsTheyAre() throws {
        let run = [0.0, 0, 1, 2, 7]
        let drawn = try #require(try Self.drawn([run, run, run, run]))
        #expect(drawn.draws.allSatisfy { $0.candidate.values == run && $0.baseline.mean == 2 })
    }
}
