import SeededRandom
import Testing

@testable import PerfgateStats

/// The effects that a single larger candidate sample can and can't have among equal values.
struct MonotonyTests {
    private struct Change {
        let before, after: MannWhitney
        let sizes: (before: [Int], after: [Int])
    }

    /// A random candidate with one raised sample, against a random baseline.
    private static func change(_ generator: inout SeededGenerator) throws -> Change {
        let kinds = Int.random(in: 2...24, using: &generator)
        let (b, c) = (generator.sample(1...20, kinds: kinds), generator.sample(1...12, kinds: kinds))
        var raised = c
        raised[Int.random(in: c.indices, using: &generator)] += Double(Int.random(in: 1...kinds, using: &generator))
        let sides = (try SortedSamples(b), try SortedSamples(c), try SortedSamples(raised))
        return Change(
            before: try MannWhitney(baseline: sides.0, candidate: sides.1),
            after: try MannWhitney(baseline: sides.0, candidate: sides.2),
            sizes: (
                TiePattern(baseline: sides.0, candidate: sides.1, shift: 0).sizes,
                TiePattern(baseline: sides.0, candidate: sides.2, shift: 0).sizes
            ))
    }

    @Test(arguments: UInt64(1)...20)
    func uNeverFalls(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let change = try Self.change(&generator)
            #expect(change.after.u >= change.before.u, "seed \(seed)")
        }
    }

    /// In one distribution, a larger U has a smaller tail.
    @Test func chancesFallWhereTheTiesStayAsTheyAre() throws {
        var generator = SeededGenerator(seed: 7)
        var (kept, tied) = (0, 0)
        for _ in 0..<3_000 {
            let change = try Self.change(&generator)
            guard change.sizes.before == change.sizes.after else { continue }
            kept += 1
            tied += change.sizes.before.contains { $0 > 1 } ? 1 : 0
            #expect(change.after.probabilityOfGreater <= change.before.probabilityOfGreater * (1 + 1e-12))
            #expect(change.after.probabilityOfLess >= change.before.probabilityOfLess * (1 - 1e-12))
        }
        #expect(kept > 200 && tied > 100, "\(kept) kept their ties, \(tied) have some")
    }

    /// Changed ties change the distribution: of the 20 divisions six had U = 5½, those with one of the two 2s; without
    /// the tie three of them have 6, equal to the measured value.
    @Test func aGreaterSampleThatBreaksATieCanLookMoreLikeChance() throws {
        let baseline = try SortedSamples([1, 1, 1])
        let before = try MannWhitney(baseline: baseline, candidate: SortedSamples([0, 2, 2]))
        let after = try MannWhitney(baseline: baseline, candidate: SortedSamples([0, 2, 3]))
        #expect(before.u == 6 && after.u == 6)
        expectClose(before.probabilityOfGreater, 1.0 / 5, relative: 1e-14)
        expectClose(after.probabilityOfGreater, 7.0 / 20, relative: 1e-14)
    }
}
