import Testing

@testable import PagePerformance

/// The same ticks, counted by both countings of dropped frames.
struct ScrollCounterTests {
    private static func counted(_ counting: FrameCounting, _ ticks: [FrameTick]) -> (frames: ScrollFrames, read: [Int])
    {
        var counter = ScrollCounter(counting: counting)
        let read = ticks.map { counter.advance(to: $0) }
        return (counter.frames, read)
    }

    @Test(
        arguments: [
            (interval: 16_666_667, exact: 0, published: 0), (16_900_000, 0, 0), (17_666_668, 1, 0), (24_999_999, 1, 0),
            (25_000_001, 1, 2), (33_300_000, 1, 2), (50_000_000, 2, 3), (1_000_000_000, 59, 60),
            (5_000_000_000, 299, 300),
        ] as [(interval: UInt64, exact: Int, published: Int)])
    func oneFrame(_ known: (interval: UInt64, exact: Int, published: Int)) {
        let ticks = TickStream.ticks([known.interval])
        #expect(Self.counted(.exact, ticks).read == [0, known.exact])
        #expect(Self.counted(.published, ticks).read == [0, known.published])
    }

    @Test func publishedReportsOneMoreThanWasDropped() {
        let ticks = TickStream.ticks([33_333_334, 16_666_667, 50_000_001, 16_666_667])
        let exact = Self.counted(.exact, ticks).frames
        let published = Self.counted(.published, ticks).frames
        #expect(exact.drops == DropCounts(worst: 2, total: 3, events: 2))
        #expect(published.drops == DropCounts(worst: 3, total: 5, events: 2))
        #expect(published.duration == exact.duration)
        #expect(published.hitch == .zero)
    }

    @Test func aSlowerRateOfAFastDisplayDropsFramesOnlyAsPublished() {
        let slow = (0..<5).map {
            TickStream.tick(1_000_000_000 + $0 * 16_666_666, expected: 16_666_666, duration: 8_333_333)
        }
        #expect(Self.counted(.exact, slow).frames.drops?.total == 0)
        #expect(Self.counted(.published, slow).read == [0, 2, 2, 2, 2])
    }

    @Test func aTickWithoutDurationLeavesThePublishedTimestampBehind() {
        var ticks = TickStream.ticks(TickStream.onTime(2))
        ticks[1].duration = .zero
        #expect(Self.counted(.published, ticks).read == [0, 0, 2])
        #expect(Self.counted(.exact, ticks).read == [0, 0, 0])
    }

    @Test func theFirstPublishedTickNeedsNoDuration() {
        var ticks = TickStream.ticks([50_000_000])
        ticks[0].duration = nil
        #expect(Self.counted(.published, ticks).read == [0, 3])
    }

    @Test func aTimestampOfZeroIsNoPublishedTick() {
        #expect(Self.counted(.published, TickStream.ticks([50_000_000, 50_000_000], from: 0)).read == [0, 0, 3])
        #expect(Self.counted(.exact, TickStream.ticks([50_000_000, 50_000_000], from: 0)).read == [0, 2, 2])
    }

    @Test func aBackwardClockDropsNothing() {
        let ticks = [900, 100, 117].map { TickStream.tick($0 * 1_000_000) }
        #expect(Self.counted(.exact, ticks).read == [0, 0, 0])
        #expect(Self.counted(.published, ticks).read == [0, 0, 0])
    }

    @Test(arguments: [(FrameCounting.exact, 0), (.published, 300)])
    func anInterruptionIsAGapOnlyAsPublished(_ counting: FrameCounting, _ dropped: Int) {
        var counter = ScrollCounter(counting: counting)
        _ = counter.advance(to: TickStream.tick(1_000_000_000))
        counter.interrupt()
        #expect(counter.advance(to: TickStream.tick(6_000_000_000)) == dropped)
    }

    @Test(arguments: FrameCounting.allCases)
    func becomingActiveIsNeverAGap(_ counting: FrameCounting) {
        var counter = ScrollCounter(counting: counting)
        _ = counter.advance(to: TickStream.tick(1_000_000_000))
        counter.reactivate()
        #expect(counter.advance(to: TickStream.tick(6_000_000_000)) == 0)
    }

    @Test(arguments: [(FrameCounting.exact, 0), (.published, 3)])
    func aScrollStartsItsSumsAnew(_ counting: FrameCounting, _ dropped: Int) {
        var counter = ScrollCounter(counting: counting)
        for tick in TickStream.ticks([50_000_000]) { _ = counter.advance(to: tick) }
        counter.beginScroll()
        #expect(counter.frames == ScrollFrames())
        #expect(counter.advance(to: TickStream.tick(1_100_000_000)) == dropped)
    }

    @Test(arguments: [(FrameCounting.exact, 1, 1), (.exact, 0, 0), (.published, 3, 2), (.published, 0, 0)])
    func reportedFramesAreConverted(_ counting: FrameCounting, _ reported: Int, _ dropped: Int) {
        #expect(counting.dropped(reported: reported) == dropped)
    }
}
