import Foundation
import PerfgateFiles
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Runs, parts, ends and contexts.
struct StreamTests {
    static let visit = #"{"type":"pps","page":"P","visit_id":"v","ttil_ms":500}"# + "\n"

    @Test func theSameStreamTwiceCountsOnce() throws {
        let folder = try LogFolder()
        let text = runLine() + Self.visit
        let paths = [try folder.write(text, as: "a.ndjson"), try folder.write(gzip(text), as: "b.ndjson.gz")]
        let measurements = Ingest().read(paths)
        #expect(measurements.values("P", "ttil") == [500])
        #expect(measurements.codes == [.repeatedStream])
        #expect(measurements.runs.first?.isComplete == true)
    }

    @Test func aNamedPipeWaitsForItsWriter() throws {
        let folder = try LogFolder()
        let path = folder.url.appending(path: "pipe").path
        try #require(mkfifo(path, 0o600) == 0)
        let text = runLine() + Self.visit
        let writer = Thread {
            usleep(100_000)
            let descriptor = open(path, O_WRONLY)
            usleep(100_000)
            _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            close(descriptor)
        }
        writer.start()
        #expect(Ingest().read([path]).values("P", "ttil") == [500])
    }

    @Test(.timeLimit(.minutes(30))) func aNamedPipeWithoutAWriterIsGivenUp() throws {
        let folder = try LogFolder()
        let path = folder.url.appending(path: "pipe").path
        try #require(mkfifo(path, 0o600) == 0)
        let measurements = NamedPipe.$seconds.withValue(0.2) { Ingest().read([path]) }
        #expect(measurements.faultyInputs.map(\.path) == [path])
        #expect(measurements.faultyInputs.first?.message.contains("no program has opened the pipe") == true)
    }

    @Test func theSameIdentityWithOtherContentIsBadData() throws {
        let folder = try LogFolder()
        let paths = [
            try folder.write(runLine() + Self.visit, as: "a.ndjson"),
            try folder.write(runLine() + Self.visit + Self.visit, as: "b.ndjson"),
        ]
        let measurements = Ingest().read(paths)
        #expect(measurements.codes == [.conflictingStream])
        #expect(measurements.runs.first?.isComplete == false)
    }

    @Test func aLaterPartReplacesACheckpoint() throws {
        let folder = try LogFolder()
        let later = #"{"type":"pps","page":"P","visit_id":"v","ttil_ms":700}"# + "\n"
        let paths = [
            try folder.write(runLine("r", #","part":"launch-10""#) + later, as: "a.ndjson"),
            try folder.write(runLine("r", #","part":"launch-2""#) + Self.visit, as: "b.ndjson"),
        ]
        #expect(Ingest().read(paths).values("P", "ttil") == [700])
        #expect(Ingest().read(paths.reversed()) == Ingest().read(paths))
    }

    @Test func aCheckpointWithAnOutcomeIsAVisitAndOneWithoutGoesOn() throws {
        func read(_ fields: String) throws -> Measurements {
            try LogFolder.measurements(
                runLine() + #"{"type":"pps","page":"P","visit_id":"v","checkpoint":true,\#(fields)}"# + "\n")
        }
        let loaded = try read(#""outcome":"loaded","ttil_ms":900"#)
        #expect(loaded.values("P", "ttil") == [900])
        #expect(loaded.values("P", "load_failures") == [0])
        #expect(try read(#""outcome":"error""#).values("P", "load_failures") == [1])
        // A visible image doesn't mean that the page is loaded.
        let open = try read(#""ttfl_ms":40,"rclt":[{"ms":3}]"#)
        #expect(open.values("P", "load_failures") == nil)
        #expect(open.values("P", "ttfl") == [40])
    }

    @Test func checkpointsOfManyVisitsChangeNoValue() throws {
        func lines(_ times: [Int]) -> String {
            (0..<3_000).map { number in
                let visit = #"{"type":"pps","page":"P\#(number % 7)","visit_id":"v\#(number)""#
                return times.map { time in
                    let end = time == 0 ? #","outcome":"loaded"}"# : #","checkpoint":true}"#
                    return visit + #","ttfl_ms":\#(number + time),"ttil_ms":\#(2 * number + time)"# + end + "\n"
                }.joined()
            }.joined()
        }
        let cells = try LogFolder.measurements(runLine() + lines([4, 3, 2, 1, 0])).cells
        #expect(try cells == LogFolder.measurements(runLine() + lines([0])).cells)
    }

    @Test func hangsFromAnotherLengthOnAreAnotherMetric() throws {
        func formula(_ fields: String) throws -> [String] {
            let line = #"{"type":"screen","page":"P","duration_ms":9000,"hang_ms":600,"hitch_ms":3\#(fields)}"# + "\n"
            let cells = try LogFolder.measurements(runLine() + line).cells
            return cells.filter { ["hang_rate", "hitch_ratio_screen"].contains($0.key.metric) }
                .sorted { $0.key.metric < $1.key.metric }.map(\.value.formula)
        }
        #expect(try formula("") == ["1", "1"])
        #expect(try formula(#","hang_threshold_ms":500"#) == ["hang_threshold_ms=500", "1"])
    }

    @Test func aPromisedEndThatIsMissingIsBadData() throws {
        let measurements = try LogFolder.measurements(runLine("r", #","expects_end":true"#) + Self.visit)
        #expect(measurements.codes == [.missingEnd])
        #expect(measurements.runs.first?.isComplete == false)
        #expect(measurements.values("P", "ttil") == [500])
    }

    @Test func anEndCountsItsLines() throws {
        let good = runLine("r", #","expects_end":true"#) + Self.visit + #"{"type":"end","run_id":"r","lines":3}"# + "\n"
        let sound = try LogFolder.measurements(good)
        #expect(sound.diagnostics == [])
        let bad = try LogFolder.measurements(good.replacing("\"lines\":3", with: "\"lines\":4"))
        #expect(bad.codes == [.wrongLineCount])
        #expect(bad.runs.first?.isComplete == false)
    }

    @Test func aPromisedEndThatIsMissingNamesTheLastLine() throws {
        let text = runLine("r", #","expects_end":true"#) + Self.visit + #"{"type":"pps","pa"#
        let cut = try LogFolder.measurements(text)
        #expect(cut.diagnostics.filter { $0.code == .missingEnd }.map(\.line) == [3])
        #expect(cut.runs.first?.streams.first?.faults.first?.contains("line 3") == true)
        let next = try LogFolder.measurements(
            runLine("r", #","expects_end":true"#) + Self.visit + runLine("s") + Self.visit)
        #expect(next.diagnostics.map(\.line) == [2])
    }

    @Test(arguments: [
        (#""part":"launch-2""#, [DiagnosticCode.badLine, .missingEnd]), (#""part":"launch-1""#, []),
        (#""run_id":"r""#, []), (#""run_id":"s""#, [.badLine, .missingEnd]),
    ])
    func anEndClosesOnlyItsOwnPart(_ field: String, _ codes: [DiagnosticCode]) throws {
        let text =
            runLine("r", #","part":"launch-1","expects_end":true"#) + Self.visit + #"{"type":"end",\#(field)}"# + "\n"
        #expect(try LogFolder.measurements(text).codes == codes)
    }

    @Test func theFirstFrameIsThatOfTheFirstPart() throws {
        let folder = try LogFolder()
        func frames(_ start: Int, _ interval: Int) -> String {
            #"{"type":"frames","page":"P","timestamps_ns":[\#(start),\#(start + interval)],"duration_ns":16666667}"#
                + "\n"
        }
        // The clock of the second launch restarted, so its timestamps are smaller.
        let paths = [
            try folder.write(runLine("r", #","part":"launch-10""#) + frames(5, 50_000_000), as: "a.ndjson"),
            try folder.write(runLine("r", #","part":"launch-2""#) + frames(9_000_000_000, 20_000_000), as: "b.ndjson"),
        ]
        let measurements = Ingest().read(paths)
        #expect(measurements.values("P", "first_frame") == [20])
        #expect(measurements.values("P", "fps_min") == [20])
    }

    @Test func everyFieldOfTheContextIsRead() throws {
        for name in Context.names {
            let (json, value): (String, FieldValue) =
                Context.numbers.contains(name)
                ? ("7", .number(7)) : Context.flags.contains(name) ? ("true", .flag(true)) : (#""x""#, .text("x"))
            let measurements = try LogFolder.measurements(#"{"type":"run","run_id":"r","\#(name)":\#(json)}"# + "\n")
            #expect(measurements.runs.first?.context == Context([name: value]), "\(name)")
        }
    }

    @Test func aCutLastLineIsDroppedWithAWarning() throws {
        let measurements = try LogFolder.measurements(runLine() + Self.visit + #"{"type":"pps","page":"#)
        #expect(measurements.codes == [.cutLastLine])
        #expect(measurements.diagnostics.first?.line == 3)
        #expect(measurements.runs.first?.isComplete == true)
    }

    @Test func linesBeforeAnyRunFormARunOfTheirContent() throws {
        let first = try LogFolder.measurements(Self.visit)
        let second = try LogFolder.measurements(Self.visit)
        #expect(first.runs.map(\.id) == second.runs.map(\.id))
        #expect(first.runs.first?.id.hasPrefix("implicit-") == true)
        #expect(first.codes == [.unknownField])
    }

    @Test func aLinesOwnFieldsWin() throws {
        let own = #"{"type":"pps","page":"P","ttil_ms":1,"device":"iPad1,1","os":"iOS 16.1"}"# + "\n"
        let measurements = try LogFolder.measurements(runLine() + Self.visit + own)
        #expect(
            measurements.environments.map(\.description) == [
                "com.example.app, iPad1,1, iOS 16, unknown, Release",
                "com.example.app, iPhone12,1, iOS 17, 60 Hz, Release",
            ])
    }

    @Test func conditionsSelectLines() throws {
        let own = #"{"type":"pps","page":"P","ttil_ms":1,"network":"lte"}"# + "\n"
        let text = runLine("r", #","network":"wifi""#) + Self.visit + own
        let measurements = try LogFolder.measurements(text) { $0.conditions = [.init(field: "network", value: "lte")] }
        #expect(measurements.values("P", "ttil") == [1])
    }

    @Test func flagsFillWhatTheLogDoesNotSay() throws {
        let measurements = try LogFolder.measurements(Self.visit) {
            $0.context = Context(["device": .text("iPhone12,1"), "max_fps": .number(60)])
        }
        #expect(measurements.environments.map(\.description) == ["unknown, iPhone12,1, unknown, 60 Hz, unknown"])
    }

    @Test func badLinesAreReportedWithTheirNumbers() throws {
        let text = runLine() + "nonsense\n\n{\"type\":\n" + Self.visit
        let measurements = try LogFolder.measurements(text)
        #expect(measurements.diagnostics.map(\.line) == [2, 4])
        #expect(measurements.values("P", "ttil") == [500])
        #expect(measurements.runs.first?.streams.first?.faults == ["2 lines can't be read, the first is line 2."])
        let allowed = try LogFolder.measurements(text) { $0.badLines = 2 }
        #expect(allowed.runs.first?.isComplete == true)
    }

    @Test func namelessPagesAreCountedAndReported() throws {
        let text =
            runLine() + #"{"type":"pps","page":" \t","ttil_ms":1}"# + "\n" + #"{"type":"pps","ttil_ms":1}"# + "\n"
        let measurements = try LogFolder.measurements(text)
        #expect(measurements.cells.isEmpty)
        #expect(measurements.diagnostics.map(\.message) == ["2 lines name no page and were left out."])
    }

    @Test func anUnknownTypeIsReportedOnce() throws {
        let measurements = try LogFolder.measurements(runLine() + "{\"type\":\"new\"}\n{\"type\":\"new\"}\n")
        #expect(measurements.codes == [.unknownType])
    }
}
