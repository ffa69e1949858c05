import Testing
import SeededRandom

@testable import PerfgateStats

struct ShiftEstimateTests {
    /// Selecting the differences and searching for them gives identical bits.
    @Test(arguments: UInt64(1)...15)
    func findsWhatSortingFinds(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let b = try SortedSamples(generator.sample(1...20, kinds: 30).map { $0 / 7 })
        let c = try SortedSamples(generator.sample(1...20, kinds: 30).map { $0 / 3 - 4 })
        let selected = Differences(baseline: b, candidate: c)
        let sought = Differences(baseline: b, candidate: c, kept: 0)
        let all = c.values.flatMap { c in b.values.map { c - $0 } }.sorted()
        let ranks = [1, 2, all.count / 2, all.count / 3 + 1, all.count].filter { 1...all.count ~= $0 }
        #expect(selected.ranked(ranks) == ranks.map { all[$0 - 1] }, "seed \(seed), ranks \(ranks)")
        #expect(sought.ranked(ranks) == ranks.map { all[$0 - 1] }, "seed \(seed), ranks \(ranks)")
    }

    @Test func saturatesInsteadOfOverflowing() throws {
        let (b, c) = (try SortedSamples([-1.7e308, 1.7e308]), try SortedSamples([1.7e308, -1.7e308]))
        for kept in [0, 10] {
            let differences = Differences(baseline: b, candidate: c, kept: kept)
            let greatest = Double.greatestFiniteMagnitude
            #expect(differences.ranked([1, 4]) == [-greatest, greatest])
            #expect(try ShiftEstimate(baseline: b, candidate: c).shift == 0)
        }
    }

    @Test(arguments: [(5, 50), (12, 13), (20, 40), (50, 25), (60, 80), (70, 71)])
    func ranksComeNearTheirApproximation(n: Int, m: Int) {
        for alpha in [0.025, 0.01] {
            let exact = OrderQuantile.rank(n, m, alpha: alpha)
            #expect(abs(OrderQuantile.approximateRank(n, m, alpha: alpha) - exact) <= 1)
            #expect(exact == OrderQuantile.rank(m, n, alpha: alpha))
        }
    }

    /// The definition, computed by the engine that counts chances.
    @Test(arguments: [(1, 39), (2, 30), (4, 4), (6, 9), (30, 30), (60, 80)])
    func ranksFollowTheDefinition(n: Int, m: Int) throws {
        let question = NullCounts(groups: Array(repeating: 1, count: n + m), chosen: n, limit: n * m)
        let counts = try #require(question.counts(.unlimited))
        for alpha in [0.025, 0.01] {
            var (below, rank) = (0.0, 0)
            for count in counts {
                below += count
                if below / question.all <= alpha { rank += 1 }
            }
            #expect(OrderQuantile.rank(n, m, alpha: alpha) == rank, "\(n) and \(m) at \(alpha)")
        }
    }

    @Test func estimatesLargeSamples() throws {
        let b = try SortedSamples((0..<700).map { Double($0) })
        let c = try SortedSamples((0..<600).map { Double($0) + 100.25 })
        let estimate = try ShiftEstimate(baseline: b, candidate: c)
        #expect(abs(estimate.shift - 50.25) <= 1)
        let interval = try #require(estimate.interval)
        #expect(interval.contains(50.25) && interval.lowerBound < estimate.shift && interval.upperBound < 90)
    }

    @Test func refusesEmptySides() throws {
        let (none, one) = (try SortedSamples([]), try SortedSamples([1]))
        #expect(throws: StatsError.noSamples(side: .baseline)) { try ShiftEstimate(baseline: none, candidate: one) }
        #expect(throws: StatsError.noSamples(side: .candidate)) { try ShiftEstimate(baseline: one, candidate: none) }
    }
}
