import Foundation
import Testing

@testable import PagePerformance

/// The whole log, on a sink that keeps everything.
struct EventLogTests {
    static let run = LogEvent.Run(id: "r", part: "launch-1")

    static func scroll(_ number: Int, page: String = "P", visit: String? = nil) -> LogEvent {
        .scroll(
            LogEvent.Scroll(
                place: LogEvent.Place(page: page, visit: visit), scroll: number, duration: .milliseconds(Double(number))
            ))
    }

    static func tick(_ time: UInt64, scroll: Int) -> LogEvent {
        .frame(
            LogEvent.Frame(
                place: LogEvent.Place(page: "P"), scroll: scroll, tick: FrameTick(timestamp: Nanoseconds(time))))
    }

    @Test func aStreamHasAHeadALineAnEventAndAFoot() async {
        let sink = CollectingSink()
        let log = EventLog(Self.run, to: sink)
        log.iteration = 3
        log.test = "T/C/t"
        log.record(Self.scroll(1))
        #expect(await log.flush() == .written)
        #expect(await log.close() == .written)
        #expect(
            sink.lines == [
                [
                    #"{"type":"run","schema":1,"run_id":"r","part":"launch-1"}"#,
                    #"{"type":"scroll","page":"P","iteration":3,"test":"T/C/t","scroll":1,"duration_ms":1}"#,
                    #"{"type":"end","run_id":"r","part":"launch-1","lines":3}"#,
                ]
            ])
        #expect(sink.endCount == 1)
    }

    @Test func eachThreadsEventsKeepTheirOrder() async throws {
        let sink = CollectingSink()
        let log = EventLog(Self.run, to: sink, options: EventLogOptions(writeInterval: .milliseconds(1)))
        DispatchQueue.concurrentPerform(iterations: 10) { thread in
            for number in 0..<300 { log.record(Self.scroll(number, page: "P\(thread)")) }
        }
        #expect(await log.close() == .written)
        #expect(log.counts.written == 3_000)
        let lines = try #require(sink.lines.first)
        #expect(lines.count == 3_002)
        for thread in 0..<10 {
            let own = lines.filter { $0.contains(#""page":"P\#(thread)""#) }
            #expect(
                own
                    == (0..<300).map {
                        #"{"type":"scroll","page":"P\#(thread)","iteration":0,"scroll":\#($0),"duration_ms":\#($0)}"#
                    })
        }
    }

    @Test func recordingNeverWaitsForTheSink() async {
        let sink = CollectingSink(isBlocked: true)
        let log = EventLog(Self.run, to: sink, options: EventLogOptions(bufferLimit: 10_000))
        sink.waitUntilReached()
        for number in 0..<1_000 { log.record(Self.scroll(number)) }
        #expect(log.counts.written == 0)
        #expect(log.counts.lost > 900)
        sink.unblock()
        #expect(await log.close() == .written)
        #expect(log.counts.written + log.counts.lost == 1_000)
    }

    @Test func theLogSaysWhatItLost() async throws {
        let sink = CollectingSink(isBlocked: true)
        let cost = Self.tick(0, scroll: 0).memory
        let log = EventLog(Self.run, to: sink, options: EventLogOptions(bufferLimit: cost * 4))
        sink.waitUntilReached()
        for time in 0..<6 as Range<UInt64> { log.record(Self.tick(time, scroll: 1)) }
        sink.unblock()
        await log.flush()
        log.record(Self.tick(6, scroll: 1))
        log.record(Self.scroll(1))
        log.record(Self.tick(7, scroll: 2))
        log.record(Self.scroll(2))
        await log.close()

        let lines = try #require(sink.lines.first)
        // Two ticks were lost. The rest of their scroll is withheld, and the ticks after the gap get a new segment.
        #expect(lines.contains { $0.contains(#""type":"state""#) && $0.contains(#""events_lost":"#) })
        #expect(!lines.contains { $0.contains(#""type":"scroll""#) && $0.contains(#""scroll":1"#) })
        #expect(lines.contains { $0.contains(#""scroll":2,"segment":2"#) })
        #expect(lines.contains { $0.contains(#""type":"scroll""#) && $0.contains(#""scroll":2"#) })
        let lost = log.counts.lost
        #expect(lost == 8)
        #expect(lines.last?.contains(#""lines":\#(lines.count + lost),"events_lost":\#(lost)"#) == true)
    }

    @Test func completionsTellWhatBecameOfAnEvent() async {
        let sink = CollectingSink()
        let options = EventLogOptions(sampling: PageSampling(rates: ["Rare": 0]))
        let log = EventLog(Self.run, to: sink, options: options)
        #expect(await Self.outcome(Self.scroll(1), in: log) == .written)
        #expect(await Self.outcome(Self.scroll(1, page: "Rare"), in: log) == .sampledOut)
        #expect(await Self.outcome(Self.scroll(1, page: " "), in: log) == .refused(.namelessPage))
        #expect(!log.isLogged(page: "Rare"))
        await log.close()
        #expect(await Self.outcome(Self.scroll(2), in: log) == .closed)
        #expect(await log.flush() == .closed)
        #expect(await log.close() == .closed)
        #expect(log.counts == EventLog.Counts(written: 1, lost: 0, refused: 1, sampledOut: 1, late: 1))
    }

    /// The interval is an hour, so an event that waits for it isn't written within this test.
    @Test func aVisitIsWrittenAtOnce() async {
        let sink = CollectingSink()
        let options = EventLogOptions(writeInterval: .seconds(3_600))
        let log = EventLog(Self.run, to: sink, options: options)
        let visit = LogEvent.visit(LogEvent.Visit(place: LogEvent.Place(page: "P", visit: "v")))
        #expect(await Self.outcome(visit, in: log) == .written)
        #expect(sink.lines.first?.last?.contains(#""type":"pps""#) == true)
        await log.close()
    }

    @Test func conditionsOfTheLaunchStandOnVisitsOnly() async {
        var run = Self.run
        run.conditions.network = .wifi
        let sink = CollectingSink()
        let log = EventLog(run, to: sink)
        for network in [DeviceConditions.Network.wifi, .cellular] {
            let place = LogEvent.Place(page: "P", visit: "v", conditions: VisitConditions(network: network))
            log.record(.visit(LogEvent.Visit(place: place)))
            log.record(.scroll(LogEvent.Scroll(place: place, scroll: 0, duration: .zero)))
        }
        await log.close()
        let lines = sink.lines.first?.dropFirst().dropLast() ?? []
        #expect(lines.map { $0.contains(#""network":"wifi""#) } == [true, false, false, false])
        #expect(lines.map { $0.contains(#""network":"cellular""#) } == [false, false, true, true])
    }

    @Test func aFailedSinkIsReportedAndEndsTheLog() async {
        let sink = CollectingSink()
        let log = EventLog(Self.run, to: sink)
        log.record(Self.scroll(1))
        await log.flush()
        sink.fail(.cannotWrite(path: "/disk", code: 28))
        #expect(await Self.outcome(Self.scroll(2), in: log) == .lost)
        #expect(log.failure == .cannotWrite(path: "/disk", code: 28))
        #expect(await log.close() == .lost)
        #expect(log.counts.lost == 1)
        #expect(sink.lines.first?.count == 2)
    }

    @Test func aFailedWriteIsTriedAgainInANewPart() async {
        let sink = CollectingSink()
        let log = EventLog(Self.run, to: sink)
        log.retry()
        log.record(Self.scroll(1))
        await log.flush()
        sink.fail(.cannotWrite(path: "/disk", code: 28))
        #expect(await Self.outcome(Self.scroll(2), in: log) == .lost)
        log.retry()
        #expect(await Self.outcome(Self.scroll(3), in: log) == .lost)
        #expect(log.failure != nil)
        sink.mend()
        log.retry()
        #expect(await Self.outcome(Self.scroll(4), in: log) == .written)
        #expect(log.failure == nil)
        #expect(await log.close() == .written)
        #expect(log.counts.lost == 2)
        #expect(sink.lines.first?.count == 2)
        #expect(sink.lines.last?.map { $0.split(separator: "\"").dropFirst(3).first } == ["run", "scroll", "end"])
        #expect(Set(sink.names).count == sink.names.count)
    }

    @Test func anEventThatWaitedForAFailedPartIsLost() async {
        let sink = CollectingSink()
        let log = EventLog(Self.run, to: sink, options: EventLogOptions(writeInterval: .milliseconds(600_000)))
        await log.flush()
        sink.fail(.cannotWrite(path: "/disk", code: 28))
        log.record(Self.scroll(1))
        #expect(await log.flush() == .lost)
        sink.mend()
        let outcome = await withCheckedContinuation { continuation in
            log.record(Self.scroll(2)) { continuation.resume(returning: $0) }
            log.retry()
        }
        #expect(outcome == .lost)
        await log.close()
        #expect(log.counts.lost == 2 && log.counts.written == 0)
    }

    @Test func codeThatCannotAwaitWaits() {
        let sink = CollectingSink()
        let log = EventLog(Self.run, to: sink)
        log.record(Self.scroll(1))
        #expect(log.flushAndWait() == .written)
        #expect(sink.lines.first?.count == 2)
        #expect(log.closeAndWait() == .written)
        #expect(sink.endCount == 1)
        #expect(log.closeAndWait() == .closed)
    }

    @Test(.timeLimit(.minutes(30))) func whoeverForgetsToCloseLosesNothing() async throws {
        let sink = CollectingSink()
        var log: EventLog? = EventLog(Self.run, to: sink)
        log?.record(Self.scroll(1))
        log = nil
        while sink.endCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(sink.lines.first?.last?.contains(#""lines":3"#) == true)
    }

    private static func outcome(_ event: LogEvent, in log: EventLog) async -> EventLog.Delivery {
        await withCheckedContinuation { continuation in
            log.record(event) { continuation.resume(returning: $0) }
        }
    }
}
