import Testing
import SeededRandom

@testable import PerfgateStats

/// Above 5,000 pairs; another algorithm computed the chances by exact enumeration in big integers.
struct LargeSampleTests {
    /// b = 0, 10, 20 …; c has as many values over the same range, shifted, and never equal to a b.
    @Test(arguments: [
        (100, 100, 150.0, 6430.0, 0.00021753673278545663), (120, 45, 250, 3684, 0.00013358692154396027),
    ])
    func countsStillExactly(nb: Int, nc: Int, move: Double, u: Double, expected: Double) throws {
        let b = (0..<nb).map { Double(10 * $0) }
        let c = (0..<nc).map { index -> Double in
            let place = 10.0 * Double(index) * Double(nb) / Double(nc) + move
            return (place + 0.5).rounded(.down) + 0.5
        }
        let test = try MannWhitneyTests.test(b, c)
        #expect(test.u == u)
        expectClose(test.probabilityOfGreater, expected, "p")
    }

    /// The number of divisions is beyond the range of `Double`: 1260 zeros, 100 ones and 40 twos.
    @Test(arguments: [([594, 75, 31], 540_500, 3.290979597098287e-11), ([618, 58, 24], 506_880, 0.01638458511767463)])
    func countsWhatOverflows(taken: [Int], doubledU: Int, expected: Double) throws {
        let groups = [1260, 100, 40]
        let c = zip(0..., taken).flatMap { Array(repeating: Double($0), count: $1) }
        let b = zip(0..., zip(groups, taken)).flatMap { Array(repeating: Double($0), count: $1.0 - $1.1) }
        let test = try MannWhitneyTests.test(b, c)
        #expect(test.u * 2 == Double(doubledU))
        expectClose(test.probabilityOfGreater, expected, "p")
    }

    @Test func approximatesWhatIsTooMuchToCount() throws {
        let sizes = Array(repeating: 1, count: 600)
        let question = NullCounts(groups: sizes, chosen: 300, limit: 2 * 35_500)
        #expect(question.counts(NullCounts.Effort(cells: 1 << 20, additions: 1_000)) == nil)
        let tail = SaddlepointTail(sizes: sizes, chosen: 300)
        expectClose(tail.upper(2 * 54_500), 3.498234337219573e-06, relative: 1e-3, "p")
    }

    /// Within 1 % for every chance from 1e-9 to ½, for distinct values and for a few values per tie.
    @Test(arguments: [1, 4])
    func approximatesWithinAPercent(tie: Int) throws {
        let sizes = Array(repeating: tie, count: 144 / tie)
        let question = NullCounts(groups: sizes, chosen: 72, limit: 72 * 72)
        let counts = try #require(question.counts(.unlimited))
        let tail = SaddlepointTail(sizes: sizes, chosen: 72)
        var (below, compared) = (0.0, 0)
        for (index, count) in counts.enumerated() where count > 0 {
            below += count
            let exact = below / question.all
            guard exact > 1e-9, index % 50 == 0 else { continue }
            compared += 1
            expectClose(tail.upper(2 * 72 * 72 - index * question.step), exact, relative: 0.01, "at \(index)")
        }
        #expect(compared > 10)
    }

    /// [step, lowest, highest], computed by hand.
    @Test(arguments: [
        ([1, 1, 1], 1, [2, 0, 4]), ([4, 4, 4], 4, [8, 0, 64]), ([3, 5], 4, [8, 4, 28]), ([6], 2, [1, 8, 8]),
    ])
    func latticeOfU(sizes: [Int], chosen: Int, expected: [Int]) {
        let lattice = Lattice(sizes: sizes, chosen: chosen)
        #expect([lattice.step, lattice.lowest, lattice.highest] == expected)
        #expect(lattice.next(from: lattice.lowest) == lattice.lowest)
        #expect(lattice.next(from: lattice.lowest + 1) == lattice.lowest + lattice.step)
    }

    /// For binary samples every second value is impossible, and the chances are hypergeometric; here the whole lattice
    /// has few values.
    @Test func approximatesTwoValues() throws {
        let question = NullCounts(groups: [100, 900], chosen: 200, limit: 200 * 800)
        let counts = try #require(question.counts(.unlimited))
        let tail = SaddlepointTail(sizes: [900, 100], chosen: 200)
        let exact = counts.prefix(140_001).reduce(0, +) / question.all
        expectClose(tail.upper(2 * 200 * 800 - 140_000), exact, relative: 0.01, "p")
    }

    @Test func approximatesBothEnds() {
        let tail = SaddlepointTail(sizes: Array(repeating: 2, count: 200), chosen: 150)
        #expect(tail.upper(0) > 0.999_999)
        #expect(tail.upper(2 * 150 * 250) < 1e-80)
        expectClose(tail.upper(150 * 250), 0.5, relative: 1e-3)
    }

    @Test(arguments: UInt64(1)...10)
    func scaledCountsAreTheSameShares(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let n = Int.random(in: 1...40, using: &generator)
        let chosen = Int.random(in: 0...n, using: &generator)
        let share = Double.random(in: 0.1...0.9, using: &generator)
        let scaled = Binomial.chances(n, upTo: n, share: share)
        expectClose(scaled.reduce(0, +), 1, relative: 1e-12, "seed \(seed)")
        let factor = scaled[0] * (0..<chosen).reduce(1.0) { product, _ in product * share / (1 - share) }
        expectClose(scaled[chosen], Binomial.coefficient(n, chosen) * factor, relative: 1e-11, "seed \(seed)")
    }
}
