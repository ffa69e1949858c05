import Testing
import SeededRandom

@testable import PerfgateStats

struct PairedComparisonTests {
    static func terms(_ better: Comparison.Better = .lower) throws -> Comparison.Terms {
        Comparison.Terms(
            tolerance: try Tolerance(relative: 0.1, absolute: 0), centre: .median, better: better,
            significance: Significance(comparisons: 20))
    }

    /// For one pair, the test equals the test of the same samples without pairs, except for h, which is ½ for any
    /// number of runs.
    @Test(arguments: UInt64(1)...20)
    func onePairIsThePlainComparison(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let b = (0..<6).map { _ in generator.sample(1...4, kinds: 40) }
        let c = (0..<2).map { _ in generator.sample(1...6, kinds: 40) }
        let better: Comparison.Better = seed.isMultiple(of: 2) ? .lower : .higher
        let paired = try Comparison(
            #require(try PairedRuns([(name: "1", baseline: b, candidate: c)])), terms: Self.terms(better))
        let plain = try Comparison(baseline: MeasuredRuns(b), candidate: MeasuredRuns(c), terms: Self.terms(better))
        #expect(paired.design.pairs == 1 && plain.design.pairs == 0 && paired.design.marginShare == 0.5)
        #expect(paired.delta == plain.delta && paired.gap == plain.gap, "seed \(seed)")
        #expect(paired.estimate == plain.estimate, "seed \(seed)")
        expectClose(paired.pZero, plain.pZero, relative: 1e-12, "seed \(seed)")
        expectClose(paired.pMin, plain.pMin, relative: 1e-12, "seed \(seed)")
        if plain.design.marginShare == 0.5 {
            expectClose(paired.pMargin, plain.pMargin, relative: 1e-12, "seed \(seed)")
            expectClose(paired.pImproved, plain.pImproved, relative: 1e-12, "seed \(seed)")
        }
    }

    /// Shares of counts ignore how runs differ, so a time in pairs has only the shares of far slower samples.
    @Test func aTimeInPairsHasNoSharesOfCounts() throws {
        let devices = [1.0, 1.06].enumerated().map { pair, factor in
            let before = (0..<5).map { 500 + 4 * Double($0) }
            return (name: "\(pair)", baseline: [before], candidate: [before.map { factor * $0 }])
        }
        let paired = try #require(try PairedRuns(devices))
        let terms = Comparison.Terms(
            tolerance: try Tolerance(relative: 0.02, absolute: 0), centre: .median, better: .lower,
            significance: Significance(comparisons: 20, comparesShares: true))
        let noise = PairNoise([(page: 0, runs: paired, least: 0)])
        let comparison = try Comparison(paired, terms: terms, noise: noise)
        #expect(comparison.shares.isEmpty && comparison.slow.map(\.all.candidateOver) == [0, 0])
        #expect(!(try Comparison(paired, terms: terms)).shares.isEmpty)
    }

    /// Devices that differ by half: a rise of a tenth on each is significant in pairs, and lost without them.
    @Test func pairsSeeWhatPoolingHides() throws {
        let devices = [300.0, 450, 600].map { (start: Double) -> PairedRuns.Pair in
            let before = (0..<5).map { start + 2 * Double($0) }
            let after = (0..<5).map { 1.15 * start + Double($0) }
            return (name: "1", baseline: [before], candidate: [after])
        }
        let paired = try Comparison(#require(try PairedRuns(devices)), terms: Self.terms())
        let plain = try Comparison(
            baseline: MeasuredRuns(devices.flatMap { $0.baseline }),
            candidate: MeasuredRuns(devices.flatMap { $0.candidate }),
            terms: Self.terms())
        #expect(paired.pMargin <= paired.significance.failing && plain.pMargin > 0.1)
        expectClose(paired.pMin, 1.0 / (252 * 252 * 252), relative: 1e-12)
        #expect(paired.design.baselineRuns == 3 && paired.design.candidateRuns == 3)
        let narrow = try #require(paired.estimate.interval)
        let wide = try #require(plain.estimate.interval)
        #expect(narrow.upperBound - narrow.lowerBound < (wide.upperBound - wide.lowerBound) / 2)
    }

    /// The definition, by enumerating all sums of the strata's U.
    @Test(arguments: [[(3, 3)], [(5, 5), (4, 2)], [(2, 2), (2, 2), (2, 2), (2, 2)], [(10, 5), (5, 5), (1, 7)]])
    func ranksFollowTheDefinition(sizes: [(Int, Int)]) throws {
        var sums: [Int: Double] = [0: 1]
        for (n, m) in sizes {
            let shared = try #require(UntiedDistribution(n, m))
            var next: [Int: Double] = [:]
            for u in 0...(n * m) {
                let upTo = u == n * m ? 1 : shared.chance(atMost: u)
                let chance = upTo - (u == 0 ? 0 : shared.chance(atMost: u - 1))
                for (sum, before) in sums { next[sum + u, default: 0] += before * chance }
            }
            sums = next
        }
        for alpha in [0.025, 0.01] {
            var (below, rank) = (0.0, 0)
            for sum in sums.keys.sorted() {
                below += sums[sum] ?? 0
                if below > alpha { break }
                rank += 1
            }
            #expect(StratifiedMannWhitney.rank(sizes: sizes, alpha: alpha) == rank, "\(sizes) at \(alpha)")
        }
    }

    @Test func takesOnlyWhatCanBePaired() throws {
        #expect(try PairedRuns([]) == nil)
        #expect(try PairedRuns([(name: "1", baseline: [[1]], candidate: [[]])]) == nil)
        let many = Array(repeating: 1.0, count: 101)
        #expect(try PairedRuns([(name: "1", baseline: [many], candidate: [many])]) == nil)
        #expect(throws: StatsError.self) {
            try PairedRuns([(name: "1", baseline: [[.nan]], candidate: [[1]])])
        }
    }
}
