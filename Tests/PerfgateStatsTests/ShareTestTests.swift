import SeededRandom
import Testing

@testable import PerfgateStats

/// Fisher's exact test, by SciPy 1.x `fisher_exact(…, alternative="greater")`, and its use for counts.
@Suite struct ShareTestTests {
    typealias Table = (candidate: (over: Int, all: Int), baseline: (over: Int, all: Int), p: Double)

    static func test(_ tables: [Table]) -> ShareTest {
        ShareTest(
            cut: .limit, bound: 1,
            tables.map {
                ShareTest.Stratum(
                    baseline: ShareTest.Side(all: $0.baseline.all, over: $0.baseline.over),
                    candidate: ShareTest.Side(all: $0.candidate.all, over: $0.candidate.over))
            })
    }

    static let vectors: [Table] = [
        ((5, 10), (0, 100), 2.058966143096088e-06), ((3, 10), (0, 300), 2.4404033173215757e-05),
        ((3, 5), (0, 50), 0.0003811701924909472), ((4, 5), (0, 50), 1.4660392018882585e-05),
        ((5, 10), (5, 10), 0.6718591006516703), ((0, 5), (0, 50), 1), ((5, 5), (50, 50), 1), ((3, 3), (0, 3), 0.05),
        ((6, 10), (2, 50), 0.00010290504766054934), ((9, 25), (11, 500), 3.217468632352892e-08),
        ((1, 5), (0, 50), 0.0909090909090909), ((2, 5), (1, 50), 0.019439679817038306),
        ((15, 25), (30, 50), 0.6005852518732291), ((3, 200), (1, 2000), 0.00276501532195425),
        ((60, 100), (300, 1000), 3.739149218758842e-09), ((40, 40), (0, 40), 9.301701828018132e-24),
        ((7, 10), (90, 100), 0.9830334731623954), ((500, 1000), (400, 1000), 4.226859837242821e-06),
    ]

    @Test(arguments: vectors.indices)
    func agreesWithSciPy(_ index: Int) {
        let table = Self.vectors[index]
        let p = Self.test([table]).p
        #expect(abs(p / table.p - 1) < 1e-12, "\(table.candidate) against \(table.baseline): \(p)")
    }

    /// Within pairs, the excess samples can come from both sides: counted one by one.
    @Test func pairsAgreeWithEveryDivision() {
        let tables: [Table] = [((2, 3), (1, 4), 0), ((3, 4), (0, 3), 0), ((1, 2), (2, 2), 0)]
        let ways = tables.map { table -> [Double] in
            let (drawn, all) = (table.candidate.all, table.candidate.all + table.baseline.all)
            let over = table.candidate.over + table.baseline.over
            return (0...drawn).map { Binomial.coefficient(over, $0) * Binomial.coefficient(all - over, drawn - $0) }
        }
        var (tail, total) = (0.0, 0.0)
        for a in ways[0].indices {
            for b in ways[1].indices {
                for c in ways[2].indices {
                    let product = ways[0][a] * ways[1][b] * ways[2][c]
                    total += product
                    if a + b + c >= 6 { tail += product }
                }
            }
        }
        let test = Self.test(tables)
        #expect(test.candidateOver == 6 && test.baselineOver == 3)
        #expect(abs(test.p - tail / total) < 1e-15)
    }

    @Test func hugeSidesNeitherOverflowNorTakeForEver() {
        let equal = Self.test([((50_000, 100_000), (500_000, 1_000_000), 0)]).p
        #expect(abs(equal - 0.5) < 0.01)
        #expect(Self.test([((100_000, 100_000), (0, 1_000_000), 0)]).p == 0)
    }

    static func comparison(
        _ baseline: [Double], _ candidate: [Double], comparisons: Int = 100, limit: Double? = nil,
        better: Comparison.Better = .lower, comparesShares: Bool = true
    ) throws -> Comparison {
        try Comparison(
            baseline: MeasuredRuns(stride(from: 0, to: baseline.count, by: 5).map { Array(baseline[$0..<($0 + 5)]) }),
            candidate: MeasuredRuns([candidate]),
            terms: Comparison.Terms(
                tolerance: Tolerance(relative: 0.1, absolute: 0.5), centre: .mean, better: better,
                significance: Significance(comparisons: comparisons, comparesShares: comparesShares), limit: limit))
    }

    static let clean = Array(repeating: 0.0, count: 100)

    @Test func halfAFreezeIsBeyondChance() throws {
        let freeze = [10.0, 0, 10, 0, 10, 0, 10, 0, 10, 0]
        let comparison = try Self.comparison(Self.clean, freeze)
        #expect(comparison.pMargin > 0.5 && comparison.isBeyondChance)
        #expect(comparison.shares.map(\.cut) == [.percentile] && comparison.shares[0].bound == 0)
        #expect(try !Self.comparison(Self.clean, freeze, comparesShares: false).isBeyondChance)
    }

    @Test func threeOfTenAgainstThreeHundredAreBeyondChance() throws {
        let rare = [10.0, 0, 0, 10, 0, 0, 10, 0, 0, 0]
        #expect(try Self.comparison(Array(repeating: 0, count: 300), rare).isBeyondChance)
        #expect(try !Self.comparison(Array(repeating: 0, count: 300), rare, comparisons: 500).isBeyondChance)
    }

    @Test func twoOverAreFreaks() throws {
        let comparison = try Self.comparison(Array(repeating: 0, count: 5_000), [10, 10, 0, 0, 0], comparisons: 1)
        #expect(comparison.shares[0].p < 1e-5 && !comparison.isBeyondChance)
    }

    @Test(arguments: [(98, 1, 1.0), (99, 1, 0), (198, 2, 0), (197, 3, 1)])
    func thePercentileIsTheNearestRank(clean: Int, dropping: Int, expected: Double) throws {
        let samples = try SortedSamples(Array(repeating: 0, count: clean) + Array(repeating: 1, count: dropping))
        let stratum = PairedRuns.Stratum(baseline: samples, candidate: try SortedSamples([1, 3, 3]))
        let tests = ShareTest.all([stratum], baseline: samples, limit: nil, better: .lower)
        #expect(tests.map(\.bound) == [expected])
        #expect(tests.map(\.candidateOver) == [expected == 0 ? 3 : 2])
        #expect(tests.map(\.baselineOver) == [expected == 0 ? dropping : 0])
    }

    @Test func higherIsBetterCountsWhatIsBelow() throws {
        let comparison = try Self.comparison(
            Array(repeating: 60, count: 100), [10, 60, 10, 60, 10, 60, 10, 60, 10, 60], limit: 30, better: .higher)
        #expect(comparison.shares.map(\.bound) == [30, 60])
        #expect(comparison.shares.map(\.candidateOver) == [5, 5] && comparison.isBeyondChance)
    }

    @Test func theLevelIsSplit() {
        let significance = Significance(comparisons: 100, comparesShares: true)
        #expect(significance.ofComparison == 0.001)
        #expect(abs(significance.failing + 2 * significance.ofShare - 0.001) < 1e-18)
        #expect(Significance(comparisons: 100).failing == 0.001)
    }
}
