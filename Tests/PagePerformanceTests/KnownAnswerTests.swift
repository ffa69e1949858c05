import Testing

@testable import PagePerformance

/// Results known from published measurements, or computed by hand.
struct KnownAnswerTests {
    private static let frame: UInt64 = 16_666_667

    private static func scroll(_ timestamps: [UInt64]) -> ScrollFrames {
        var segment = FrameSegment()
        var frames = ScrollFrames()
        for timestamp in timestamps {
            frames.add(segment.advance(to: tick(timestamp)))
        }
        return frames
    }

    private static func tick(_ timestamp: UInt64) -> FrameTick {
        FrameTick(timestamp: Nanoseconds(timestamp), duration: Nanoseconds(frame))
    }

    @Test(arguments: [
        (hitch: 66_282_582, duration: 2_426_460_000, ratio: 27.316577),
        (hitch: 99_541_124, duration: 2_420_826_000, ratio: 41.118661),
    ])
    func hitchTimeRatio(_ known: (hitch: UInt64, duration: UInt64, ratio: Double)) throws {
        let ratio = try #require(
            FrameRates.hitchRatio(hitch: Nanoseconds(known.hitch), duration: Nanoseconds(known.duration)))
        #expect(abs(ratio - known.ratio) < 5e-7)
    }

    @Test func oneIntervalOfTwoFramesDropsOne() {
        #expect(Self.scroll([0, 33_300_000]).drops?.worst == 1)
    }

    @Test func oneIntervalOfThreeFramesDropsTwoAndHangsTheThread() throws {
        let frames = Self.scroll([0, 50_000_000])
        #expect(frames.drops?.worst == 2)
        #expect(frames.drops?.events == 1)
        #expect(abs(Milliseconds(frames.threadHang).value - 33.333333) < 1e-6)
    }

    @Test func aStallOfOneSecondInTenIsAHangRateOf360() throws {
        var segment = FrameSegment()
        var screen = ScreenFrames()
        var timestamp: UInt64 = 0
        screen.add(segment.advance(to: Self.tick(0)))
        for step in [UInt64](repeating: 10_000_000, count: 900) + [1_000_000_000] {
            timestamp += step
            screen.add(segment.advance(to: Self.tick(timestamp)))
        }
        let rate = try #require(screen.hangRate)
        #expect(abs(rate - 360) < 1e-9)
    }

    @Test func aSlowerRefreshRateDropsNothing() {
        var segment = FrameSegment()
        var frames = ScrollFrames()
        for index in 0..<100 {
            let timestamp = UInt64(index) * 100_000_000
            frames.add(
                segment.advance(
                    to: FrameTick(
                        timestamp: Nanoseconds(timestamp), target: Nanoseconds(timestamp + 100_000_000),
                        duration: Nanoseconds(8_333_333))))
        }
        #expect(frames.drops?.total == 0)
        #expect(frames.hitch == Nanoseconds(0))
    }

    @Test func aBackwardClockStartsANewSegment() {
        let frames = Self.scroll([1_000_000_000, 1_016_666_667, 0, 16_666_667])
        #expect(frames.pairs == 2)
        #expect(frames.drops?.total == 0)
    }
}
