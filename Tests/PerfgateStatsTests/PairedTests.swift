import Testing
import SeededRandom

@testable import PerfgateStats

struct PairedTests {
    static func strata(_ values: [(b: [Double], c: [Double])]) throws -> [StratifiedMannWhitney.Stratum] {
        try values.map {
            StratifiedMannWhitney.Stratum(baseline: try SortedSamples($0.b), candidate: try SortedSamples($0.c))
        }
    }

    @Test(arguments: UInt64(1)...30)
    func strataAgreeWithEveryDivision(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let values = (0..<3).map { _ in (b: generator.sample(1...3, kinds: 4), c: generator.sample(1...3, kinds: 4)) }
        var all: [Int: Double] = [0: 1]
        for stratum in values {
            var next: [Int: Double] = [:]
            for (u, count) in BruteForce.divisions(stratum.b, stratum.c) {
                for (sum, before) in all { next[sum + u, default: 0] += before * count }
            }
            all = next
        }
        let observed = values.reduce(0) { $0 + BruteForce.doubledU($1.b, $1.c) }
        let total = all.values.reduce(0, +)
        let test = try StratifiedMannWhitney(Self.strata(values))
        #expect(test.u * 2 == Double(observed), "seed \(seed)")
        let greater = all.filter { $0.key >= observed }.values.reduce(0, +) / total
        let less = all.filter { $0.key <= observed }.values.reduce(0, +) / total
        expectClose(test.probabilityOfGreater, greater, relative: 1e-13, "seed \(seed)")
        expectClose(test.probabilityOfLess, less, relative: 1e-13, "seed \(seed)")
    }

    @Test func oneStratumIsThePlainTest() throws {
        let vector = try #require(Vectors.all.cases.first { $0.name == "ms integer rounded ties 30v10" })
        let test = try StratifiedMannWhitney(Self.strata([(vector.baseline, vector.candidate), ([1], [])]))
        expectClose(test.probabilityOfGreater, vector.expected.p_greater_exact)
        expectClose(test.probabilityOfLess, vector.expected.p_less_exact)
        let smallest = try StratifiedMannWhitney.smallestProbability(Self.strata([(vector.baseline, vector.candidate)]))
        expectClose(smallest, vector.expected.min_attainable_p_greater)
    }

    /// Differences between days that exceed the change hide it from the plain test.
    @Test func strataSeeWhatPoolingHides() throws {
        let days = (0..<5).map { day -> (b: [Double], c: [Double]) in
            let start = Double(100 * day)
            return (b: [start, start + 1, start + 2], c: [start + 10, start + 11, start + 12])
        }
        let test = try StratifiedMannWhitney(Self.strata(days))
        expectClose(test.probabilityOfGreater, 1.0 / 3_200_000, relative: 1e-14)
        #expect(try test.probabilityOfGreater == StratifiedMannWhitney.smallestProbability(Self.strata(days)))
        #expect(try MannWhitneyTests.test(days.flatMap(\.b), days.flatMap(\.c)).probabilityOfGreater > 0.1)
        let shifted = try StratifiedMannWhitney(Self.strata(days), shift: 10)
        #expect(shifted.u == 22.5 && shifted.probabilityOfGreater > 0.5)
    }

    @Test func strataEdges() throws {
        let none = try StratifiedMannWhitney([])
        #expect(none.u == 0 && none.probabilityOfGreater == 1 && StratifiedMannWhitney.smallestProbability([]) == 1)
        let large = Array(repeating: 1.0, count: 101)
        #expect(throws: StatsError.tooLarge(size: 10_201, limit: 10_000)) {
            try StratifiedMannWhitney(Self.strata([(large, large)]))
        }
    }
}
