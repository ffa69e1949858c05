import PagePerformance
import Testing

@testable import PerfgateIngest

/// The visits and values that are kept.
struct VisitTableTests {
    static func id(_ text: String) -> ContentHash {
        Array(text.utf8).withUnsafeBytes { ContentHash(of: $0) }
    }

    static func visit(_ id: ContentHash?, at start: Int, count: Int) -> VisitTable.Visit {
        VisitTable.Visit(
            id: id, iteration: 0, place: SampleBlocks.Place(block: 0, start: Int32(start)), count: Int32(count),
            ending: VisitEnding(PageVisit(), saysOutcome: true), seconds: 0)
    }

    /// Adds a visit with some values, which replaces the one with the same identifier.
    static func add(_ id: ContentHash?, _ values: [Double], to table: inout VisitTable) {
        var columns = SampleColumns()
        for value in values { columns.append(0, value) }
        table.add([visit(id, at: 0, count: values.count)], of: columns)
    }

    /// The values of the remaining visits, in the order of their starts.
    static func values(_ table: VisitTable) -> [[Double]] {
        (0..<table.visits.count).map { index in
            let visit = table.visits[index]
            return visit.range.map { table.samples[visit.place.block].values[$0] }
        }
    }

    @Test func visitsOfOneChunkMayReplaceMostOfWhatWasKept() {
        var table = VisitTable()
        for round in 0..<4 {
            var columns = SampleColumns()
            for value in 6_000 * round..<6_000 * (round + 1) { columns.append(0, Double(value)) }
            table.add((0..<3_000).map { Self.visit(Self.id("v\($0)"), at: 2 * $0, count: 2) }, of: columns)
        }
        #expect(Self.values(table) == stride(from: 18_000.0, to: 24_000, by: 2).map { [$0, $0 + 1] })
        #expect(table.samples.count < 18_000)
    }

    @Test func visitsWithoutAnIdentifierStandBetweenOthers() {
        var table = VisitTable()
        for (id, value) in [("a", 1.0), (nil, 2), ("b", 3), (nil, 4), ("b", 5), ("a", 6)] as [(String?, Double)] {
            Self.add(id.map(Self.id), [value], to: &table)
        }
        #expect(Self.values(table) == [[6], [2], [5], [4]])
    }

    @Test func aVisitReportedAgainAndAgainTakesNoMemory() {
        var table = VisitTable()
        for round in 0..<20_000 {
            Self.add(Self.id("v\(round % 7)"), (0..<(round % 4)).map(Double.init), to: &table)
        }
        #expect(table.samples.count < 10_000)
        let last = (19_993..<20_000).sorted { $0 % 7 < $1 % 7 }.map { round in (0..<(round % 4)).map(Double.init) }
        #expect(Self.values(table) == last)
    }

    @Test func manyVisitsKeepTheirPlaces() {
        var table = VisitTable()
        for value in 0..<5_000 {
            Self.add(Self.id("v\(value % 2_500)"), [Double(value)], to: &table)
        }
        #expect(Self.values(table) == (2_500..<5_000).map { [Double($0)] })
    }
}
