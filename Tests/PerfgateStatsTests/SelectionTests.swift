import SeededRandom
import Testing

@testable import PerfgateStats

/// Values by rank equal those of sorting.
struct SelectionTests {
    @Test(arguments: UInt64(1)...40)
    func agreesWithSorting(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let kinds = [1, 3, 40, 1_000_000][Int(seed % 4)]
        let values = generator.sample(1...1_500, kinds: kinds)
        let places = (0..<Int.random(in: 1...7, using: &generator)).map { _ in
            Int.random(in: values.indices, using: &generator)
        }
        var settled = values
        Selection.settle(places, in: &settled)
        let sorted = values.sorted()
        #expect(places.map { settled[$0] } == places.map { sorted[$0] }, "seed \(seed), places \(places)")
        #expect(settled.sorted() == sorted, "seed \(seed)")
    }

    /// Orders that are hard for a pivot: ascending, descending, a tent, and rows of a sorted matrix.
    @Test func agreesWithSortingWhereValuesAreInOrder() {
        let orders: [(Int) -> Double] = [
            { Double($0) }, { -Double($0) }, { -Double(abs($0 - 500)) }, { Double($0 % 50 - $0 / 50) },
        ]
        for order in orders {
            var values = (0..<1_000).map(order)
            let sorted = values.sorted()
            Selection.settle([0, 24, 499, 500, 999], in: &values)
            #expect([0, 24, 499, 500, 999].map { values[$0] } == [0, 24, 499, 500, 999].map { sorted[$0] })
        }
    }

    @Test(arguments: UInt64(1)...20)
    func aMedianIsThatOfTheSortedSamples(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for count in [1, 2, 3, 4, 5, 10, 15, 16, 17, 18, 31, 64, 501] {
            let drawn = (0..<count).map { _ in Double(Int.random(in: 0...count / 2 + 1, using: &generator)) - 2 }
            let (up, down) = (drawn.sorted(), Array(drawn.sorted().reversed()))
            let pipe = up.enumerated().sorted { ($0.0 % 2, $0.0) < ($1.0 % 2, $1.0) }.map(\.1)
            for values in [drawn, up, down, pipe, up + down, down + up, drawn.map { -0.0 * $0 }] {
                #expect(values.median?.bitPattern == (try SortedSamples(values).median?.bitPattern), "\(values)")
            }
        }
        #expect(([] as [Double]).median == nil && [1, .nan, 2].median == nil && [1, .infinity].median == nil)
    }

    @Test func nothingAskedForChangesNothing() {
        var values = [3.0, 1, 2]
        Selection.settle([], in: &values)
        #expect(values == [3, 1, 2])
    }
}
