import PagePerformance
import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom
import Testing

@testable import PerfgateField
@testable import PerfgateKit

/// Scores from sums and buckets, compared with scores from the values themselves.
struct FieldScoresTests {
    private static func formula(_ version: String = "ours", cap: Double? = nil) throws -> ScoreFormula {
        try ScoreFormula(
            version: version,
            components: [
                ScoreComponent(.ttfl, weight: 0.5, curve: ScoreCurve(good: 300, poor: 1_000), cap: cap),
                ScoreComponent(.ttil, weight: 0.5, curve: ScoreCurve(p10: 3_785, median: 7_300), cap: cap),
            ])
    }

    /// A row of values in ms.
    private static func row(
        _ values: [Double], _ metric: PageMetric, page: String = "Search", release: String = "7.129",
        app: String = "shop"
    ) -> FieldRow {
        let quanta = values.compactMap { Quantum.of($0) }
        let buckets = Dictionary(quanta.map { (QuantumBucket(of: $0).index, 1) }, uniquingKeysWith: +)
        return FieldRow(
            app: app, page: page, release: release, metric: metric.rawValue, events: quanta.count,
            quanta: quanta.reduce(0, +),
            buckets: buckets.sorted { $0.key < $1.key }.map { FieldBucket(index: $0.key, count: $0.value) }[...])
    }

    private static func values(_ seed: UInt64, around level: Double) -> [Double] {
        var generator = SeededGenerator(seed: seed)
        return (0..<500).map { _ in (Double.random(in: 0.1...4, using: &generator) * level * 1_000).rounded() / 1_000 }
    }

    @Test(arguments: [nil, 2_000, 900.5])
    func scoresAreThoseOfTheValues(_ cap: Double?) throws {
        let formula = try Self.formula(cap: cap)
        let samples: [PageMetric: [Double]] = [
            .ttfl: Self.values(1, around: 400), .ttil: Self.values(2, around: 3_000),
        ]
        var scores = FieldScores([formula])
        for (metric, values) in samples {
            // Strata and days are added one by one.
            scores.add(Self.row(Array(values[..<100]), metric))
            scores.add(Self.row(Array(values[100...]), metric))
        }
        let expected = try #require(formula.score(of: samples).value)
        let found = try #require(scores.pages(of: "7.129", app: "shop", by: formula)[Page("Search")])
        #expect(abs((found.score.value ?? 0) - expected) < (cap == nil ? 1e-9 : 0.05))
        #expect(found.visits == 500)
        #expect(scores.pages(of: "7.117", app: "shop", by: formula).isEmpty)
        #expect(scores.pages(of: "7.129", app: "other", by: formula).isEmpty)
    }

    @Test func allPagesAreWeighedByTheVisitsOfBoth() throws {
        let formula = try Self.formula()
        var scores = FieldScores([formula])
        for (release, search, cart) in [("7.117", 300.0, 1_000.0), ("7.129", 1_000, 1_000)] {
            for (page, level, count) in [("Search", search, 300), ("Cart", cart, 100)] {
                scores.add(Self.row(Array(repeating: level, count: count), .ttfl, page: page, release: release))
                scores.add(Self.row(Array(repeating: 7_300, count: count), .ttil, page: page, release: release))
            }
        }
        // A page without ttil has no score, and reduces the share of scored pages.
        scores.add(Self.row(Array(repeating: 10, count: 200), .ttfl, page: "Help"))
        let found = try #require(
            scores.compared(FieldPair(base: "7.117", candidate: "7.129"), app: "shop").first)
        #expect(found.formula == "ours" && !found.isCandidate)
        #expect(found.pages.map(\.page.name) == ["Search", "Cart", "Help"])
        #expect(found.pages.map(\.visits) == [600, 200, 200])
        #expect(found.pages[2].base == nil && found.pages[2].candidate == nil)
        // .7 and .5 of 50 points, beside .5 of 50: 60 and 50, with 600 and 200 visits.
        #expect(abs((found.base ?? 0) - 57.5) < 1e-9 && abs((found.candidate ?? 0) - 50) < 1e-9)
        #expect(found.share == 0.8)
        let traffic = ReleaseTraffic(base: "7.117", candidate: "7.129", days: [])
        #expect(
            found.sentence(traffic)
                == "The score of all pages by formula ours, weighted by visits, is 50 (fair) in 7.129, and 57.5 in 7.117, "
                + "of pages with 80 % of the visits.")
    }

    @Test func aFormulaThatIsTriedStandsBesideTheOther() throws {
        let tried = try ScoreFormula(
            version: "next", components: [ScoreComponent(.ttil, weight: 1, curve: ScoreCurve(good: 1_000, poor: 2_000))]
        )
        let report = try FieldGateTests.report(FieldGateTests.page("Search", 1_000)) {
            $0.scoring = PageScoring(candidate: tried)
        }
        let scores = try #require(report.environments.first?.releases?.scores)
        #expect(scores.map(\.formula) == ["1", "next"] && scores.map(\.isCandidate) == [false, true])
        // Events with ttil alone make the standard formula incomplete.
        #expect(scores[0].base == nil && scores[1].base == scores[1].candidate && scores[1].share == 1)
        #expect(report.notes.count == 2)
        #expect(
            report.notes[0]
                == "The score of all pages by formula 1 is incomplete: no page has every metric in both releases.")
        #expect(
            report.notes[1].hasPrefix("By the candidate formula next, the score of all pages, weighted by visits, is "))
    }
}
