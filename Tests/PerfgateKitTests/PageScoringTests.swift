import ComparisonFixtures
import PagePerformance
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateKit

/// How the gate scores pages.
struct PageScoringTests {
    private static func formula() throws -> ScoreFormula {
        try ScoreFormula(
            version: "ours",
            components: [
                ScoreComponent(.ttfl, weight: 0.5, curve: ScoreCurve(good: 300, poor: 1_000)),
                ScoreComponent(.ttil, weight: 0.5, curve: ScoreCurve(p10: 3_785, median: 7_300)),
            ])
    }

    private static func measurements(
        _ page: String, ttfl: [String: [Double]], ttil: [String: [Double]], unit: Unit = .milliseconds
    ) -> Measurements {
        var result = Measurements()
        for (id, runs) in [("ttfl", ttfl), ("ttil", ttil)] where !runs.isEmpty {
            let cell = Cell(page: Page(page), metric: id, environment: Environment([]))
            result.cells[cell] = CellMeasurement(
                metric: Metric(id: id, unit: unit, better: .lower),
                runs: runs.sorted { $0.key < $1.key }.map { run, values in
                    RunSamples(run: run, samples: values.map { Sample($0) })
                }, iterations: runs.mapValues { Array($0.indices) })
        }
        return result
    }

    private static let cell = Cell(page: Page("A"), metric: "pps_score", environment: Environment([]))

    @Test func oneScoreARun() throws {
        let measured = Self.measurements(
            "A", ttfl: ["r": [300, 300], "s": [1_000]], ttil: ["r": [7_000, 7_600], "s": [3_785]])
        let scored = measured.scored(by: PageScoring(formula: try Self.formula())).cells[Self.cell]
        #expect(scored?.runs.map(\.run) == ["r", "s"])
        #expect(scored?.iterations == ["r": [0], "s": [0]])
        #expect(scored?.formula == "ours")
        #expect(scored?.metric == Metric(id: "pps_score", unit: .points, better: .higher))
        for (value, expected) in zip(scored?.values ?? [], [60, 70]) { #expect(abs(value - Double(expected)) < 1e-9) }
    }

    @Test func aRunWithoutAMetricHasNone() throws {
        let scoring = PageScoring(formula: try Self.formula())
        let half = Self.measurements("A", ttfl: ["r": [300], "s": [300]], ttil: ["s": [7_300]])
        #expect(half.scored(by: scoring).cells[Self.cell]?.runs.map(\.run) == ["s"])
        let none = Self.measurements("A", ttfl: ["r": [300]], ttil: [:])
        #expect(none.scored(by: scoring) == none)
        let other = Self.measurements("A", ttfl: ["r": [300]], ttil: ["r": [300]], unit: .frames)
        #expect(other.scored(by: scoring) == other)
        #expect(half.scored(by: nil) == half)
    }

    private static func note(_ scores: [String: (now: Double?, before: Double?)], _ traffic: [String: Double])
        -> [String]
    {
        let side = { (value: Double) in CellResult.Side(count: 1, runs: 1, center: value, samples: [value]) }
        let results = scores.map { page, score in
            CellResult(
                page: Page(page), metric: Metric.pageScore, environment: Environment([]), isGated: false,
                verdict: .passed, reason: "", baseline: score.before.map(side), candidate: score.now.map(side))
        }
        let visits = Dictionary(uniqueKeysWithValues: traffic.map { (Page($0), $1) })
        return TrafficNote(comparisons: results, traffic: visits).sentences
    }

    @Test func pagesCountByTheirTraffic() {
        let known = Self.note(
            ["A": (73, 80), "B": (84, 80), "C": (75, 80)], ["A": 5e6, "B": 20e6, "C": 10e6])
        #expect(known == ["The score of all pages by traffic is 79.86, before 80."])
        #expect(Self.note(["A": (73, nil)], ["A": 1, "B": 0]) == ["The score of all pages by traffic is 73."])
        #expect(Self.note(["A": (73, nil)], [:]) == [])
        #expect(Self.note([:], ["A": 1]) == [])
    }

    @Test func aPageWithoutAScoreMakesItIncomplete() {
        let incomplete = "The score of all pages by traffic is incomplete: "
        #expect(Self.note(["A": (73, 80), "B": (nil, 80)], ["A": 1, "B": 1]) == ["\(incomplete)B has none."])
        #expect(Self.note(["A": (73, 80)], ["A": 1, "B": 1]) == ["\(incomplete)B has none."])
        #expect(
            Self.note(["A": (73, 80), "B": (70, 80)], ["A": 1]) == [
                "\(incomplete)it doesn't say how often B is visited."
            ])
    }
}
