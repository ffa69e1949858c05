import PagePerformance
import Testing

@testable import PerfgateIngest

/// The visits and values that are kept.
struct VisitTableTests {
    static func id(_ text: String) -> ContentHash {
        Array(text.utf8).withUnsafeBytes { ContentHash(of: $0) }
    }

    /// The values of the remaining visits, in the order of their starts.
    static func values(_ table: VisitTable) -> [[Double]] {
        (0..<table.visits.count).map { index in
            let visit = table.visits[index]
            return visit.range.map { table.samples[visit.place.block].values[$0] }
        }
    }

    @Test func visitsWithoutAnIdentifierStandBetweenOthers() {
        var table = VisitTable()
        for (id, value) in [("a", 1.0), (nil, 2), ("b", 3), (nil, 4), ("b", 5), ("a", 6)] as [(String?, Double)] {
            let start = table.samples.begin()
            table.samples.append(0, value)
            table.add(
                id: id.map(Self.id), iteration: 0, seconds: 0, ending: VisitEnding(PageVisit(), saysOutcome: true),
                samplesFrom: start)
        }
        #expect(Self.values(table) == [[6], [2], [5], [4]])
    }

    @Test func aVisitReportedAgainAndAgainTakesNoMemory() {
        var table = VisitTable()
        for round in 0..<20_000 {
            let start = table.samples.begin()
            for value in 0..<(round % 4) { table.samples.append(0, Double(value)) }
            table.add(
                id: Self.id("v\(round % 7)"), iteration: 0, seconds: 0,
                ending: VisitEnding(PageVisit(), saysOutcome: true), samplesFrom: start)
        }
        #expect(table.samples.count < 10_000)
        let last = (19_993..<20_000).sorted { $0 % 7 < $1 % 7 }.map { round in (0..<(round % 4)).map(Double.init) }
        #expect(Self.values(table) == last)
    }

    @Test func manyVisitsKeepTheirPlaces() {
        var table = VisitTable()
        for value in 0..<5_000 {
            let start = table.samples.begin()
            table.samples.append(0, Double(value))
            table.add(
                id: Self.id("v\(value % 2_500)"), iteration: 0, seconds: 0,
                ending: VisitEnding(PageVisit(), saysOutcome: true), samplesFrom: start)
        }
        #expect(Self.values(table) == (2_500..<5_000).map { [Double($0)] })
    }
}
