import Testing
import SeededRandom

@testable import PerfgateStats

/// The smallest number above 0, and the largest.
private let (tiny, most) = (Double.leastNonzeroMagnitude, Double.greatestFiniteMagnitude)

struct ComparisonTests {
    static func compare(
        _ baseline: [[Double]], _ candidate: [[Double]], better: Comparison.Better = .lower, relative: Double = 0.1
    ) throws -> Comparison {
        try Comparison(
            baseline: MeasuredRuns(baseline), candidate: MeasuredRuns(candidate),
            terms: Comparison.Terms(
                tolerance: Tolerance(relative: relative, absolute: 0), centre: .median, better: better,
                significance: Significance(comparisons: 100)))
    }

    /// Fewer frames per second are as bad as longer times.
    @Test(arguments: UInt64(1)...20)
    func directionsMirrorEachOther(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let b = (0..<6).map { _ in generator.sample(1...4, kinds: 30) }
        let c = (0..<2).map { _ in generator.sample(1...6, kinds: 30) }
        let lower = try Self.compare(b, c)
        let higher = try Self.compare(b.map { $0.map { -$0 } }, c.map { $0.map { -$0 } }, better: .higher)
        #expect(higher.pZero == lower.pZero, "seed \(seed)")
        #expect(higher.pMargin == lower.pMargin, "seed \(seed)")
        #expect(higher.pImproved == lower.pImproved, "seed \(seed)")
        #expect(higher.worsening == lower.worsening && higher.delta == -lower.delta, "seed \(seed)")
        #expect(higher.gap == lower.gap, "seed \(seed)")
        #expect(higher.estimate.shift == -lower.estimate.shift, "seed \(seed)")
    }

    @Test func countsRunsWithSamples() throws {
        let comparison = try Self.compare([[1, 2], [], [3]], [[9], []])
        #expect(
            comparison.design
                == Design(baselineSamples: 3, baselineRuns: 2, candidateSamples: 1, candidateRuns: 1))
        #expect(comparison.design.marginShare == 1)
        #expect(comparison.gap == 6)
        #expect(comparison.pMin == 0.25 && comparison.pZero == 0.25)
        #expect(comparison.estimate.interval == nil)
    }

    @Test func staysFinite() throws {
        let most = Double.greatestFiniteMagnitude
        let comparison = try Self.compare([[-most, -most]], [[most]], relative: 3)
        #expect(comparison.delta == most && comparison.margin == most && comparison.gap == most)
        #expect(comparison.estimate.shift == most)
        #expect((0...1).contains(comparison.pMargin) && (0...1).contains(comparison.pImproved))
    }

    /// [Δ, m, u, gap], by hand; relative tolerance 10 %.
    @Test(
        arguments: [
            ([5], [5], 0, 0.5, 0.5, 0), ([7, 7, 7], [7, 7], 0, 0.7, 3, 0), ([0], [-0.0], 0, 0, 0.5, 0),
            ([-0.0, 0], [0], 0, 0, 1, 0), ([0], [tiny], tiny, 0, 1, tiny), ([tiny], [0], -tiny, 0, 0, -tiny),
            ([-1e308], [1e308], most, 1e307, 1, most), ([most], [most], 0, most / 10, 0.5, 0), ([1], [3], 2, 0.1, 1, 2),
        ] as [([Double], [Double], Double, Double, Double, Double)])
    func edges(b: [Double], c: [Double], delta: Double, margin: Double, u: Double, gap: Double) throws {
        let found = try Self.compare([b], [c])
        #expect(found.delta == delta && found.gap == gap)
        #expect(try MannWhitney(baseline: SortedSamples(b), candidate: SortedSamples(c)).u == u)
        expectClose(found.margin, margin, relative: 1e-15)
        #expect(found.estimate.shift == delta)
        for p in [found.pZero, found.pMargin, found.pImproved, found.pMin] { #expect((0...1).contains(p)) }
    }

    @Test func refusesEmptySides() {
        #expect(throws: StatsError.noSamples(side: .baseline)) { try Self.compare([[]], [[1]]) }
        #expect(throws: StatsError.noSamples(side: .candidate)) { try Self.compare([[1]], []) }
    }

    @Test(arguments: [(-0.1, 0.0), (.nan, 0), (0, -1), (0, .infinity)])
    func refusesTolerances(relative: Double, absolute: Double) {
        #expect(throws: StatsError.self) { try Tolerance(relative: relative, absolute: absolute) }
    }

    @Test(arguments: [(0, 0.005), (1, 0.005), (20, 0.005), (100, 0.001), (500, 0.0002)])
    func levelFallsWithComparisons(comparisons: Int, expected: Double) {
        #expect(Significance(comparisons: comparisons).failing == expected)
    }

    @Test(arguments: [(500.0, 50.0), (-500, 50), (0, 16), (1.7e308, 1.7e307)])
    func marginFollowsTheMedian(median: Double, expected: Double) throws {
        expectClose(try Tolerance(relative: 0.1, absolute: 16).margin(median: median), expected, relative: 1e-15)
    }
}
