import Testing
import SeededRandom

@testable import PagePerformance

struct TrafficWeightedScoreTests {
    private static func mean(_ pages: [(Double?, Double)]) -> Double? {
        var score = TrafficWeightedScore()
        for (page, traffic) in pages { score.add(score: page, traffic: traffic) }
        return score.mean
    }

    @Test func knownPages() throws {
        let mean = try #require(Self.mean([(73, 5e6), (84, 20e6), (75, 10e6)]))
        #expect(abs(mean - 79.857_142_857) < 1e-9)
    }

    @Test(
        arguments: [
            ([], nil), ([(80, 0)], nil), ([(80, 3)], 80), ([(80, 3), (nil, 2)], nil), ([(80, 3), (nil, 0)], 80),
            ([(80, 3), (10, 0)], 80), ([(80, 3), (10, -1)], nil), ([(80, 3), (10, .nan)], nil),
            ([(80, 3), (10, .infinity)], nil),
        ] as [([(Double?, Double)], Double?)])
    func pagesThatDoNotCount(_ pages: [(Double?, Double)], _ mean: Double?) {
        #expect(Self.mean(pages) == mean)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func theMeanLiesBetweenTheScoresInAnyOrder(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let scores = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
            Bool.random(using: &generator) ? 100 : Double.random(in: 0...100, using: &generator)
        }
        let pages = scores.map { ($0 as Double?, Double.random(in: 0.001...1e9, using: &generator)) }
        let mean = try #require(Self.mean(pages))
        #expect(mean >= scores.min() ?? 0, "seed \(seed)")
        #expect(mean <= scores.max() ?? 0, "seed \(seed)")
        #expect(Self.mean(pages.shuffled(using: &generator)) == mean, "seed \(seed)")
        let doubled = try #require(Self.mean(pages.map { ($0, 2 * $1) }))
        #expect(doubled == mean, "seed \(seed)")
    }
}
