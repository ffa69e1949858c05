import Testing
import SeededRandom

@testable import PagePerformance

struct ScoreCurveTests {
    /// Values of Φ from tables of the normal distribution.
    @Test(arguments: [
        (0, 0.5), (1, 0.841_344_746_068_542_9), (1.96, 0.975_002_104_851_779_5), (-3, 0.001_349_898_031_630_094_6),
        (-8, 6.220_960_574_271_785e-16), (-.infinity, 0), (.infinity, 1),
    ])
    func normalDistribution(_ x: Double, _ expected: Double) {
        #expect(abs(ScoreCurve.normalShare(below: x) - expected) <= 1e-14 * expected)
    }

    @Test(arguments: [(2_500, 0.982), (5_000, 0.770), (7_500, 0.479), (10_000, 0.270)])
    func knownShares(_ value: Double, _ expected: Double) throws {
        let curve = try ScoreCurve(p10: 3_785, median: 7_300)
        #expect(abs(curve.share(of: value) - expected) < 5e-4)
    }

    @Test func sigmaIsThatOfTheDefinition() throws {
        // ln(median / p10) / 1.281552 and ln(poor / good) / 0.524401.
        #expect(abs(try ScoreCurve(p10: 3_785, median: 7_300).sigma / 0.512525798 - 1) < 2e-6)
        #expect(abs(try ScoreCurve(good: 300, poor: 1_000).sigma / 2.295901046 - 1) < 2e-6)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func controlPointsAreExact(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let better = Double.random(in: 0.001...100_000, using: &generator)
        let worse = better * Double.random(in: 1.001...1_000, using: &generator)
        let tenth = try ScoreCurve(p10: better, median: worse)
        #expect(abs(tenth.share(of: better) - 0.9) < 1e-12, "seed \(seed)")
        #expect(tenth.share(of: worse) == 0.5, "seed \(seed)")
        let bands = try ScoreCurve(good: better, poor: worse)
        #expect(abs(bands.share(of: better) - 0.7) < 1e-12, "seed \(seed)")
        #expect(bands.share(of: worse) == 0.5, "seed \(seed)")
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func sharesFallFromOneToZero(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let better = Double.random(in: 0.001...100_000, using: &generator)
        let curve = try ScoreCurve(good: better, poor: better * Double.random(in: 1.001...1_000, using: &generator))
        let values = (0..<100).map { _ in curve.median * Double.random(in: 0...20, using: &generator) }.sorted()
        let shares = ([0] + values + [.greatestFiniteMagnitude]).map(curve.share(of:))
        #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 >= $1 }, "seed \(seed)")
        #expect(shares.allSatisfy { (0...1).contains($0) }, "seed \(seed)")
        let near = [0.25, 0.5, 1, 2].map { curve.share(of: $0 * curve.median) }
        #expect(near[1] > near[2] && near[2] > near[3], "seed \(seed)")
    }

    @Test func edges() throws {
        let curve = try ScoreCurve(good: 300, poor: 1_000)
        #expect([-1, 0, .leastNonzeroMagnitude].map(curve.share(of:)) == [1, 1, 1])
        #expect(curve.share(of: .infinity) == 0)
        #expect(curve.share(of: .nan).isNaN)
    }

    @Test(
        arguments: [
            (0, 1), (-1, 1), (2, 1), (1, 1), (.nan, 1), (1, .nan), (1, .infinity), (.infinity, .infinity),
            (.leastNonzeroMagnitude, .greatestFiniteMagnitude),
        ] as [(Double, Double)])
    func pointsOutOfOrderGiveNoCurve(_ better: Double, _ worse: Double) {
        #expect(throws: ScoreError.self) { try ScoreCurve(good: better, poor: worse) }
        #expect(throws: ScoreError.self) { try ScoreCurve(p10: better, median: worse) }
    }
}
