import Testing

@testable import PagePerformance

/// Events that end a segment, and ticks that are ignored.
struct DetectorInterruptionTests {
    /// An event between two ticks.
    enum Interruption: CaseIterable, Sendable {
        case pause, cleared, runLoopMode, background, scroll, endOfScroll

        func happen(to detector: FrameDropDetector) {
            switch self {
            case .pause:
                detector.pause()
                detector.resume()
            case .cleared: detector.clearFrameDropCount()
            case .runLoopMode: detector.interrupt()
            case .background:
                detector.willResignActive()
                detector.didBecomeActive()
            case .scroll: detector.beginScroll()
            case .endOfScroll: detector.endScroll()
            }
        }

        /// The number of frames that published counting gives for a gap of 5 s.
        var published: Int { self == .background ? 0 : 300 }
    }

    private static func dropped(_ counting: FrameCounting, over interruption: Interruption) -> Int {
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: counting))
        detector.resume()
        let records = KeptRecords()
        detector.sink = records
        detector.beginScroll()
        detector.tick(TickStream.tick(1_000_000_000))
        interruption.happen(to: detector)
        detector.tick(TickStream.tick(6_000_000_000))
        return records.drops.reduce(0) { $0 + $1.framesDropped }
    }

    @Test(arguments: Interruption.allCases)
    func nothingIsDroppedOverAnInterruption(_ interruption: Interruption) {
        #expect(Self.dropped(.exact, over: interruption) == 0)
    }

    @Test(arguments: Interruption.allCases)
    func asPublishedAnInterruptionIsAFrame(_ interruption: Interruption) {
        #expect(Self.dropped(.published, over: interruption) == interruption.published)
    }

    @Test(arguments: FrameCounting.allCases)
    func whatHappensWhilePausedIsIgnored(_ counting: FrameCounting) {
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: counting))
        detector.resume()
        detector.feed(TickStream.ticks(TickStream.onTime(2)))
        detector.pause()
        #expect(detector.isPaused)
        detector.feed(TickStream.ticks([500_000_000, 500_000_000], from: 1_100_000_000))
        #expect(detector.counts == DropCounts())
        detector.resume()
        #expect(!detector.isPaused)
        detector.feed(TickStream.ticks([50_000_001], from: 9_000_000_000))
        #expect(detector.counts.events == (counting == .exact ? 1 : 2))
    }

    @Test(arguments: FrameCounting.allCases)
    func whatHappensInTheBackgroundIsIgnored(_ counting: FrameCounting) {
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: counting))
        detector.resume()
        detector.feed(TickStream.ticks(TickStream.onTime(2)))
        detector.willResignActive()
        detector.feed(TickStream.ticks([500_000_000, 500_000_000], from: 1_100_000_000))
        detector.didBecomeActive()
        detector.feed(TickStream.ticks([50_000_001], from: 9_000_000_000))
        #expect(detector.counts.events == 1)
    }

    @Test(arguments: [(FrameCounting.exact, true), (.published, false)])
    func becomingActiveEndsAPauseOnlyAsPublished(_ counting: FrameCounting, _ isPaused: Bool) {
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: counting))
        detector.resume()
        detector.pause()
        detector.willResignActive()
        detector.didBecomeActive()
        #expect(detector.isPaused == isPaused)
    }

    @Test func resumingInTheBackgroundWaitsUntilTheAppIsActive() {
        let detector = FrameDropDetector()
        detector.willResignActive()
        detector.pause()
        detector.resume()
        detector.feed(TickStream.ticks([50_000_000]))
        #expect(detector.counts == DropCounts())
        detector.didBecomeActive()
        detector.feed(TickStream.ticks([50_000_000]))
        #expect(detector.counts.total == 2)
    }

    @Test func aPauseIsNoTimeOfTheScroll() throws {
        let detector = FrameDropDetector()
        detector.beginScroll()
        detector.feed(TickStream.ticks(TickStream.onTime(3)))
        detector.pause()
        detector.resume()
        detector.feed(TickStream.ticks(TickStream.onTime(3), from: 60_000_000_000))
        let record = try #require(detector.endScroll())
        #expect(record.duration == Nanoseconds(6 * TickStream.interval))
        #expect(record.drops == DropCounts())
    }
}
