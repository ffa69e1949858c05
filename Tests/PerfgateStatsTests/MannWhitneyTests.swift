import Testing
import SeededRandom

@testable import PerfgateStats

/// The smallest number above 0.
private let tiny = Double.leastNonzeroMagnitude

struct MannWhitneyTests {
    static func test(_ baseline: [Double], _ candidate: [Double], shift: Double = 0) throws -> MannWhitney {
        try MannWhitney(baseline: SortedSamples(baseline), candidate: SortedSamples(candidate), shift: shift)
    }

    /// Every pair of samples with up to 3 and 3 values out of 3, including ties.
    @Test func agreesWithEveryDivisionOfSmallSamples() throws {
        for sizes in [(1, 1), (1, 3), (2, 2), (3, 1), (2, 3), (3, 2), (3, 3)] {
            let width = sizes.0 + sizes.1
            for code in 0..<Self.power(3, width) {
                let digits = (0..<width).map { Double(code / Self.power(3, $0) % 3) }
                try expectAgreement(Array(digits[..<sizes.0]), Array(digits[sizes.0...]))
            }
        }
    }

    @Test(arguments: UInt64(1)...60)
    func agreesWithEveryDivision(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let kinds = Int.random(in: 1...12, using: &generator)
        try expectAgreement(generator.sample(1...5, kinds: kinds), generator.sample(1...5, kinds: kinds))
    }

    private func expectAgreement(_ baseline: [Double], _ candidate: [Double]) throws {
        let found = try Self.test(baseline, candidate)
        let expected = BruteForce.chances(baseline, candidate)
        let what = "\(baseline) against \(candidate)"
        #expect(found.u * 2 == Double(BruteForce.doubledU(baseline, candidate)), "\(what)")
        expectClose(found.probabilityOfGreater, expected.greater, relative: 1e-14, what)
        expectClose(found.probabilityOfLess, expected.less, relative: 1e-14, what)
    }

    private static func power(_ base: Int, _ exponent: Int) -> Int {
        (0..<exponent).reduce(1) { product, _ in product * base }
    }

    @Test(arguments: UInt64(1)...40)
    func keepsItsSymmetries(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let kinds = Int.random(in: 1...40, using: &generator)
        let (b, c) = (generator.sample(1...12, kinds: kinds), generator.sample(1...30, kinds: kinds))
        let found = try Self.test(b, c)
        let shuffled = try Self.test(b.shuffled(using: &generator), c.shuffled(using: &generator))
        #expect(found.probabilityOfGreater == shuffled.probabilityOfGreater)
        #expect((0...1).contains(found.probabilityOfGreater) && (0...1).contains(found.probabilityOfLess))
        #expect(found.probabilityOfGreater + found.probabilityOfLess > 1 - 1e-12)

        let swapped = try Self.test(c, b)
        #expect(swapped.u == Double(b.count * c.count) - found.u)
        expectClose(swapped.probabilityOfLess, found.probabilityOfGreater, relative: 1e-12)
        expectClose(swapped.probabilityOfGreater, found.probabilityOfLess, relative: 1e-12)

        let moved = try Self.test(b.map { $0 + 1024 }, c.map { $0 + 1024 })
        #expect(moved.probabilityOfGreater == found.probabilityOfGreater)
        let least = MannWhitney.smallestProbability(baseline: b.count, candidate: c.count)
        #expect(found.probabilityOfGreater >= least * (1 - 1e-12))
    }

    /// Without ties the pattern stays the same, so a larger sample can only make a rise less likely to be chance.
    @Test(arguments: UInt64(1)...30)
    func fallsAsACandidateRises(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let values = (0..<24).map { Double($0) }.shuffled(using: &generator)
        let (b, c) = (Array(values[..<14]), Array(values[14...]))
        let before = try Self.test(b, c).probabilityOfGreater
        for index in c.indices {
            var raised = c
            raised[index] += 7.5
            let after = try Self.test(b, raised).probabilityOfGreater
            #expect(after <= before * (1 + 1e-12), "seed \(seed), candidate \(index)")
        }
    }

    @Test(
        arguments: [
            ([], [], 1.0, 1.0), ([1], [], 1, 1), ([], [1], 1, 1), ([1], [2], 0.5, 1), ([1], [1], 1, 1),
            ([0.0], [-0.0], 1, 1), ([tiny], [0], 1, 0.5), ([-1e308], [1e308], 0.5, 1),
            ([1e308], [1e308, 1e308], 1, 1),
            ([7, 7, 7], [7, 7], 1, 1), ([1, 2], [3, 4], 1.0 / 6, 1), ([0, tiny], [2 * tiny, 3 * tiny], 1.0 / 6, 1),
        ] as [([Double], [Double], Double, Double)])
    func edges(baseline: [Double], candidate: [Double], greater: Double, less: Double) throws {
        let found = try Self.test(baseline, candidate)
        expectClose(found.probabilityOfGreater, greater, relative: 1e-15)
        expectClose(found.probabilityOfLess, less, relative: 1e-15)
    }

    @Test func shiftsInDoublePrecision() throws {
        // 0.1 + 0.2 isn't 0.3: a sample shifted by .2 doesn't equal the baseline, and the sign gives the side.
        let added = try Self.test([0.3], [0.1], shift: -0.2)
        #expect(added.u == 1)
        #expect(try Self.test([0.5], [0.75], shift: 0.25).u == 0.5)
        #expect(try Self.test([-1e308], [-1e308], shift: 1e308).u == 0)
        #expect(throws: StatsError.self) { try Self.test([1], [1], shift: .nan) }
        #expect(throws: StatsError.self) { try Self.test([1], [1], shift: .infinity) }
    }

    @Test(arguments: [
        (1, 1, 0.5), (5, 5, 1.0 / 252), (10, 3, 1.0 / 286), (50, 25, 1.901554719349779e-20), (0, 7, 1.0),
        (3, 3, 0.05), (600, 600, 0),
    ])
    func smallestProbability(baseline: Int, candidate: Int, expected: Double) {
        let found = MannWhitney.smallestProbability(baseline: baseline, candidate: candidate)
        if (baseline, candidate) == (50, 25) {
            #expect(found < 1.91e-20 && found > 1.9e-20)
        } else if expected == 0 {
            #expect(found < 1e-300)
        } else {
            #expect(found == expected)
        }
    }
}
