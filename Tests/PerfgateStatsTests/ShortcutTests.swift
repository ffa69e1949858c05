import Testing
import SeededRandom

@testable import PerfgateStats

/// Two shortcuts to a chance, compared with the plain walk through all groups.
struct ShortcutTests {
    /// Groups of equal values, mostly of single values: there a walk is split into halves.
    static func groups(_ count: Int, most: Int, _ generator: inout SeededGenerator) -> [Int] {
        (0..<count).map { _ in
            Int.random(in: 0..<4, using: &generator) > 0 ? 1 : Int.random(in: 1...most, using: &generator)
        }
    }

    @Test(arguments: UInt64(1)...120)
    func halvesAgreeWithTheWholeWalk(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...40, using: &generator)
        let groups = Self.groups(count, most: seed % 3 == 0 ? 9 : 3, &generator)
        let size = groups.reduce(0, +)
        let chosen = Int.random(in: 1..<size, using: &generator)
        let limit = Int.random(in: 0...(2 * chosen * (size - chosen)), using: &generator)
        let question = NullCounts(groups: groups, chosen: chosen, limit: limit)
        let whole = try #require(question.counts(.unlimited)).reduce(0, +) / question.all
        expectClose(
            question.probability(), min(1, whole), relative: 1e-13, "seed \(seed), \(groups), \(chosen), \(limit)")
    }

    /// Every limit of a small pattern, including the ends.
    @Test(arguments: [[1, 1], [1, 2, 1], [2, 1, 1, 1], [1, 1, 1, 1, 3], [1, 1, 4, 1, 1, 1, 2, 1]])
    func halvesAgreeAtEveryLimit(groups: [Int]) throws {
        let size = groups.reduce(0, +)
        for chosen in 1..<size {
            for limit in 0...(2 * chosen * (size - chosen)) {
                let question = NullCounts(groups: groups, chosen: chosen, limit: limit)
                let whole = try #require(question.counts(.unlimited)).reduce(0, +) / question.all
                expectClose(question.probability(), whole, relative: 1e-14, "\(groups), \(chosen), \(limit)")
            }
        }
    }

    @Test(arguments: [(1, 1), (1, 9), (5, 5), (7, 12), (50, 15), (15, 50), (31, 32)])
    func sharedDistributionAgreesWithTheWalk(n: Int, m: Int) throws {
        let shared = try #require(UntiedDistribution(n, m))
        let question = NullCounts(groups: Array(repeating: 1, count: n + m), chosen: n, limit: 2 * n * m)
        let counts = try #require(question.counts(.unlimited))
        var below = 0.0
        for u in 0..<(n * m) {
            below += counts[u]
            expectClose(
                shared.chance(atMost: u), below / question.all, relative: u <= n * m / 2 ? 1e-14 : 1e-11, "U \(u)")
        }
    }

    /// If counts exceed whole numbers, or the sizes exceed the exact range, there is no result.
    @Test(arguments: [(0, 5), (5, 0), (35, 35), (2, 2_501)])
    func sharedDistributionHasItsBounds(n: Int, m: Int) {
        #expect(UntiedDistribution(n, m) == nil)
    }

    /// Every choice of n out of L, enumerated.
    @Test(arguments: [1, 2, 5, 9])
    func gaussianBinomialsCountChoices(values: Int) {
        var found = GaussianBinomial(values: values, through: values * values / 4)
        for chosen in 0...values {
            if chosen > 0 { found.chooseOneMore() }
            var expected = Array(repeating: Int64(0), count: found.limit + 1)
            for mask in 0..<(1 << values) where mask.nonzeroBitCount == chosen {
                let places = (0..<values).filter { mask >> $0 & 1 == 1 }
                expected[places.reduce(0, +) - chosen * (chosen - 1) / 2] += 1
            }
            #expect((0...found.limit).map { found[$0] } == expected, "\(chosen) of \(values)")
        }
    }
}
