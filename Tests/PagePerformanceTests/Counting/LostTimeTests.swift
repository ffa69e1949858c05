import Testing

@testable import PagePerformance

/// The duration of dropped frames, which limits at 60 Hz are compared with.
struct LostTimeTests {
    /// (expected, stayed) in ms; the time lost in ms.
    @Test(
        arguments: [
            (16.6667, 33.3333, 16.6667), (16.6667, 50, 33.3333), (8.3333, 25, 16.6667), (11.1111, 33.3333, 22.2222),
            // For fractions of an interval, the counted frames.
            (16.6667, 43, 33.3333), (16.6667, 18.5, 16.6667), (8.3333, 10, 8.3333),
            // If a frame was meant to stay longer, at most its lateness.
            (33.3333, 50, 16.6667), (33.3333, 50.2, 16.6667), (33.3333, 66.6667, 33.3333), (20.8333, 29.1667, 16.6667),
            (100, 108.3333, 16.6667), (100, 300, 200), (25, 41.6667, 16.6667), (20.8333, 62.5, 41.6667),
            (16.6667, 17.5, 0), (100, 100.9, 0),
        ] as [(Double, Double, Double)])
    func droppedFramesTakeTime(_ known: (Double, Double, Double)) throws {
        func nanoseconds(_ milliseconds: Double) -> UInt64 { UInt64((milliseconds * 1_000_000).rounded()) }
        let first = TickStream.tick(1_000, expected: nanoseconds(known.0))
        let second = TickStream.tick(1_000 + nanoseconds(known.1))
        let lost = try #require(FramePair(from: first, to: second)).lost
        #expect(abs(Milliseconds(lost).value - known.2) < 0.001, "\(known)")
    }

    private static func scroll(_ intervals: [UInt64], expected: UInt64) -> ScrollFrames {
        var segment = FrameSegment()
        var frames = ScrollFrames()
        var now: UInt64 = 1_000_000
        for interval in [0] + intervals {
            now += interval
            frames.add(segment.advance(to: TickStream.tick(now, expected: expected)))
        }
        return frames
    }

    @Test func anIterationHasTheTimeOfItsScrolls() throws {
        var scrolls = IterationScrolls()
        scrolls.add(Self.scroll([33_333_334, 50_000_001], expected: 16_666_667))
        scrolls.add(Self.scroll([16_666_666, 33_333_332], expected: 8_333_333))
        #expect(scrolls.value(of: .droppedFrames) == 3 && scrolls.value(of: .droppedFramesTotal) == 7)
        for (metric, expected) in [
            (FrameMetric.droppedFrames, 2.0), (.droppedFramesTotal, 5), (.droppedFramesScroll, 3),
        ] {
            let frames = try #require(scrolls.framesAtSixtyHertz(of: metric))
            #expect(abs(frames - expected) < 1e-5, "\(metric)")
        }
        #expect(scrolls.framesAtSixtyHertz(of: .dropEvents) == nil)
        scrolls.add(DropCounts(worst: 1, total: 1, events: 1))
        #expect(scrolls.framesAtSixtyHertz(of: .droppedFrames) == nil)
    }

    @Test func publishedCountingKnowsNoTime() {
        var counter = ScrollCounter(counting: .published)
        for tick in TickStream.ticks([16_666_667, 50_000_001]) { _ = counter.advance(to: tick) }
        var scrolls = IterationScrolls()
        scrolls.add(counter.frames)
        #expect(scrolls.droppedFrames == 3 && scrolls.framesAtSixtyHertz(of: .droppedFrames) == nil)
    }
}
