import Testing
import SeededRandom

@testable import VerdictStudy

/// Random numbers have the moments of their distributions; with fixed seeds this never fails by chance.
struct DrawTests {
    static let count = 40_000

    static func moments(seed: UInt64, _ draw: (inout SeededGenerator) -> Double) -> (mean: Double, variance: Double) {
        var generator = SeededGenerator(seed: seed)
        let values = (0..<count).map { _ in draw(&generator) }
        return (values.mean, values.deviation * values.deviation)
    }

    /// S. Vigna's reference values of SplitMix64 for the seed 1234567.
    @Test func isSplitMix() {
        var generator = SeededGenerator(seed: 1_234_567)
        #expect(generator.next() == 6_457_827_717_110_365_317)
        #expect(generator.next() == 3_203_168_211_198_807_973)
        #expect(generator.next() == 9_817_491_932_198_370_423)
    }

    @Test func streamsDiffer() {
        let first = (UInt64(0)..<200).map { stream -> UInt64 in
            var generator = SeededGenerator(seed: 7, stream: stream)
            return generator.next()
        }
        #expect(Set(first).count == first.count)
        var again = SeededGenerator(seed: 7, stream: 3)
        #expect(again.next() == first[3])
    }

    @Test func normalNumbers() {
        let (mean, variance) = Self.moments(seed: 1) { $0.normal() }
        #expect(abs(mean) < 0.02 && abs(variance - 1) < 0.03)
    }

    @Test(arguments: [0.3, 2, 9])
    func poissonNumbers(mean expected: Double) {
        let (mean, variance) = Self.moments(seed: 2) { Double($0.poisson(expected)) }
        #expect(abs(mean / expected - 1) < 0.03 && abs(variance / expected - 1) < 0.05)
    }

    @Test(arguments: [0.5, 1, 4])
    func gammaNumbers(shape: Double) {
        let (mean, variance) = Self.moments(seed: 3) { $0.gamma(shape: shape) }
        #expect(abs(mean - 1) < 0.03 && abs(variance * shape - 1) < 0.06)
    }

    @Test func negativeBinomialNumbers() {
        let (mean, variance) = Self.moments(seed: 4) { Double($0.negativeBinomial(mean: 2, shape: 4)) }
        #expect(abs(mean - 2) < 0.04 && abs(variance - 3) < 0.1)
    }

    @Test func ranges() {
        var generator = SeededGenerator(seed: 5)
        let values = (0..<1_000).map { _ in (generator.uniform(2...4), generator.logUniform(10...1_000)) }
        #expect(values.allSatisfy { (2...4).contains($0.0) && (9.99...1_001).contains($0.1) })
        #expect(abs(values.map(\.0).mean - 3) < 0.05)
        #expect(abs((values.map(\.1).median ?? 0) / 100 - 1) < 0.2)
    }
}
