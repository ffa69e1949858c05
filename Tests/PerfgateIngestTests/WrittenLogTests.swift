import Foundation
import PagePerformance
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The gate reads the same values that the recorder's log contains.
struct WrittenLogTests {
    static let place = LogEvent.Place(page: "Search", visit: "v-1")

    /// 60 Hz, the third frame two intervals late.
    static let ticks = [0, 1, 2, 5, 6].map { step in
        FrameTick(
            timestamp: Nanoseconds(1_000_000_000 + step * 16_666_667),
            target: Nanoseconds(1_000_000_000 + (step + 1) * 16_666_667), duration: Nanoseconds(16_666_667))
    }

    static func read(
        _ options: EventLogOptions = EventLogOptions(), expectsEnd: Bool = false, _ body: (EventLog) -> Void
    ) async throws -> Measurements {
        let folder = try LogFolder()
        let run = LogEvent.Run(
            id: "r-1", part: "launch-1", expectsEnd: expectsEnd, startedAt: "2026-11-20T10:00:00Z",
            app: AppFacts(identifier: "com.example.app", build: "Release"),
            device: DeviceFacts(model: "iPhone12,1", isSimulator: false, system: "iOS 17.5", maxFPS: 60))
        let log = EventLog(run, to: FileSink(folder: folder.url.path), options: options)
        body(log)
        #expect(await log.close() == .written)
        return Ingest().read([folder.url.path])
    }

    @Test(arguments: [true, false])
    func ticksGiveTheSameNumbersInBothForms(isCompact: Bool) async throws {
        let read = try await Self.read(expectsEnd: true) { log in
            if isCompact {
                log.record(.frames(LogEvent.Frames(place: Self.place, scroll: 0, ticks: Self.ticks)))
            } else {
                for tick in Self.ticks { log.record(.frame(LogEvent.Frame(place: Self.place, scroll: 0, tick: tick))) }
            }
            log.record(.scroll(LogEvent.Scroll(place: Self.place, scroll: 0, duration: .milliseconds(100))))
        }
        #expect(read.values("Search", "dropped_frames") == [2])
        #expect(read.values("Search", "drop_events") == [1])
        #expect(read.diagnostics.isEmpty)
        #expect(read.runs.first?.isComplete == true)
        let environment = try #require(read.environments.first)
        #expect(environment.fields.map(\.text) == ["com.example.app", "iPhone12,1", "iOS 17", "60", "Release"])
    }

    @Test func visitsDropsScreensAndMetricsArriveWithTheirValues() async throws {
        let read = try await Self.read(expectsEnd: true) { log in
            log.iteration = 4
            log.test = "UITests/Search/test"
            var visit = LogEvent.Visit(place: Self.place)
            visit.initialLoad = .milliseconds(900)
            log.record(.visit(visit))
            visit.initialLoad = .milliseconds(512.9)
            visit.firstLayout = .milliseconds(41.2)
            visit.additionalLoads = [.zero, .milliseconds(251.5)]
            visit.richContentLoads = [
                RichContentLoad(duration: .milliseconds(180.2), outcome: .loaded),
                RichContentLoad(duration: .milliseconds(5), outcome: .hidden),
            ]
            visit.scrollThreadHangs = [.milliseconds(33.3)]
            visit.candidates = ["ttil_v2": .milliseconds(498)]
            log.record(.visit(visit))
            log.record(
                .frameDrop(
                    LogEvent.FrameDrop(
                        place: Self.place, scroll: 0, framesDropped: 3, cumulativeFrames: 3, cumulativeEvents: 1)))
            log.record(.scroll(LogEvent.Scroll(place: Self.place, scroll: 0, duration: .milliseconds(800))))
            var screen = LogEvent.Screen(place: Self.place, duration: .milliseconds(1_000))
            screen.hitch = .milliseconds(41)
            screen.hang = .zero
            log.record(.screen(screen))
            log.record(.metric(LogEvent.CustomMetric(place: Self.place, id: "launch", unit: "s", values: [0.412])))
        }
        let expected: [String: [Double]] = [
            "ttil": [512.9], "ttfl": [41.2], "alt": [125.75], "rclt": [180.2], "scroll_thread_hang": [33.3],
            "candidates.ttil_v2": [498], "dropped_frames": [3], "drop_events": [1], "hitch_ratio_screen": [41],
            "hang_rate": [0], "launch": [412],
        ]
        for (metric, values) in expected { #expect(read.values("Search", metric) == values, "\(metric)") }
        let iterations = Set(read.cells.values.flatMap { $0.runs.flatMap { $0.samples.map(\.iteration) } })
        #expect(iterations == [4])
        #expect(read.pages.values.first?.tests == ["UITests/Search/test"])
        #expect(read.diagnostics.isEmpty)
    }

    @Test func aLogInManyPartsIsOneRunWithTheSameValues() async throws {
        let record: @Sendable (EventLog) -> Void = { log in
            for scroll in 0..<40 {
                log.record(.frames(LogEvent.Frames(place: Self.place, scroll: scroll, ticks: Self.ticks)))
                log.record(.scroll(LogEvent.Scroll(place: Self.place, scroll: scroll, duration: .milliseconds(100))))
            }
        }
        let whole = try await Self.read(EventLogOptions(partSize: nil), expectsEnd: true, record)
        let split = try await Self.read(
            EventLogOptions(partSize: 1_000, writeInterval: .zero), expectsEnd: true, record)
        #expect(whole.runs.first?.streams.count == 1)
        #expect(try #require(split.runs.first).streams.count > 5)
        #expect(split.cells == whole.cells)
        #expect(split.diagnostics.isEmpty)
    }

    @Test(arguments: [(false, true), (true, false)])
    func theReaderSaysThatLinesWereLost(expectsEnd: Bool, isComplete: Bool) async throws {
        let read = try await Self.read(EventLogOptions(bufferLimit: 2_000), expectsEnd: expectsEnd) { log in
            for scroll in 0..<2_000 {
                log.record(.scroll(LogEvent.Scroll(place: Self.place, scroll: scroll, duration: .milliseconds(1))))
            }
        }
        #expect(read.codes == [.wrongLineCount])
        #expect(read.diagnostics.first?.severity == (expectsEnd ? .error : .warning))
        #expect(read.runs.first?.isComplete == isComplete)
    }

    @Test func aScrollThatWasCutByAKillIsNoSample() async throws {
        let folder = try LogFolder()
        let path = try folder.write(
            runLine() + #"{"type":"frame_drop","page":"P","scroll":0,"frames_dropped":0}"# + "\n"
                + #"{"type":"scroll","page":"P","scroll":0,"duration_ms":5}"# + "\n"
                + #"{"type":"frame_drop","page":"P","scroll":1,"frames_dropped":7}"# + "\n" + #"{"type":"scro"#)
        let read = Ingest().read([path])
        #expect(read.values("P", "dropped_frames") == [0])
        #expect(read.codes.contains(.cutLastLine))
    }
}
