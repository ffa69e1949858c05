import Foundation
import PagePerformance
import PerfgateModel
import SeededRandom
import Testing

@testable import PerfgateIngest

/// The recorder and the gate count the same frames.
struct RecordedFramesTests {
    /// Ticks at 60 Hz: some are late by whole intervals, some by a fraction of one.
    private static func ticks(_ seed: UInt64) -> [FrameTick] {
        var generator = SeededGenerator(seed: seed)
        var time: UInt64 = 1_000_000_000
        return (0..<200).map { _ in
            let isLate = Int.random(in: 0..<4, using: &generator) == 0
            let intervals: UInt64 = isLate ? .random(in: 1...3, using: &generator) : 0
            let late = intervals * 16_666_667 + UInt64.random(in: 0..<3_000_000, using: &generator)
            time += 16_666_667 + late
            let timestamp = Nanoseconds(time)
            return FrameTick(
                timestamp: timestamp, target: timestamp + Nanoseconds(16_666_667), duration: Nanoseconds(16_666_667))
        }
    }

    /// A detector's results for a scroll that a recorder logs.
    private static func scroll(
        _ ticks: [FrameTick], _ configuration: FrameDropDetector.Configuration, _ log: EventLog
    ) -> PagePerformance.ScrollRecord? {
        let recorder = PageRecorder(log: log, frames: configuration)
        let page = recorder.makePage(named: "Search")
        page.handleDidAppear()
        recorder.beginScroll()
        for tick in ticks { recorder.tick(tick, isTracking: true) }
        return recorder.detector.endScroll()
    }

    @Test(arguments: 0..<30 as Range<UInt64>, [2, 7, 1_000])
    func aScrollHasTheSameNumbersOnBothSides(seed: UInt64, keptTicks: Int) async throws {
        nonisolated(unsafe) var record: PagePerformance.ScrollRecord?
        let read = try await WrittenLogTests.read(expectsEnd: true) { log in
            log.iteration = 3
            record = Self.scroll(Self.ticks(seed), FrameDropDetector.Configuration(keptTicks: keptTicks), log)
        }
        let scroll = try #require(record)
        #expect(read.values("Search", "dropped_frames") == [Double(scroll.drops.worst)], "seed \(seed)")
        #expect(read.values("Search", "dropped_frames_total") == [Double(scroll.drops.total)], "seed \(seed)")
        #expect(read.values("Search", "drop_events") == [Double(scroll.drops.events)], "seed \(seed)")
        // The page's visit sums its hangs in another order than the scroll.
        let hang = try #require(read.values("Search", "scroll_thread_hang")?.first)
        #expect(abs(hang - Milliseconds(scroll.threadHang).value) < 1e-6, "seed \(seed)")
        let ratio = 1_000 * Double(try #require(scroll.hitch).count) / Double(scroll.duration.count)
        let found = try #require(read.values("Search", "hitch_ratio")?.first)
        #expect(abs(found - ratio) < 1e-9, "seed \(seed)")
        #expect(read.diagnostics.isEmpty)
    }

    @Test(arguments: FrameCounting.allCases)
    func dropsWithoutTicksAreTheSameInBothCountings(_ counting: FrameCounting) async throws {
        nonisolated(unsafe) var record: PagePerformance.ScrollRecord?
        let read = try await WrittenLogTests.read(expectsEnd: true) { log in
            record = Self.scroll(WrittenLogTests.ticks, FrameDropDetector.Configuration(counting: counting), log)
        }
        #expect(record != nil)
        #expect(read.values("Search", "dropped_frames") == [2])
        #expect(read.values("Search", "drop_events") == [1])
    }

    @Test func aScreenHasTheSameNumbersOnBothSides() async throws {
        let tracker = ScreenPerformanceTracker()
        tracker.track(screen: "Search")
        for tick in Self.ticks(1) { tracker.tick(tick) }
        let screen = try #require(tracker.track(screen: nil))
        let read = try await WrittenLogTests.read(expectsEnd: true) { log in
            let recorder = PageRecorder(log: log)
            let page = recorder.makePage(named: "Search")
            page.handleDidAppear()
            for tick in Self.ticks(1) { recorder.tick(tick, isTracking: false) }
            page.handleDidDisappear()
        }
        let pairs: [(String, Double?)] = [
            ("hitch_ratio_screen", screen.hitchRatio), ("hang_rate", screen.hangRate), ("fps_mean", screen.fpsMean),
            ("fps_min", screen.fpsMin), ("fps_max", screen.fpsMax), ("first_fps", screen.firstFPS),
        ]
        for (metric, expected) in pairs {
            let value = try #require(read.values("Search", metric)?.first)
            let wanted = try #require(expected)
            #expect(abs(value - wanted) < 1e-9 * max(1, abs(value)), "\(metric)")
        }
    }

    @Test func aVisitHasTheSameNumbersOnBothSides() async throws {
        var events: [PageVisitEvent] = []
        let clock = ManualClock(start: .seconds(5))
        Self.visit(PPSStateMachine(pageName: "Search", clock: clock) { events.append($0) }, clock)
        let read = try await WrittenLogTests.read(expectsEnd: true) { log in
            let clock = ManualClock(start: .seconds(5))
            let recorder = PageRecorder(clock: clock) { log.record(LogEvent($0)) }
            Self.visit(recorder.makePage(named: "Search"), clock)
        }
        #expect(events.map(\.isCheckpoint) == [true, true, false])
        let visit = try #require(events.last).visit
        for metric in PageMetric.allCases {
            #expect(read.values("Search", metric.rawValue) ?? [] == visit.sample(of: metric).map { [$0] } ?? [])
        }
        #expect(read.values("Search", "ttil") == [516])
    }

    /// A visit with a checkpoint and an image.
    private static func visit(_ page: PPSStateMachine, _ clock: ManualClock) {
        page.handleDidLoad()
        page.handleDidRender(isLoading: true)
        page.handleDidAppear()
        clock.advance(by: .milliseconds(41))
        page.handleDidLayoutSubviews()
        page.handleImageLoad(slot: ImageSlot(number: 0), url: "https://a.b/c", status: .placeholderVisible)
        clock.advance(by: .milliseconds(459))
        page.handleDidRender(isLoading: false)
        page.handleCheckpoint()
        clock.advance(by: .milliseconds(16))
        page.handleRenderCycle()
        page.handleImageLoad(slot: ImageSlot(number: 0), url: "https://a.b/c", status: .shown)
        page.handleDidDisappear()
    }
}
