import Testing

@testable import PagePerformance

struct PublishedThreadHangTests {
    @Test(
        arguments: [
            (interval: 16_666_667, fps: 60, iOS: 0, android: 0),
            (33_333_333, 60, 0, 0),
            (33_333_334, 60, 16_666_667, 1),
            (50_000_000, 60, 33_333_333, 16_666_667),
            (50_000_000, 120, 41_666_667, 33_333_333),
            (200_000_000, 10, 100_000_000, 0),
            (200_000_001, 10, 100_000_001, 1),
            (0, 60, 0, 0),
        ] as [(interval: UInt64, fps: Int, iOS: UInt64, android: UInt64)])
    func knownFrames(_ known: (interval: UInt64, fps: Int, iOS: UInt64, android: UInt64)) {
        let interval = Nanoseconds(known.interval)
        #expect(PublishedThreadHang.iOS.hang(interval: interval, maxFPS: known.fps).count == known.iOS)
        #expect(PublishedThreadHang.android.hang(interval: interval, maxFPS: known.fps).count == known.android)
    }

    @Test func aFrameOf50MillisecondsHangsAsLongInBothCountings() {
        let ticks = TickStream.ticks([50_000_000])
        for counting in FrameCounting.allCases {
            var counter = ScrollCounter(counting: counting)
            for tick in ticks { _ = counter.advance(to: tick) }
            #expect(abs(Milliseconds(counter.frames.threadHang).value - 33.333333) < 1e-5, "\(counting)")
        }
    }

    @Test(arguments: FrameCounting.allCases)
    func whatAnInterruptionLeftOutIsNoHang(_ counting: FrameCounting) {
        for interruption in [{ $0.interrupt() }, { $0.reactivate() }] as [(inout ScrollCounter) -> Void] {
            var counter = ScrollCounter(counting: counting)
            for tick in TickStream.ticks(TickStream.onTime(3)) { _ = counter.advance(to: tick) }
            interruption(&counter)
            for tick in TickStream.ticks(TickStream.onTime(3), from: 6_000_000_000) { _ = counter.advance(to: tick) }
            #expect(counter.frames.threadHang == .zero)
            #expect(counter.frames.pairs == 6)
            #expect(counter.frames.duration == Nanoseconds(6 * TickStream.interval))
        }
    }

    @Test(arguments: PublishedThreadHang.allCases)
    func noRateAndNoTimeOverflow(_ platform: PublishedThreadHang) {
        for rate in [Int.min, 0, 1, .max] {
            #expect(platform.hang(interval: .max, maxFPS: rate) <= .max)
            #expect(platform.hang(interval: .zero, maxFPS: rate) == .zero)
        }
    }
}
