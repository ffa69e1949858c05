import PerfgateModel
import SeededRandom
import Testing

@testable import PerfgateIngest

/// How samples are stored and sorted.
struct SampleListTests {
    @Test func aListGivesTheSamplesItWasMadeOf() {
        let samples = [
            Sample(3, iteration: 0), Sample(5, iteration: 0), Sample(1, iteration: 4, framesAtSixtyHertz: 2),
            Sample(1, iteration: 0),
        ]
        var list = SampleList(samples)
        #expect(Array(list) == samples && Array(list.values) == [3, 5, 1, 1])
        #expect(SampleList().isEmpty && SampleList() == [])
        list.removeAll { $0.iteration == 4 }
        // Equal samples make equal lists, in any order of arrival.
        #expect(list == SampleList([samples[0], samples[1], samples[3]]))
    }

    @Test func slicesOfSeveralIterationsAreTheirSamples() {
        let values: [Double] = [9, 1, 2, 3, 4, 9]
        var list: SampleList = [Sample(7, iteration: 1)]
        list.append(values[1..<5], [(iteration: 1, count: 2), (iteration: 2, count: 0), (iteration: 3, count: 2)])
        #expect(list.map(\.value) == [7, 1, 2, 3, 4] && list.map(\.iteration) == [1, 1, 1, 3, 3])
        list = []
        list.append(values[1..<5], [(iteration: 5, count: 4)])
        #expect(list == SampleList([1, 2, 3, 4].map { Sample($0, iteration: 5) }))
    }

    /// Values that differ in their first bits, their last bits, their sign, or not at all.
    @Test(arguments: 0..<6) func valuesOfAGroupAreSorted(kind: Int) {
        var generator = SeededGenerator(seed: UInt64(kind))
        let values = (0..<3_000).map { index -> Double in
            switch kind {
            case 0: Double(Int.random(in: 0..<20_000, using: &generator)) / 10
            case 1: Double.random(in: -1e300...1e300, using: &generator)
            case 2: Double(bitPattern: 0x4000_0000_0000_0000 + UInt64.random(in: 0..<5_000, using: &generator))
            case 3: [0.0, -0.0, 5, -5, .leastNonzeroMagnitude, .infinity, .nan].randomElement(using: &generator)!
            case 4: Double(3_000 - index)
            default: 7
            }
        }
        var grouped = GroupedValues(iterations: 1, metrics: 1)
        for value in values { grouped.count(value, in: grouped.number(iteration: 0, metric: 0)) }
        let keys = [IterationTable.Key(place: IterationTable.Place(page: 0, environment: 0), iteration: 0)]
        grouped.arrange(keys)
        grouped.put { put in for value in values { put(value, 0) } }
        let cells = grouped.cells(keys)
        #expect(Array(cells[0].values) == values.filter(\.isFinite).sorted())
        #expect(cells[0].hasInfinite == (kind == 3))
    }

    /// Too many iterations and metrics for a table of both.
    @Test func groupsAreFoundWithoutATable() {
        var grouped = GroupedValues(iterations: 3_000, metrics: 3_000)
        let keys = (0..<3_000).map {
            IterationTable.Key(place: IterationTable.Place(page: Int32($0 % 7), environment: 0), iteration: $0)
        }
        func forEach(_ body: (Double, Int32, Int32) -> Void) {
            for value in 0..<9_000 { body(Double(value), Int32(value % 3_000), Int32(value % 3)) }
        }
        forEach { value, iteration, metric in
            grouped.count(value, in: grouped.number(iteration: iteration, metric: metric))
        }
        grouped.arrange(keys)
        let known = grouped
        grouped.put { put in forEach { put($0, known.known(iteration: $1, metric: $2)) } }
        let cells = grouped.cells(keys)
        #expect(cells.count == 21 && cells.allSatisfy { $0.iterations.map(\.count).reduce(0, +) == $0.values.count })
        for cell in cells {
            #expect(cell.values.allSatisfy { Int32($0) % 3 == cell.metric && Int32($0) % 3_000 % 7 == cell.place.page })
            #expect(cell.iterations.map(\.iteration) == cell.iterations.map(\.iteration).sorted())
        }
    }
}
