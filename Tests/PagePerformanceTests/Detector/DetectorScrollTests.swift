import Testing

@testable import PagePerformance

/// Scrolls with a begin and an end.
struct DetectorScrollTests {
    private static let late = TickStream.onTime(1) + [3 * TickStream.interval] + TickStream.onTime(1)

    @Test func aScrollEndsWithItsSums() throws {
        let detector = FrameDropDetector()
        #expect(detector.beginScroll() == 0)
        #expect(detector.scroll == 0)
        detector.feed(TickStream.ticks(Self.late))
        let record = try #require(detector.endScroll())
        #expect(detector.scroll == nil)
        #expect(record.number == 0)
        #expect(record.counting == .exact)
        #expect(record.pairs == 3)
        #expect(record.duration == Nanoseconds(5 * TickStream.interval))
        #expect(record.drops == DropCounts(worst: 2, total: 2, events: 1))
        #expect(record.hitch == Nanoseconds(2 * TickStream.interval))
        #expect(record.threadHang == Nanoseconds(2 * TickStream.interval))
    }

    @Test func publishedCountingKnowsNoHitch() throws {
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: .published))
        detector.resume()
        detector.beginScroll()
        detector.feed(TickStream.ticks(Self.late))
        let record = try #require(detector.endScroll())
        #expect(record.hitch == nil)
        #expect(record.drops == DropCounts(worst: 3, total: 3, events: 1))
        #expect(record.threadHang == Nanoseconds(2 * TickStream.interval))
    }

    @Test func aScrollWithoutADropIsMeasured() throws {
        let detector = FrameDropDetector()
        detector.beginScroll()
        detector.feed(TickStream.ticks(TickStream.onTime(3)))
        #expect(try #require(detector.endScroll()).drops == DropCounts())
    }

    @Test(arguments: FrameCounting.allCases, [0, 1])
    func aScrollWithoutAnIntervalIsNot(_ counting: FrameCounting, _ count: Int) {
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: counting))
        detector.resume()
        detector.feed(TickStream.ticks(TickStream.onTime(2)))
        detector.beginScroll()
        detector.feed(Array(TickStream.ticks(TickStream.onTime(1), from: 2_000_000_000).prefix(count)))
        #expect(detector.endScroll() == nil)
        #expect(detector.scroll == nil)
    }

    @Test func aScrollOfWhichNothingIsKnownIsNotZeroDrops() {
        let detector = FrameDropDetector()
        detector.beginScroll()
        detector.feed([1, 2, 3].map { FrameTick(timestamp: .seconds($0)) })
        #expect(detector.endScroll() == nil)
    }

    @Test func anEndWithoutABeginIsNothing() {
        let detector = FrameDropDetector()
        detector.feed(TickStream.ticks(Self.late))
        #expect(detector.endScroll() == nil)
        #expect(detector.counts.total == 2)
    }

    @Test func theNextScrollEndsTheOneBefore() {
        let records = KeptRecords()
        let detector = FrameDropDetector()
        detector.sink = records
        detector.beginScroll()
        detector.feed(TickStream.ticks(Self.late))
        #expect(detector.beginScroll() == 1)
        #expect(detector.counts == DropCounts())
        // Nearly 1 s after the last tick, which belongs to another scroll.
        detector.feed(TickStream.ticks(TickStream.onTime(2), from: 2_000_000_000))
        detector.endScroll()
        #expect(records.scrolls.map(\.number) == [0, 1])
        #expect(records.scrolls.map(\.drops.total) == [2, 0])
        #expect(records.drops.map(\.scroll) == [0])
    }

    @Test func scrollsAreNumberedOnFromTheOneGiven() {
        let detector = FrameDropDetector()
        #expect(detector.beginScroll(number: 7) == 7)
        #expect(detector.beginScroll() == 8)
        #expect(detector.beginScroll(number: .max) == .max)
        #expect(detector.beginScroll() == .max)
    }

    @Test func clearingWithinAScrollLeavesItsRecordAlone() throws {
        let detector = FrameDropDetector()
        detector.beginScroll()
        detector.feed(TickStream.ticks(Self.late))
        detector.clearFrameDropCount()
        detector.feed(TickStream.ticks(Self.late, from: 9_000_000_000))
        #expect(detector.counts == DropCounts(worst: 2, total: 2, events: 1))
        let record = try #require(detector.endScroll())
        #expect(record.drops == DropCounts(worst: 2, total: 4, events: 2))
        #expect(record.pairs == 6)
    }

    @Test(arguments: [(true, 2), (false, 0)])
    func ticksOutsideOfScrollsCountOnDemand(_ counts: Bool, _ total: Int) throws {
        let detector = FrameDropDetector(FrameDropDetector.Configuration(countsOutsideScrolls: counts))
        detector.feed(TickStream.ticks(Self.late))
        #expect(detector.counts.total == total)
        detector.beginScroll()
        detector.feed(TickStream.ticks(Self.late, from: 9_000_000_000))
        let record = try #require(detector.endScroll())
        #expect(record.drops.total == 2)
    }
}
