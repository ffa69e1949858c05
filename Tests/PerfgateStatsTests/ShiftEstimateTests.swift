import Testing
import SeededRandom

@testable import PerfgateStats

@Suite struct ShiftEstimateTests {
    /// Sought and sorted differences are the same bits.
    @Test(arguments: UInt64(1)...15)
    func findsWhatSortingFinds(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let b = try SortedSamples(generator.sample(1...20, kinds: 30).map { $0 / 7 })
        let c = try SortedSamples(generator.sample(1...20, kinds: 30).map { $0 / 3 - 4 })
        let (sorted, sought) = (Differences(baseline: b, candidate: c), Differences(baseline: b, candidate: c, kept: 0))
        for rank in Set([1, 2, sorted.count / 2, sorted.count / 3 + 1, sorted.count]) where 1...sorted.count ~= rank {
            #expect(sorted.ranked(rank) == sought.ranked(rank), "seed \(seed), rank \(rank)")
        }
        #expect(sorted.median == sought.median, "seed \(seed)")
    }

    @Test func saturatesInsteadOfOverflowing() throws {
        let (b, c) = (try SortedSamples([-1.7e308, 1.7e308]), try SortedSamples([1.7e308, -1.7e308]))
        for kept in [0, 10] {
            let differences = Differences(baseline: b, candidate: c, kept: kept)
            #expect(differences.ranked(1) == -Double.greatestFiniteMagnitude)
            #expect(differences.ranked(4) == Double.greatestFiniteMagnitude)
            #expect(differences.median == 0)
        }
    }

    @Test(arguments: [(5, 50), (12, 13), (20, 40), (50, 25), (60, 80), (70, 71)])
    func ranksComeNearTheirApproximation(n: Int, m: Int) {
        let alphas = [0.025, 0.01]
        let exact = OrderQuantile.ranks(n, m, alphas: alphas)
        for (alpha, rank) in zip(alphas, exact) {
            #expect(abs(OrderQuantile.approximateRank(n, m, alpha: alpha) - rank) <= 1)
        }
        #expect(exact == OrderQuantile.ranks(m, n, alphas: alphas))
    }

    /// The definition, by the engine that counts chances.
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
            #expect(OrderQuantile.ranks(n, m, alphas: [alpha]) == [rank], "\(n) and \(m) at \(alpha)")
        }
    }

    @Test func estimatesLargeSamples() throws {
        let b = try SortedSamples((0..<700).map { Double($0) })
        let c = try SortedSamples((0..<600).map { Double($0) + 100.25 })
        let estimate = try ShiftEstimate(baseline: b, candidate: c)
        #expect(abs(estimate.shift - 50.25) <= 1)
        let interval = try #require(estimate.interval)
        #expect(interval.contains(50.25) && interval.lowerBound < estimate.shift && interval.upperBound < 90)
        let bound = try #require(estimate.lowerBound99)
        #expect(bound < interval.lowerBound)
    }

    @Test func refusesEmptySides() throws {
        let (none, one) = (try SortedSamples([]), try SortedSamples([1]))
        #expect(throws: StatsError.noSamples(side: .baseline)) { try ShiftEstimate(baseline: none, candidate: one) }
        #expect(throws: StatsError.noSamples(side: .candidate)) { try ShiftEstimate(baseline: one, candidate: none) }
    }
}
