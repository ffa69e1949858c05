import Testing
import SeededRandom

@testable import PagePerformance

/// Consecutive screens.
struct ScreenPerformanceTrackerTests {
    private static func tracker(_ counting: FrameCounting = .exact) -> ScreenPerformanceTracker {
        ScreenPerformanceTracker(counting: counting)
    }

    private static func feed(_ tracker: ScreenPerformanceTracker, _ intervals: [UInt64], from start: UInt64) {
        for tick in TickStream.ticks(intervals, from: start) { tracker.tick(tick) }
    }

    @Test(arguments: FrameCounting.allCases)
    func aChangeOfScreenGivesTheRecordOfTheOneBefore(_ counting: FrameCounting) throws {
        let tracker = Self.tracker(counting)
        #expect(tracker.counting == counting)
        #expect(tracker.track(screen: "Search") == nil)
        Self.feed(tracker, TickStream.onTime(4) + [2 * TickStream.interval], from: 1_000_000_000)
        let search = try #require(tracker.track(screen: "Detail"))
        #expect(search.screen == "Search")
        #expect(search.counting == counting)
        #expect(search.frameCount == (counting == .exact ? 5 : 4))
        #expect(search.hitch == Nanoseconds(TickStream.interval))
        #expect(tracker.screen == "Detail")
        Self.feed(tracker, TickStream.onTime(4), from: 9_000_000_000)
        let detail = try #require(tracker.track(screen: "Detail"))
        #expect(detail.screen == "Detail")
        #expect(detail.hitch == .zero)
        #expect(tracker.track(screen: nil) == nil)
    }

    @Test func everyValueIsThatOfItsDefinition() throws {
        let tracker = Self.tracker()
        tracker.track(screen: "Search")
        Self.feed(tracker, [20_000_000, 25_000_000, 500_000_000, 10_000_000, 445_000_000], from: 1_000_000_000)
        let record = try #require(tracker.track(screen: nil))
        #expect(record.duration == .seconds(1))
        #expect(record.frameCount == 5)
        #expect(record.fpsMean == 5)
        #expect(record.firstFPS == 50)
        #expect(record.fpsMin == 2)
        // The frame of 10 ms was due after 16.666667 ms, and visible until then.
        #expect(abs(try #require(record.fpsMax) - 60) < 1e-4)
        #expect(record.hang == .milliseconds(945))
        #expect(record.hangRate == 3_402)
        // 20, 25, 500 and 445 ms, minus the expected 16.666667 ms each.
        #expect(record.hitch == Nanoseconds(990_000_000 - 4 * TickStream.interval))
        #expect(abs(try #require(record.hitchRatio) - 923.333332) < 1e-9)
    }

    @Test func whatHappensWithoutAScreenBelongsToNone() throws {
        let tracker = Self.tracker()
        Self.feed(tracker, [900_000_000], from: 1_000_000_000)
        #expect(tracker.record == nil)
        tracker.track(screen: "Search")
        Self.feed(tracker, TickStream.onTime(2), from: 5_000_000_000)
        tracker.track(screen: nil)
        #expect(tracker.screen == nil)
        Self.feed(tracker, [900_000_000], from: 6_000_000_000)
        tracker.track(screen: "Detail")
        Self.feed(tracker, TickStream.onTime(2), from: 8_000_000_000)
        #expect(try #require(tracker.track(screen: nil)).hang == .zero)
    }

    @Test func theRecordSoFarEndsNothing() throws {
        let tracker = Self.tracker()
        tracker.track(screen: "Search")
        Self.feed(tracker, TickStream.onTime(2), from: 1_000_000_000)
        #expect(try #require(tracker.record).frameCount == 2)
        tracker.tick(TickStream.tick(1_000_000_000 + 3 * TickStream.interval))
        #expect(try #require(tracker.record).frameCount == 3)
        #expect(tracker.record == tracker.track(screen: nil))
    }

    @Test func anAbsentMeasurementIsNoRecord() {
        let tracker = Self.tracker()
        tracker.track(screen: "Search")
        #expect(tracker.track(screen: "Detail") == nil)
        for second in 1...3 { tracker.tick(FrameTick(timestamp: .seconds(UInt64(second)))) }
        #expect(tracker.track(screen: nil) == nil)
    }

    @Test(arguments: 0..<60 as Range<UInt64>, [false, true])
    func theRecordIsThatOfTheScreensSegments(_ seed: UInt64, _ hostile: Bool) {
        var generator = SeededGenerator(seed: seed)
        let ticks = hostile ? TickStream.hostile(150, &generator) : TickStream.plausible(150, &generator)
        let tracker = Self.tracker()
        tracker.track(screen: "Search")
        var segments: [[FrameTick]] = [[]]
        for tick in ticks {
            if Int.random(in: 0..<9, using: &generator) == 0 {
                tracker.interrupt()
                segments.append([])
            }
            tracker.tick(tick)
            segments[segments.count - 1].append(tick)
        }
        let record = tracker.track(screen: nil)

        var offline = ScreenFrames()
        for ticks in segments.shuffled(using: &generator) {
            var segment = FrameSegment()
            var frames = ScreenFrames()
            for tick in ticks { frames.add(segment.advance(to: tick)) }
            offline.merge(frames)
        }
        #expect(record?.frameCount ?? 0 == offline.pairs, "seed \(seed)")
        #expect(record?.duration ?? .zero == offline.duration, "seed \(seed)")
        let values: [(FrameMetric, Double?)] = [
            (.hitchRatioScreen, record?.hitchRatio), (.hangRate, record?.hangRate), (.fpsMean, record?.fpsMean),
            (.fpsMin, record?.fpsMin), (.fpsMax, record?.fpsMax), (.firstFPS, record?.firstFPS),
        ]
        for (metric, value) in values { #expect(value == offline.value(of: metric), "seed \(seed): \(metric)") }
    }
}
