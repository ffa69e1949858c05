import Testing

@testable import PagePerformance

/// Limits that fail a test, or assert in a debug build, at the frame that exceeds them.
struct FrameDropLimitsTests {
    private static func breaches(
        _ intervals: [UInt64], _ limits: FrameDropLimits = .standard, counting: FrameCounting = .exact, maxFPS: Int = 60
    ) -> [FrameDropBreach] {
        var breaches: [FrameDropBreach] = []
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: counting, maxFPS: maxFPS))
        detector.resume()
        detector.setLimits(limits) { breaches.append($0) }
        detector.beginScroll()
        detector.feed(TickStream.ticks(intervals))
        return breaches
    }

    private static func frames(_ counts: [UInt64]) -> [UInt64] {
        counts.map { $0 * TickStream.interval }
    }

    @Test(
        arguments: [([2, 1, 2], []), ([3], [.framesDropped]), ([2, 2, 2], [.dropEvents])]
            as [([UInt64], [FrameDropBreach.Kind])], FrameCounting.allCases)
    func standardLimitsFailWhereThePublishedOnesDo(
        _ known: ([UInt64], [FrameDropBreach.Kind]), _ counting: FrameCounting
    ) {
        let breaches = Self.breaches(Self.frames(known.0), counting: counting)
        #expect(breaches.map(\.limit) == known.1)
        // Published: `framesDropped >= 3` or `cumulativeFrameDropEvents >= 3`.
        let published = Self.breaches(Self.frames(known.0), FrameDropLimits(framesDropped: 0, dropEvents: 0))
            .map(\.drop).filter { $0.framesDropped + 1 >= 3 || $0.cumulativeFrameDropEvents >= 3 }
        #expect(published.isEmpty == known.1.isEmpty)
    }

    @Test func aDropCanBreakBothLimits() {
        let breaches = Self.breaches(Self.frames([2, 2, 4]))
        #expect(breaches.map(\.limit) == [.framesDropped, .dropEvents])
        #expect(breaches.map(\.allowed) == [1, 2])
        #expect(
            breaches.map(\.description) == [
                "dropped frames at one instant: 3, at most 1 allowed (scroll 0)",
                "frame drop events: 3, at most 2 allowed (scroll 0)",
            ])
    }

    @Test func everyDropBreaksALimitOfNone() {
        let breaches = Self.breaches(Self.frames([2]), FrameDropLimits(framesDropped: 0, dropEvents: 0))
        #expect(breaches.map(\.limit) == FrameDropBreach.Kind.allCases)
    }

    @Test(
        arguments: [
            (1, 0, 1), (1, 30, 1), (1, 60, 1), (1, 90, 1), (1, 120, 2), (3, 90, 4), (0, 120, 0), (.max, 120, .max),
        ] as [(limit: Int, maxFPS: Int, allowed: Int)])
    func aLimitMeansTheSameTimeOnAFastDisplay(_ known: (limit: Int, maxFPS: Int, allowed: Int)) {
        let limits = FrameDropLimits(framesDropped: known.limit, dropEvents: 2)
        #expect(limits.framesAllowed(maxFPS: known.maxFPS) == known.allowed)
    }

    /// The breaches on a 120 Hz display for ticks with this expected duration and these actual durations.
    private static func breaches(
        at rate: UInt64, staying counts: [UInt64], counting: FrameCounting = .exact
    ) -> [FrameDropBreach] {
        var breaches: [FrameDropBreach] = []
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: counting, maxFPS: 120))
        detector.resume()
        detector.setLimits { breaches.append($0) }
        let interval = 1_000_000_000 / rate
        var now: UInt64 = 1_000_000_000
        for count in [0] + counts {
            now += count * interval
            detector.tick(TickStream.tick(now, expected: interval, duration: 8_333_333))
        }
        return breaches
    }

    @Test func limitsAreTheDisplays() {
        #expect(Self.breaches(at: 120, staying: [3]).isEmpty)
        let breaches = Self.breaches(at: 120, staying: [4])
        #expect(breaches.map(\.allowed) == [2])
        #expect(
            breaches.map(\.description) == ["dropped frames at one instant: 3, at most 2 allowed (no scroll)"])
    }

    /// For example a phone in low-power mode: its 120 Hz display runs at 60 Hz.
    @Test func aLimitMeansTheSameTimeWhereAFastDisplayRunsSlower() {
        #expect(Self.breaches(at: 60, staying: [2]).isEmpty)
        let breaches = Self.breaches(at: 60, staying: [3])
        #expect(breaches.map(\.limit) == [.framesDropped])
        #expect(
            breaches.map(\.description) == [
                "dropped frames at one instant: 2 (as long as 4 at the display's highest rate), at most 2 allowed "
                    + "(no scroll)"
            ])
        #expect(Self.breaches(at: 80, staying: [2]).isEmpty)
        #expect(Self.breaches(at: 80, staying: [3]).map(\.frames) == [3])
    }

    @Test func limitsCanBeReplacedAndRemoved() {
        let detector = FrameDropDetector()
        var heard: [String] = []
        detector.setLimits { _ in heard.append("first") }
        detector.setLimits(FrameDropLimits(framesDropped: 0, dropEvents: 9)) { _ in heard.append("second") }
        detector.feed(TickStream.ticks(Self.frames([2])))
        detector.removeLimits()
        detector.feed(TickStream.ticks(Self.frames([9]), from: 2_000_000_000))
        #expect(heard == ["second"])
    }

    @Test func aBreachFailsATest() {
        withKnownIssue {
            let detector = FrameDropDetector()
            detector.setLimits { Issue.record("\($0)") }
            detector.feed(TickStream.ticks(Self.frames([9])))
        } matching: { issue in
            "\(issue)".contains("dropped frames at one instant: 8, at most 1 allowed (no scroll)")
        }
    }
}
