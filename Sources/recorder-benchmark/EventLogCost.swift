import PagePerformance

extension RecorderBenchmark {
    /// Measures what it costs to log: on the caller's thread, and in all, with encoding on the log's own thread.
    func measureLog() {
        let log = EventLog(
            LogEvent.Run(id: "r", part: "p"), to: DiscardingSink(),
            options: EventLogOptions(bufferLimit: 1 << 30, partSize: nil))
        for (name, event) in Self.events {
            let count = 10_000
            let round = {
                for _ in 0..<count { log.record(event) }
                log.flushAndWait()
            }
            report("log, \(name), caller's thread", calls: count, clock: { ProcessorClock.threadNanoseconds }, round)
            report("log, \(name), both threads", calls: count, round)
        }
        log.closeAndWait()
    }

    private static var events: [(String, LogEvent)] {
        let place = LogEvent.Place(page: "Search", visit: "v-1")
        let tick = FrameTick(
            timestamp: Nanoseconds(123_456_789_012), target: Nanoseconds(123_473_455_679),
            duration: Nanoseconds(16_666_667))
        var visit = LogEvent.Visit(place: place)
        visit.duration = .milliseconds(8_012.1)
        visit.firstLayout = .milliseconds(41.2)
        visit.initialLoad = .milliseconds(512.9)
        visit.additionalLoads = [.zero, .milliseconds(251.7)]
        return [
            ("a tick", .frame(LogEvent.Frame(place: place, scroll: 0, tick: tick))),
            ("the end of a scroll", .scroll(LogEvent.Scroll(place: place, scroll: 0, duration: .milliseconds(812.4)))),
            ("60 ticks", .frames(LogEvent.Frames(place: place, scroll: 0, ticks: Array(repeating: tick, count: 60)))),
            ("a visit", .visit(visit)),
        ]
    }
}

/// Takes lines and does nothing with them: what remains is the cost of making them.
private struct DiscardingSink: LogSink {
    func write(_ lines: [UInt8]) {}
}
