import Foundation
import Testing

@testable import PagePerformance

/// What field data needs of a log: times, users, own dimensions, parts that can be sent, and consent.
struct LogFieldTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)").path
    private static let visit = LogEvent.visit(LogEvent.Visit(place: LogEvent.Place(page: "P", visit: "v")))

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test func linesHaveTheirOwnTime() async {
        let clock = ManualClock(start: .seconds(50))
        let sink = CollectingSink()
        let log = EventLog(
            EventLogTests.run, to: sink,
            clock: WallClock(reading: .seconds(1_795_000_000), clock: clock))
        log.record(Self.visit)
        // Two days later in the same process, of which the device slept most.
        clock.advance(by: .seconds(172_800) + .milliseconds(7))
        log.record(Self.visit)
        log.record(EventLogTests.scroll(0))
        await log.close()
        let times = sink.lines[0].map { $0.firstMatch(of: /"at":"([^"]*)"/).map { String($0.1) } }
        #expect(times == [nil, "2026-11-18T11:06:40.000Z", "2026-11-20T11:06:40.007Z", nil, nil])
    }

    @Test(arguments: [true, false]) func onlyTestsLogReadingsOfTheDevicesClock(_ keepsStarts: Bool) async {
        let sink = CollectingSink()
        let log = EventLog(EventLogTests.run, to: sink, options: EventLogOptions(keepsStarts: keepsStarts))
        let clock = ManualClock(start: .seconds(70))
        let recorder = PageRecorder(
            log: log, configuration: PPSConfiguration(), frames: FrameDropDetector.Configuration(), clock: clock)
        let page = recorder.makePage(named: "Search")
        page.handleDidLoad(at: .milliseconds(69_990))
        page.handleDidAppear()
        clock.advance(by: .milliseconds(8))
        page.handleDidRender(isLoading: false, isError: true)
        page.handleDidDisappear()
        page.handleWillAppear()
        page.handleDidAppear()
        page.handleDidDisappear()
        await log.close()
        let starts = sink.lines[0].filter { $0.contains(#""pps""#) }.map {
            $0.firstMatch(of: /"start_ns":([0-9]*)/).map { String($0.1) }
        }
        // The checkpoint has the start of its visit.
        let expected = ["69990000000", "69990000000", "70008000000", "70008000000"]
        #expect(starts == expected.map { keepsStarts ? $0 : nil })
    }

    @Test func theClockOfEventsGoesOnInSleep() {
        let clock = WallClock()
        let wall = Nanoseconds(reading: CLOCK_REALTIME)
        let difference = max(clock.now, wall).since(min(clock.now, wall)) ?? .zero
        #expect(difference < .seconds(600))
    }

    @Test func aUserIsOnEveryLineThatCountsAndCanBeReplaced() async {
        let sink = CollectingSink()
        let log = EventLog(EventLogTests.run, to: sink, options: EventLogOptions(user: "a\"1"))
        log.record(Self.visit)
        log.user = "b2"
        log.record(Self.visit)
        log.user = nil
        log.record(Self.visit)
        await log.close()
        let users = sink.lines[0].dropFirst().dropLast().map {
            $0.firstMatch(of: /"user":"((?:[^"\\]|\\.)*)"/).map { String($0.1) }
        }
        #expect(users == [#"a\"1"#, "b2", nil])
    }

    @Test func tagsAreOnTheRunLineAndOnThoseOfLaterParts() async {
        let sink = CollectingSink()
        var run = EventLogTests.run
        run.tags = ["market": "de", "search_ranking": "control"]
        let log = EventLog(run, to: sink)
        log.record(Self.visit)
        log.setTags(["market": "fr"])
        log.record(Self.visit)
        log.endPart()
        log.record(Self.visit)
        await log.close()
        #expect(sink.lines[0][0].hasSuffix(#","tags":{"market":"de","search_ranking":"control"}}"#))
        #expect(sink.lines[0][2] == #"{"type":"state","iteration":0,"tags":{"market":"fr"}}"#)
        #expect(sink.lines[1][0].hasSuffix(#","tags":{"market":"fr"}}"#))
    }

    @Test func tagsAreBounded() {
        let many = LogTags(Dictionary(uniqueKeysWithValues: (10..<30).map { ("n\($0)", "v") }))
        #expect(many.values.map(\.name) == (10..<18).map { "n\($0)" })
        let hostile = LogTags([
            String(repeating: "n", count: 99): String(repeating: "é", count: 99), "a b\"\n": "<b>\u{202E}",
            "empty": " ", "": "x",
        ])
        #expect(hostile.values.map(\.name) == ["a_b__", String(repeating: "n", count: 32)])
        #expect(hostile.values.map(\.value) == ["<b>\u{202E}", String(repeating: "é", count: 32)])
    }

    @Test func aPartEndsWhenItIsAskedForAndTheNextBeginsWithTheNextEvent() async {
        let sink = CollectingSink()
        let log = EventLog(EventLogTests.run, to: sink)
        log.record(Self.visit)
        await withCheckedContinuation { continuation in log.endPart { _ in continuation.resume() } }
        #expect(sink.lines.map { $0.last?.contains(#""type":"end""#) } == [true])
        log.endPart()
        #expect(await log.flush() == .written)
        #expect(sink.names == ["launch-1"])
        log.record(Self.visit)
        await log.close()
        #expect(sink.names == ["launch-1", "launch-1.2"])
        #expect(sink.lines[1].map { $0.contains(#""lines":3"#) } == [false, false, true])
    }

    /// Also if one scroll never ends.
    @Test func aPartOfTheFieldHasAtMostAMegabyte() async {
        let sink = CollectingSink()
        let log = EventLog(
            EventLogTests.run, to: sink,
            options: EventLogOptions(bufferLimit: .max, partSize: EventLogOptions.fieldPartSize))
        for segment in 0..<150 {
            let ticks = (0..<1_024 as Range<UInt64>).map {
                FrameTick(timestamp: .seconds(90_000) + .milliseconds($0 * 16))
            }
            log.record(
                .frames(LogEvent.Frames(place: LogEvent.Place(page: "P"), scroll: 0, segment: segment, ticks: ticks)))
        }
        await log.close()
        let sizes = sink.lines.map { $0.reduce(0) { $0 + $1.utf8.count + 1 } }
        #expect(sizes.count > 1 && sizes.allSatisfy { $0 <= 1 << 20 }, "\(sizes)")
    }

    @Test func whatIsRecordedWithoutConsentIsGone() async {
        let sink = CollectingSink()
        let log = EventLog(EventLogTests.run, to: sink, options: EventLogOptions(hasConsent: false))
        let outcome = LockedValue<EventLog.Delivery?>(nil)
        log.record(Self.visit) { delivery in outcome.withLock { $0 = delivery } }
        #expect(outcome.withLock { $0 } == .withoutConsent)
        await log.flush()
        #expect(sink.names.isEmpty)
        log.hasConsent = true
        log.record(Self.visit)
        await log.flush()
        log.hasConsent = false
        log.record(Self.visit)
        await log.close()
        #expect(sink.names == ["launch-1"])
        #expect(sink.lines[0].count == 3)
        #expect(log.counts.withoutConsent == 2)
    }

    /// Somebody removes the file of a living process, such as another process' uploader after an hour: nothing after that is
    /// lost.
    @Test func aLogGoesOnInAnotherPartIfItsFileIsGone() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = EventLog(EventLogTests.run, to: FileSink(folder: folder))
        log.record(EventLogTests.scroll(0))
        await log.flush()
        try FileManager.default.moveItem(atPath: folder + "/r_launch-1.ndjson", toPath: folder + "/taken")
        log.record(EventLogTests.scroll(1))
        #expect(await log.flush() == .written)
        log.record(EventLogTests.scroll(2))
        #expect(await log.close() == .written)
        #expect(names == ["r_launch-1.2.ndjson", "taken"])
        let lines = try String(contentsOfFile: folder + "/r_launch-1.2.ndjson", encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 4 && lines[0].contains(#""part":"launch-1.2""#))
        #expect(lines[1].contains(#""scroll":1"#) && lines[2].contains(#""scroll":2"#))
        #expect(lines[3] == #"{"type":"end","run_id":"r","part":"launch-1.2","lines":4}"#)
        #expect(log.counts.lost == 0)
    }

    @Test func anEndWithoutItsFileIsLeftOut() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = EventLog(EventLogTests.run, to: FileSink(folder: folder))
        log.record(EventLogTests.scroll(0))
        await log.flush()
        try FileManager.default.moveItem(atPath: folder + "/r_launch-1.ndjson", toPath: folder + "/taken")
        await withCheckedContinuation { continuation in log.endPart { _ in continuation.resume() } }
        #expect(names == ["taken"])
        log.record(EventLogTests.scroll(1))
        #expect(await log.close() == .written)
        let lines = try String(contentsOfFile: folder + "/r_launch-1.2.ndjson", encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 3 && lines[2].contains(#""part":"launch-1.2","lines":3"#))
    }

    /// A part without an end is another process' until it is an hour old.
    @Test func onlyPartsThatNobodyWritesAreSent() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func write(_ name: String, _ text: String, age: Double) throws {
            try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
            let date = Date(timeIntervalSinceNow: -age)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder + "/" + name)
        }
        let end = #"{"type":"run"}"# + "\n" + #"{"type":"end","run_id":"r"}"# + "\n"
        try write("ended.ndjson", end, age: 0)
        try write("living.ndjson", #"{"type":"run"}"# + "\n", age: 3_500)
        try write("killed.ndjson", #"{"type":"run"}"# + "\n" + #"{"type":"end","ru"#, age: 3_700)
        // This process was interrupted while it sent one part, and another process sends another.
        try write("interrupted.ndjson.\(getpid()).sending", #"{"type":"run"}"# + "\n", age: 0)
        try write("elsewhere.ndjson.1.sending", #"{"type":"run"}"# + "\n", age: 9_999)
        #expect(LogRetention(files: 4).apply(to: folder) == 0)
        let paths = LockedValue<[String]>([])
        let uploader = LogUploader(folder: folder) { batch in
            paths.withLock { $0.append(String(batch.path.split(separator: "/").last ?? "")) }
            return true
        }
        #expect(await uploader.upload() == LogUploader.Outcome(sent: 3, kept: 0))
        let claims = ["ended", "killed", "interrupted"].map { "\($0).ndjson.\(getpid()).sending" }
        #expect(Set(paths.withLock { $0 }) == Set(claims))
        #expect(names == ["elsewhere.ndjson.1.sending", "living.ndjson"])
        #expect(LogFolder.removeLogs(in: folder) == 2)
    }

    @Test func whatDidNotArriveHasItsNameAgainAndNothingIsSentWithoutConsent() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for number in 1...2 {
            let log = EventLog(LogEvent.Run(id: "r", part: "p\(number)"), to: FileSink(folder: folder))
            await log.close()
        }
        let refusing = LogUploader(folder: folder) { _ in false }
        #expect(await refusing.upload() == LogUploader.Outcome(sent: 0, kept: 2))
        #expect(names == ["r_p1.ndjson", "r_p2.ndjson"])
        let hasConsent = LockedValue(true)
        let uploader = LogUploader(folder: folder) { _ in
            hasConsent.withLock { $0 = false }
            return true
        }
        #expect(await uploader.upload { hasConsent.withLock { $0 } } == LogUploader.Outcome(sent: 1, kept: 1))
        #expect(names.count == 1)
    }

    @Test func tagsSetBeforeConsentHoldFromThenOn() async {
        let sink = CollectingSink()
        let log = EventLog(EventLogTests.run, to: sink, options: EventLogOptions(hasConsent: false))
        log.setTags(["market": "de"])
        log.setTags(["market": "fr"])
        log.hasConsent = true
        log.record(Self.visit)
        await log.close()
        #expect(sink.lines[0].prefix(3).contains { $0.contains(#""tags":{"market":"fr"}"#) })
        #expect(!sink.lines[0].contains { $0.contains(#""market":"de""#) })
    }

    /// Parts are counted on their own: a visit that goes on in another part says so.
    @Test func aVisitOfAnEarlierPartSaysSo() async {
        func line(_ id: String, isCheckpoint: Bool) -> LogEvent {
            var visit = LogEvent.Visit(place: LogEvent.Place(page: "P", visit: id))
            visit.isCheckpoint = isCheckpoint
            return .visit(visit)
        }
        let sink = CollectingSink()
        let log = EventLog(EventLogTests.run, to: sink)
        for event in [line("a", isCheckpoint: true), line("b", isCheckpoint: true), line("b", isCheckpoint: false)] {
            log.record(event)
        }
        log.endPart()
        for event in [line("a", isCheckpoint: true), line("a", isCheckpoint: false), line("c", isCheckpoint: false)] {
            log.record(event)
        }
        await log.close()
        let marks = sink.lines.map { part in
            part.filter { $0.contains(#""type":"pps""#) }.map { $0.contains(#""continued":true"#) }
        }
        #expect(marks == [[false, false, false], [true, true, false]])
    }

    /// An hour of images and loads in one visit: its line is bounded, and its sums are exact.
    @Test func theLineOfALongVisitIsBounded() throws {
        let clock = ManualClock(start: .seconds(100))
        var events: [PageVisitEvent] = []
        let machine = PPSStateMachine(pageName: "Feed", clock: clock) { events.append($0) }
        machine.handleDidLoad()
        machine.handleDidAppear()
        machine.handleDidRender(isLoading: false)
        machine.handleRenderCycle()
        for number in 0..<5_000 {
            let slot = ImageSlot(number: number)
            machine.handleImageLoad(slot: slot, url: "https://a/\(number)", status: .placeholderVisible)
            clock.advance(by: .milliseconds(UInt64(number % 3)))
            machine.handleImageLoad(slot: slot, url: "https://a/\(number)", status: .shown)
        }
        for number in 0..<300 {
            machine.handleDidRender(isLoading: true, isInitialLoading: false)
            machine.handleLoaderVisibility(isVisible: number.isMultiple(of: 2))
            clock.advance(by: .milliseconds(5))
            machine.handleLoaderVisibility(isVisible: false)
            machine.handleDidRender(isLoading: false)
            machine.handleRenderCycle()
        }
        for frame in 0..<2_000 as Range<UInt64> {
            let time = Nanoseconds.seconds(1_000) + .milliseconds(frame * 50)
            machine.handleFrameTick(FrameTick(timestamp: time, target: time + .milliseconds(16)), isTracking: true)
        }
        machine.handleCheckpoint()
        machine.handleCheckpoint()
        machine.handleDidDisappear()
        let lines = events.map { LogEvent.visit(LogEvent.Visit($0)).line }
        #expect(lines.count == 3 && lines.allSatisfy { $0.count < 16_000 }, "\(lines.map(\.count))")
        let visit = try #require(events.last).visit
        #expect(visit.richContentLoads?.count == 5_000)
        #expect(visit.sample(of: .rclt) == 4_999.0 / 5_000)
        #expect(visit.sample(of: .rcltShown) == 4_999.0 / 3_333)
        #expect(visit.additionalLoads?.count == 300)
        #expect(visit.sample(of: .alt) == 2.5)
        #expect(visit.scrollThreadHang == .milliseconds(1_999 * 34))
    }
}
