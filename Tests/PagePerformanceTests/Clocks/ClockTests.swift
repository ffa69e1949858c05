import PagePerformance
import Testing

struct ClockTests {
    @Test(arguments: [MonotonicClock(), UptimeClock()] as [any TimeSource])
    func aRealClockNeverRunsBackwards(_ clock: any TimeSource) {
        var last = clock.now
        #expect(last > .zero)
        for _ in 0..<10_000 {
            let now = clock.now
            #expect(now >= last)
            last = now
        }
    }

    @Test(arguments: [MonotonicClock(), UptimeClock()] as [any TimeSource])
    func aRealClockCountsNanoseconds(_ clock: any TimeSource) async throws {
        let wall = ContinuousClock.now
        let start = clock.now
        try await Task.sleep(for: .milliseconds(20))
        let passed = try #require(clock.now.since(start))
        let bound = ContinuousClock.now - wall
        #expect(passed >= .milliseconds(20))
        #expect(passed.count <= UInt64(bound / .nanoseconds(1)))
    }

    @Test func sleepIsAllThatTheClocksDifferIn() throws {
        let awake = MonotonicClock().now
        let lived = UptimeClock().now
        #expect(lived >= awake)
    }

    @Test func aManualClockMovesByHandOnly() {
        let clock = ManualClock(start: .seconds(5))
        #expect(clock.now == .seconds(5))
        #expect(clock.now == .seconds(5))
        clock.advance(by: .milliseconds(20))
        #expect(clock.now == .milliseconds(5_020))
        clock.set(to: .seconds(1))
        #expect(clock.now == .seconds(1))
        clock.advance(by: .max)
        clock.advance(by: .seconds(1))
        #expect(clock.now == .max)
    }

    @Test func aManualClockLosesNoMoveOfAnyThread() async {
        let clock = ManualClock()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1_000 { clock.advance(by: Nanoseconds(1)) } }
            }
        }
        #expect(clock.now == Nanoseconds(8_000))
    }
}
