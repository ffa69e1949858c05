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

    /// Of numbers in any order, with equal ones, and in orders that take many rounds.
    @Test(arguments: UInt64(1)...20)
    func theMiddleNumbersAreThoseOfTheSortedList(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for count in [1, 2, 3, 4, 5, 10, 31, 64, 501] {
            let drawn = (0..<count).map { _ in Double(Int.random(in: 0...count / 2 + 1, using: &generator)) - 2 }
            let (up, down) = (drawn.sorted(), Array(drawn.sorted().reversed()))
            let pipe = up.enumerated().sorted { ($0.0 % 2, $0.0) < ($1.0 % 2, $1.0) }.map(\.1)
            for values in [drawn, up, down, pipe, up + down, down + up] {
                let sorted = values.sorted()
                let found = try #require(values.middles)
                #expect(found == (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2]), "\(values)")
                #expect(values.middle == (try SortedSamples(values).median))
            }
        }
        #expect(([] as [Double]).middles == nil && [1, .nan, 2].middle == nil && [.nan, .nan].middles != nil)
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
