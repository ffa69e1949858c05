import Testing
import SeededRandom

@testable import PagePerformance

struct ScoreFormulaTests {
    private static func component(_ metric: PageMetric, _ weight: Double, cap: Double? = nil) throws -> ScoreComponent {
        ScoreComponent(metric, weight: weight, curve: try ScoreCurve(good: 300, poor: 1_000), cap: cap)
    }

    private static func formula(cap: Double? = nil) throws -> ScoreFormula {
        try ScoreFormula(
            version: "t", components: [component(.ttil, 0.75, cap: cap), component(.ttfl, 0.25, cap: cap)])
    }

    @Test func theScoreIsTheWeightedSumOfShares() throws {
        let score = try Self.formula().score(of: [.ttfl: [300], .ttil: [500, 1_500]])
        #expect(score.formula == "t")
        #expect(score.parts.map(\.metric) == [.ttfl, .ttil])
        #expect(score.parts.map(\.mean) == [300, 1_000])
        let points = score.parts.compactMap(\.points)
        #expect(abs(points[0] - 25 * 0.7) < 1e-9)
        #expect(points[1] == 75 * 0.5)
        #expect(abs(try #require(score.value) - 55) < 1e-9)
        #expect(score.band == .fair)
        #expect(score.missing.isEmpty)
    }

    @Test func aMissingMetricMakesTheScoreIncomplete() throws {
        for samples in [[:], [.ttfl: []], [.ttfl: [.nan, 1]]] as [[PageMetric: [Double]]] {
            let score = try Self.formula().score(of: samples.merging([.ttil: [500]]) { first, _ in first })
            #expect(score.value == nil)
            #expect(score.band == nil)
            #expect(score.missing == [.ttfl])
            #expect(score.parts[0].points == nil)
            #expect(score.parts[1].mean == 500)
        }
    }

    @Test func metricsOutsideOfTheFormulaChangeNothing() throws {
        let formula = try Self.formula()
        #expect(
            formula.score(of: [.ttfl: [300], .ttil: [500], .rclt: [9_000]])
                == formula.score(of: [.ttfl: [300], .ttil: [500]]))
    }

    @Test func aSampleCountsNoMoreThanItsCap() throws {
        let capped = try Self.formula(cap: 2_000)
        #expect(capped.score(of: [.ttfl: [1_000, 90_000]]).parts[0].mean == 1_500)
        #expect(capped.score(of: [.ttfl: [1_000, .infinity]]).parts[0].mean == 1_500)
        #expect(try Self.formula().score(of: [.ttfl: [1_000, 90_000]]).parts[0].mean == 45_500)
    }

    @Test func theStandardFormulaIsOneThatCouldBeConfigured() throws {
        let known: [(metric: PageMetric, good: Double, poor: Double)] = [
            (.ttfl, 300, 1_000), (.ttil, 1_200, 3_000), (.scrollThreadHang, 100, 500), (.alt, 300, 1_500),
            (.rclt, 500, 2_000),
        ]
        let components = try known.map { known in
            let curve = try ScoreCurve(good: known.good, poor: known.poor)
            return ScoreComponent(known.metric, weight: 0.2, curve: curve, cap: 10 * known.poor)
        }
        #expect(try ScoreFormula(version: "1", components: components) == .standard)
    }

    @Test func aPageWithoutAnyWaitHas100() {
        let metrics = ScoreFormula.standard.components.map(\.metric)
        let score = ScoreFormula.standard.score(of: Dictionary(uniqueKeysWithValues: metrics.map { ($0, [0]) }))
        #expect(score.value == 100)
        #expect(score.band == .good)
    }

    @Test func aPageWithEndlessWaitsIsPoor() throws {
        let metrics = ScoreFormula.standard.components.map(\.metric)
        let score = ScoreFormula.standard.score(of: Dictionary(uniqueKeysWithValues: metrics.map { ($0, [.infinity]) }))
        #expect(try #require(score.value) < 20)
        #expect(score.band == .poor)
        #expect(try Self.formula().score(of: [.ttfl: [.infinity], .ttil: [.infinity]]).value == 0)
    }

    @Test func aFormulaOfThirdsReaches100() throws {
        let metrics: [PageMetric] = [.ttfl, .ttil, .alt]
        for weights in [[1.0 / 3, 1.0 / 3, 1.0 / 3], [0.1, 0.2, 0.7], [0.3, 0.6, 0.1]] {
            let formula = try ScoreFormula(
                version: "t", components: zip(metrics, weights).map { try Self.component($0, $1) })
            #expect(formula.score(of: [.ttfl: [0], .ttil: [0], .alt: [0]]).value == 100)
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func aSlowerVisitNeverRaisesTheScore(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let formula = ScoreFormula.standard
        var samples: [PageMetric: [Double]] = [:]
        for metric in formula.components.map(\.metric) {
            samples[metric] = (0..<Int.random(in: 1...9, using: &generator)).map { _ in
                Double.random(in: 0...6_000, using: &generator)
            }
        }
        let score = try #require(formula.score(of: samples).value)
        #expect((0...100).contains(score), "seed \(seed)")
        #expect(formula.score(of: samples.mapValues { $0.shuffled(using: &generator) }).value == score, "seed \(seed)")

        let metric = try #require(formula.components.randomElement(using: &generator)).metric
        samples[metric]?[0] += Double.random(in: 0...9_000, using: &generator)
        #expect(try #require(formula.score(of: samples).value) <= score, "seed \(seed)")
    }

    @Test(arguments: [
        (70.000001, ScoreBand.good), (100, .good), (70, .fair), (50, .fair), (49.999999, .poor), (0, .poor),
    ])
    func bands(_ score: Double, _ band: ScoreBand) {
        #expect(ScoreBand(score: score) == band)
    }
}
