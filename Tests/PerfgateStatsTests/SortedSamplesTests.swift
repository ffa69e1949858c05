import Testing
import SeededRandom

@testable import PerfgateStats

/// The smallest number above 0.
private let tiny = Double.leastNonzeroMagnitude

struct SortedSamplesTests {
    @Test(
        arguments: [
            ([], nil, nil, nil, nil), ([3], 3, 3, 3, 3), ([4, 1], 1, 4, 2.5, 2.5), ([9, 1, 2], 2, 2, 2, 4),
            ([1.7e308, 1.7e308], 1.7e308, 1.7e308, 1.7e308, 1.7e308), ([-1.7e308, 1.7e308], -1.7e308, 1.7e308, 0, 0),
            ([1e16, 1, -1e16], 1, 1, 1, 1.0 / 3), ([tiny, tiny], tiny, tiny, tiny, tiny),
        ] as [([Double], Double?, Double?, Double?, Double?)])
    func centres(values: [Double], lower: Double?, upper: Double?, median: Double?, mean: Double?) throws {
        let samples = try SortedSamples(values)
        #expect(samples.lowerMedian == lower)
        #expect(samples.upperMedian == upper)
        #expect(samples.median == median)
        #expect(samples.centre(.median) == median)
        #expect(samples.centre(.mean) == mean)
    }

    @Test(arguments: UInt64(1)...20)
    func shufflingChangesNoBit(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let values = (0..<40).map { _ in Double.random(in: -1...1, using: &generator) } + [0.0, -0.0]
        let (one, other) = (try SortedSamples(values), try SortedSamples(values.shuffled(using: &generator)))
        #expect(one.mean?.bitPattern == other.mean?.bitPattern, "seed \(seed)")
        #expect(one.values.map(\.bitPattern) == other.values.map(\.bitPattern), "seed \(seed)")
    }

    @Test func turnsSigns() throws {
        #expect(try SortedSamples([3, 0, -1]).negated == SortedSamples([1, 0, -3]))
        #expect(try SortedSamples([0]).negated.values[0].sign == .plus)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func refusesWhatIsNotFinite(value: Double) {
        #expect(throws: StatsError.notFinite(position: 2)) { try SortedSamples([1, 2, value, .nan]) }
    }

    @Test func errorsSayWhatToDo() {
        let errors: [StatsError] = [
            .notFinite(position: 2), .noSamples(side: .baseline),
            .outOfRange(setting: "the shift", allowed: "a number"),
            .tooLarge(size: 9, limit: 4),
        ]
        let wording = errors.map(\.description)
        #expect(wording[0].contains("position 2") && wording[1].hasPrefix("the baseline has no samples"))
        #expect(wording[2] == "the shift is out of range; give a number")
        #expect(wording.allSatisfy { $0.contains("; ") && !$0.hasSuffix(".") })
    }
}
