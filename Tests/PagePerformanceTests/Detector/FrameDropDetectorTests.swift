import Testing

@testable import PagePerformance

/// A detector's counts, and the observers that it notifies.
struct FrameDropDetectorTests {
    /// Is notified of drops on the main actor, like a view controller.
    @MainActor private final class Listener: @MainActor FrameDropDetectorDelegate {
        var heard: [FrameDrop] = []

        func frameDropDetector(_ detector: FrameDropDetector, didDrop drop: FrameDrop) {
            #expect(detector.counts.total == drop.cumulativeFramesDropped)
            heard.append(drop)
        }
    }

    /// Two drops of 1 and 2 frames, between frames on time.
    private static let ticks = TickStream.ticks(
        TickStream.onTime(2) + [2 * TickStream.interval] + TickStream.onTime(1) + [3 * TickStream.interval])

    @Test(arguments: [(FrameCounting.exact, [1, 2], [1, 3]), (.published, [2, 3], [2, 5])])
    @MainActor func theDelegateHearsOfEveryDropAtOnce(
        _ counting: FrameCounting, _ dropped: [Int], _ cumulative: [Int]
    ) {
        let listener = Listener()
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: counting))
        detector.resume()
        detector.delegate = listener
        for tick in Self.ticks.dropLast() { detector.tick(tick) }
        #expect(listener.heard.count == 1)
        for tick in Self.ticks.suffix(1) { detector.tick(tick) }
        #expect(listener.heard.map(\.framesDropped) == dropped)
        #expect(listener.heard.map(\.exactFramesDropped) == [1, 2])
        #expect(listener.heard.map(\.cumulativeFramesDropped) == cumulative)
        #expect(listener.heard.map(\.cumulativeFrameDropEvents) == [1, 2])
        #expect(listener.heard.allSatisfy { $0.scroll == nil && $0.counting == counting })
    }

    private final class PublishedListener: FrameDropDetectorDelegate {
        var heard: [[Int]] = []

        func framesDropped(_ count: Int, cumulativeFramesDropped: Int, cumulativeFrameDropEvents: Int) {
            heard.append([count, cumulativeFramesDropped, cumulativeFrameDropEvents])
        }
    }

    @Test @MainActor func thePublishedNamesWorkToo() {
        let listener = PublishedListener()
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: .published))
        detector.delegate = listener
        #expect(detector.isPaused)
        detector.feed(Self.ticks)
        #expect(listener.heard.isEmpty)
        detector.resume()
        detector.feed(Self.ticks)
        #expect(listener.heard == [[2, 2, 1], [3, 5, 2]])
        #expect((detector.currentFrameDropCount, detector.currentFrameDropEventCount) == (5, 2))
        detector.clearFrameDropCount()
        #expect((detector.currentFrameDropCount, detector.currentFrameDropEventCount) == (0, 0))
    }

    @Test @MainActor func theDelegateIsNotKeptAlive() {
        let detector = FrameDropDetector()
        var listener: Listener? = Listener()
        detector.delegate = listener
        listener = nil
        #expect(detector.delegate == nil)
        detector.feed(Self.ticks)
        #expect(detector.counts.events == 2)
    }

    @Test func aStreamOfDropsEndsWithTheDetector() async {
        let streams: [AsyncStream<FrameDrop>]
        do {
            let detector = FrameDropDetector()
            streams = [detector.drops(), detector.drops()]
            detector.beginScroll()
            detector.feed(Self.ticks)
        }
        for stream in streams {
            var heard: [FrameDrop] = []
            for await drop in stream { heard.append(drop) }
            #expect(heard.map(\.framesDropped) == [1, 2])
            #expect(heard.map(\.cumulativeFramesDropped) == [1, 3])
            #expect(heard.map(\.cumulativeFrameDropEvents) == [1, 2])
            #expect(heard.map(\.scroll) == [0, 0])
        }
    }

    @Test(arguments: [1, 0, -1])
    func aSlowListenerKeepsTheNewestDropAndItsTotals(_ limit: Int) async {
        var detector: FrameDropDetector? = FrameDropDetector()
        let stream = detector?.drops(buffering: limit)
        detector?.feed(Self.ticks)
        detector = nil
        var heard: [FrameDrop] = []
        if let stream { for await drop in stream { heard.append(drop) } }
        #expect(heard.map(\.framesDropped) == [2])
        #expect(heard.map(\.cumulativeFramesDropped) == [3])
    }

    @Test func aListenerThatLeftIsForgotten() async {
        let detector = FrameDropDetector()
        let kept = detector.drops()
        do { _ = detector.drops() }
        #expect(detector.listeners.count == 2)
        detector.feed(Self.ticks)
        #expect(detector.listeners.count == 1)
        var heard = kept.makeAsyncIterator()
        #expect(await heard.next()?.framesDropped == 1)
    }

    /// Ends the scroll at the first drop, and passes the detector another frame.
    @MainActor private final class Meddler: @MainActor FrameDropDetectorDelegate {
        var ended: [ScrollRecord?] = []

        func frameDropDetector(_ detector: FrameDropDetector, didDrop drop: FrameDrop) {
            guard detector.scroll != nil else { return }
            ended.append(detector.endScroll())
            detector.tick(TickStream.tick(60_000_000_000))
            detector.clearFrameDropCount()
        }
    }

    @Test @MainActor func aDelegateMayCallTheDetectorBack() {
        let meddler = Meddler()
        let detector = FrameDropDetector()
        detector.delegate = meddler
        detector.beginScroll()
        detector.feed(TickStream.ticks([2 * TickStream.interval]))
        #expect(meddler.ended.map { $0?.drops.total } == [1])
        #expect(detector.scroll == nil)
        #expect(detector.counts == DropCounts())
    }

    @Test func clearingStartsTheRunningCountsAnew() {
        let detector = FrameDropDetector()
        detector.feed(Self.ticks)
        #expect(detector.counts == DropCounts(worst: 2, total: 3, events: 2))
        detector.clearFrameDropCount()
        #expect(detector.counts == DropCounts())
        detector.feed(TickStream.ticks([2 * TickStream.interval], from: 9_000_000_000))
        #expect(detector.counts == DropCounts(worst: 1, total: 1, events: 1))
    }

    @Test func aDisplayThatSlowsDownDropsNothing() {
        let detector = FrameDropDetector(FrameDropDetector.Configuration(maxFPS: 120))
        var now: UInt64 = 1_000_000_000
        for expected in [8_333_333, 16_666_667, 20_833_333, 100_000_000] as [UInt64] {
            for _ in 0..<5 {
                detector.tick(TickStream.tick(now, expected: expected, duration: 8_333_333))
                now += expected
            }
        }
        #expect(detector.counts == DropCounts())
    }
}
