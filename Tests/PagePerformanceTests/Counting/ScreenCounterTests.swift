import Testing

@testable import PagePerformance

/// The same ticks, counted by both countings of a screen's frames.
struct ScreenCounterTests {
    private static func record(
        _ counting: FrameCounting, _ ticks: [FrameTick], maxFPS: Int = 60
    ) -> ScreenRecord? {
        var counter = ScreenCounter(counting: counting, maxFPS: maxFPS)
        for tick in ticks { counter.advance(to: tick) }
        return counter.record(screen: "Search")
    }

    @Test func aStallOfOneSecondInTenIsPublishedWithoutItsFirstQuarter() throws {
        // One more frame, which the published tracker excludes from its sums.
        let stall = TickStream.onTime(1) + [UInt64](repeating: 10_000_000, count: 900) + [1_000_000_000]
        let ticks = TickStream.ticks(stall).map { tick in
            FrameTick(timestamp: tick.timestamp, target: tick.timestamp + .milliseconds(10))
        }
        let published = try #require(Self.record(.published, ticks)?.hangRate)
        #expect(abs(published - 270) < 1e-9)
        let exact = try #require(Self.record(.exact, Array(ticks.dropFirst()))?.hangRate)
        #expect(abs(exact - 360) < 1e-9)
    }

    @Test func publishedHitchesHaveNoTolerance() throws {
        let ticks = TickStream.ticks([UInt64](repeating: TickStream.interval + 500_000, count: 11))
        #expect(try #require(Self.record(.exact, ticks)).hitch == .zero)
        #expect(try #require(Self.record(.published, ticks)).hitch == .milliseconds(5))
    }

    @Test func aHangIsAHitchInBothCountings() throws {
        let ticks = TickStream.ticks(TickStream.onTime(2) + [300_000_000])
        let exact = try #require(Self.record(.exact, ticks))
        #expect(exact.hang == .milliseconds(300))
        #expect(exact.hitch == Nanoseconds(300_000_000 - TickStream.interval))
        let published = try #require(Self.record(.published, ticks))
        #expect(published.hang == .milliseconds(50))
        #expect(published.hitch == Nanoseconds(300_000_000 - TickStream.interval))
    }

    @Test(arguments: FrameCounting.allCases)
    func theHangThresholdIsASetting(_ counting: FrameCounting) throws {
        let ticks = TickStream.ticks(TickStream.onTime(2) + [300_000_000, 500_000_000, 500_000_001])
        func hang(_ threshold: UInt64) throws -> Nanoseconds {
            var counter = ScreenCounter(counting: counting, hangThreshold: .milliseconds(threshold))
            for tick in ticks { counter.advance(to: tick) }
            let record = try #require(counter.record(screen: "Search"))
            #expect(record.hangThreshold == .milliseconds(threshold))
            return record.hang
        }
        let isExact = counting == .exact
        #expect(try hang(250) == Nanoseconds(isExact ? 1_300_000_001 : 550_000_001))
        #expect(try hang(500) == Nanoseconds(isExact ? 500_000_001 : 1))
        #expect(try hang(2_000) == .zero)
    }

    @Test(arguments: FrameCounting.allCases)
    func aTickThatComesEarlyMakesNoDisplayFaster(_ counting: FrameCounting) throws {
        let ticks = TickStream.ticks(TickStream.onTime(3) + [1_000_000, 2 * TickStream.interval - 1_000_000])
        let record = try #require(Self.record(counting, ticks))
        #expect(abs(try #require(record.fpsMax) - 60) < 1e-3)
    }

    @Test func theFirstPublishedFrameOnlyGivesTheFirstFPS() throws {
        let ticks = TickStream.ticks([100_000_000, 20_000_000, 25_000_000])
        let exact = try #require(Self.record(.exact, ticks))
        #expect(exact.frameCount == 3)
        #expect(exact.duration == .milliseconds(145))
        #expect(exact.firstFPS == 10)
        #expect(exact.fpsMin == 10)
        let published = try #require(Self.record(.published, ticks))
        #expect(published.frameCount == 2)
        #expect(published.duration == .milliseconds(45))
        #expect(published.firstFPS == 10)
        #expect(published.fpsMin == 40)
        #expect(published.fpsMax == 50)
    }

    @Test func anEarlyPublishedFrameLastsUntilItsTarget() throws {
        let ticks = TickStream.ticks([20_000_000, 10_000_000, 10_000_000])
        #expect(try #require(Self.record(.published, ticks)).duration == Nanoseconds(2 * TickStream.interval))
        #expect(try #require(Self.record(.exact, ticks)).duration == .milliseconds(40))
    }

    @Test func thePublishedMinimumIsAtMostThatOfTheDisplay() throws {
        let fast = (0..<4).map { TickStream.tick(1_000_000_000 + $0 * 8_000_000, expected: 8_000_000) }
        #expect(try #require(Self.record(.published, fast)).fpsMin == 60)
        #expect(try #require(Self.record(.published, fast, maxFPS: 120)).fpsMin == 120)
        #expect(try #require(Self.record(.exact, fast)).fpsMin == 125)
    }

    @Test(arguments: [(0, false, false), (1, true, false), (2, true, false), (3, true, true)])
    func aPublishedVisitNeedsTwoFramesAfterTheFirst(_ intervals: Int, _ exact: Bool, _ published: Bool) {
        let ticks = TickStream.ticks(TickStream.onTime(intervals))
        #expect((Self.record(.exact, ticks) != nil) == exact)
        #expect((Self.record(.published, ticks) != nil) == published)
    }

    @Test(arguments: [(FrameCounting.exact, 60.0), (.published, 0.2)])
    func anotherScreenBeginsWithTheLastFrameOnlyAsPublished(_ counting: FrameCounting, _ firstFPS: Double) throws {
        var counter = ScreenCounter(counting: counting)
        for tick in TickStream.ticks(TickStream.onTime(3)) { counter.advance(to: tick) }
        let last = 1_000_000_000 + 3 * TickStream.interval
        #expect(counter.record(screen: "Search") != nil)
        counter.reset()
        for tick in TickStream.ticks(TickStream.onTime(3), from: last + 5_000_000_000) { counter.advance(to: tick) }
        let record = try #require(counter.record(screen: "Detail"))
        #expect(record.screen == "Detail")
        #expect(abs(try #require(record.firstFPS) - firstFPS) < 1e-5)
    }

    @Test(arguments: FrameCounting.allCases)
    func anInterruptionIsNoFrame(_ counting: FrameCounting) throws {
        var counter = ScreenCounter(counting: counting)
        for tick in TickStream.ticks(TickStream.onTime(3)) { counter.advance(to: tick) }
        counter.interrupt()
        for tick in TickStream.ticks(TickStream.onTime(3), from: 60_000_000_000) { counter.advance(to: tick) }
        let record = try #require(counter.record(screen: "Search"))
        #expect(record.hang == .zero)
        #expect(record.duration < .milliseconds(200))
    }

    @Test func meansAndRatiosAreThoseOfTheSums() throws {
        let record = try #require(Self.record(.exact, TickStream.ticks(TickStream.onTime(58) + [33_333_314])))
        #expect(abs(try #require(record.fpsMean) - 59 / 1.000000000) < 1e-6)
        #expect(abs(try #require(record.hitchRatio) - 16.666647) < 1e-6)
        #expect(record.hangRate == 0)
    }
}
