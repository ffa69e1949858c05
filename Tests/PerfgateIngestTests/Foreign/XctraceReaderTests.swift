import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The results of reading a trace's tables.
struct XctraceReaderTests {
    /// The result of the files in one folder, by name; their order doesn't matter.
    private static func read(_ files: [String: String]) throws -> Measurements {
        let folder = try LogFolder()
        for name in files.keys {
            try FileManager.default.createDirectory(at: url(name, in: folder), withIntermediateDirectories: true)
        }
        let paths = try files.sorted { $0.key < $1.key }.map { try folder.write($0.value, as: $0.key) }
        let result = Ingest().read(paths)
        #expect(result == Ingest().read(paths.reversed()))
        return result
    }

    private static func url(_ name: String, in folder: LogFolder) -> URL {
        folder.url.appending(path: name).deletingLastPathComponent()
    }

    /// The values of one page by metric.
    private static func values(_ result: Measurements, _ page: String = "Sample App") -> [String: [Double]] {
        let cells = result.cells.filter { $0.key.page.name == page }
        return Dictionary(uniqueKeysWithValues: cells.map { ($0.key.metric, $0.value.values) })
    }

    @Test func hitchesAreSummedAndThoseOfTheSystemLeftOut() throws {
        let result = try Self.read(["hitches.xml": XctraceFixture.text])
        #expect(Self.values(result) == ["hitches": [3], "hitch_duration": [116.666666]])
        #expect(result.pages.count == 1)
        #expect(result.codes.contains(.skippedRecords))
        #expect(result.diagnostics.contains { $0.code == .notMeasured && $0.message.contains("--toc") })
    }

    @Test func theTableOfContentsKnowsLengthAndDevice() throws {
        let result = try Self.read(["hitches.xml": XctraceFixture.text, "toc.xml": XctraceFixture.contents()])
        #expect(Self.values(result)["hitch_ratio_screen"] == [116.666666 / 10.5])
        let context = try #require(result.runs.first?.context)
        #expect(
            context.fields == [
                "device": .text("iPhone 11"), "device_id": .text("D1"), "os": .text("iOS 17.5"),
                "simulator": .flag(false), "started_at": .text("2026-11-20T10:00:00Z"),
            ])
    }

    /// The target may only have the process's number; its name is then in the list of processes.
    @Test(arguments: [
        #"<process type="attached" pid="77"/>"#, #"<process name="Other name" pid="77"/>"#, "<process type=\"all\"/>",
    ])
    func theRecordedProcessIsFound(_ process: String) throws {
        let result = try Self.read([
            "hitches.xml": XctraceFixture.text, "toc.xml": XctraceFixture.contents(process: process),
        ])
        #expect(result.cells.filter { $0.key.metric == "hitches" }.map(\.value.values) == [[3]])
    }

    @Test func otherProcessesThanTheRecordedOneAreLeftOut() throws {
        let process = #"<process type="launched" name="Other" pid="78"/>"#
        let result = try Self.read([
            "hitches.xml": XctraceFixture.text, "toc.xml": XctraceFixture.contents(process: process),
        ])
        #expect(Self.values(result, "Other")["hitches"] == [0])
        #expect(result.pages.count == 1)
        #expect(
            result.diagnostics.contains { $0.message.contains("3 of 4 rows left out: they are of other processes") })
    }

    /// A process that waited and never hung was watched.
    @Test func aTraceWithShortWaitsOnlyHasNoHangs() throws {
        let result = try Self.read(["hangs.xml": XctraceFixture.hangs([100_000_000, 250_000_000])])
        #expect(Self.values(result) == ["hangs": [0], "hang_duration": [0]])
        #expect(result.runs.map(\.isComplete) == [true])
        #expect(result.faultyInputs.isEmpty)
        #expect(!result.codes.contains(.pageWithoutName))
        #expect(result.diagnostics.contains { $0.message.contains("2 of 2 rows left out: they are not longer") })
    }

    @Test func aHangIsLongerThanAQuarterOfASecond() throws {
        let hangs = XctraceFixture.hangs([250_000_000, 250_000_001, 1_000_000_000])
        let result = try Self.read(["hangs.xml": hangs, "toc.xml": XctraceFixture.contents()])
        #expect(
            Self.values(result) == [
                "hangs": [2], "hang_duration": [1250.000001], "hang_rate": [3.6 * 1250.000001 / 10.5],
            ])
        #expect(result.diagnostics.contains { $0.message.contains("1 of 3 rows left out: they are not longer") })
    }

    /// A table with only a header means that nothing happened; without the table it is unknown.
    @Test func aHeaderAloneIsZero() throws {
        let columns = ["duration:duration", "process:process"]
        let files = [
            "hitches.xml": XctraceFixture.result([XctraceFixture.table("hitches", columns)]),
            "risks.xml": XctraceFixture.result([XctraceFixture.table("hang-risks", ["process:process"])]),
            "toc.xml": XctraceFixture.contents(),
        ]
        #expect(
            Self.values(try Self.read(files)) == [
                "hitches": [0], "hitch_duration": [0], "hitch_ratio_screen": [0], "hang_risks": [0],
            ])
        let unknown = try Self.read(["hitches.xml": files["hitches.xml"] ?? ""])
        #expect(unknown.cells.isEmpty)
        #expect(unknown.codes.contains(.pageWithoutName))
    }

    @Test(arguments: [(16_666_667, 60.0), (8_333_333, 120.0), (20_833_333, 48.0)])
    func displayIntervalsGiveTheRefreshRate(_ interval: Int, _ rate: Double) throws {
        let rows = (0..<60).map { index in
            // Every fifth frame lasts twice as long, and one comes too early.
            XctraceFixture.start(index, (index + index / 5 + 10) * interval - (index == 30 ? interval / 2 : 0))
                + #"<display-name fmt="Display 1">Display 1</display-name>"#
        }
        let table = XctraceFixture.table(
            "display-vsyncs-interval", ["timestamp:start-time", "display-name:display-name"], rows)
        let result = try Self.read([
            "hitches.xml": XctraceFixture.text, "vsyncs.xml": XctraceFixture.result([table]),
        ])
        #expect(result.runs.map(\.context.maxFPS) == [rate])
    }

    @Test func eachFolderIsATrace() throws {
        let risks = XctraceFixture.result([XctraceFixture.table("hang-risks", ["process:process"])])
        let result = try Self.read([
            "a/hitches.xml": XctraceFixture.text, "a/risks.xml": risks, "a/toc.xml": XctraceFixture.contents(),
            "b/hangs.xml": XctraceFixture.hangs([300_000_000]), "b/risks.xml": risks,
            "b/toc.xml": XctraceFixture.contents(duration: "20"),
        ])
        #expect(result.runs.map(\.isComplete) == [true, true])
        #expect(Self.values(result)["hang_risks"] == [0, 0])
        #expect(Self.values(result)["hitches"] == [3])
    }

    @Test func severalRecordingsOfATraceAreRuns() throws {
        let columns = ["duration:duration", "process:process"]
        let row = XctraceFixture.duration(1, 20_000_000) + #"<process id="2" fmt="App (1)"/>"#
        let text = XctraceFixture.result([
            XctraceFixture.table("hitches", columns, [row]), XctraceFixture.table("hitches", columns, [], run: 2),
            XctraceFixture.table("hitches", columns, ["<duration ref=\"1\"/><process ref=\"2\"/>"], run: 3),
        ])
        let result = try Self.read(["all.xml": text])
        #expect(result.runs.count == 3)
        #expect(Self.values(result, "App")["hitch_duration"] == [20, 20])
    }

    @Test func tablesOfTwoTracesInOneFolderExcludeEachOther() throws {
        let files = ["a.xml": XctraceFixture.hangs([300_000_000]), "b.xml": XctraceFixture.hangs([400_000_000])]
        let result = try Self.read(files)
        #expect(result.runs.map(\.isComplete) == [false])
        #expect(result.runs.flatMap { $0.streams.flatMap(\.faults) }.first?.contains("a folder of its own") == true)
        let same = try Self.read([
            "a.xml": XctraceFixture.hangs([300_000_000]), "b.xml": XctraceFixture.hangs([300_000_000]),
        ])
        #expect(same.runs.map(\.isComplete) == [true])
        #expect(Self.values(same)["hangs"] == [1])
    }

    @Test func otherTablesAreLeftAloneAndReported() throws {
        let row = XctraceFixture.duration(1, 5) + #"<process id="2" fmt="App (1)"/>"#
        let table = XctraceFixture.table(
            "hitches-frame-lifetimes", ["duration:duration", "process:process"], [row, row])
        let result = try Self.read(["lifetimes.xml": XctraceFixture.result([table])])
        #expect(result.cells.isEmpty)
        #expect(result.faultyInputs.map(\.fault) == [.notFound])
        #expect(
            result.diagnostics.map(\.message).contains { $0.contains("2 of 2 rows left out: the table hitches-frame") })
    }

    /// The line of the error, or an error about the whole file.
    @Test(arguments: [
        ("<duration id='1'>-5</duration><process id='2' fmt='A (1)'/>", "its time is '-5'"),
        ("<duration id='1'>1e9</duration><process id='2' fmt='A (1)'/>", "its time is '1e9'"),
        ("<duration id='1'>99999999999999999999</duration><process id='2' fmt='A (1)'/>", "its time is '999"),
        ("<sentinel/><process id='2' fmt='A (1)'/>", "its time is nothing"),
        ("<process id='2' fmt='A (1)'/>", "it has 1 cells in 2 columns"),
    ])
    func aRowThatCantBeReadIsReported(_ row: String, _ problem: String) throws {
        let good = XctraceFixture.duration(8, 20_000_000) + #"<process id="9" fmt="A (1)"/>"#
        let table = XctraceFixture.table("hitches", ["duration:duration", "process:process"], [row, good])
        let result = try Self.read(["t.xml": XctraceFixture.result([table])])
        #expect(result.diagnostics.contains { $0.code == .badRecord && $0.message.contains(problem) && $0.line == 3 })
        #expect(result.runs.map(\.isComplete) == [false])
        #expect(Self.values(result, "A")["hitches"] == [1])
    }

    @Test(arguments: [
        ("<trace-query-result><node><schema name='hitches'/></node></trace-query-result>", "has no column duration"),
        ("<trace-query-result><node><row><a ref='7'/></row></node></trace-query-result>", "a cell has ref="),
        ("<trace-query-result/>", "holds no table"), ("<other/>", "isn't written by xctrace export"),
        ("<trace-query-result><node>", "(line 1)"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><trace-query-result>&b;</trace-query-result>", "declares a document type"),
    ])
    func aFileThatCantBeUsedIsRefused(_ text: String, _ problem: String) throws {
        let result = try LogFolder.measurements(text) { $0.format = "xctrace" }
        #expect(result.faultyInputs.map(\.fault) == [.badData])
        #expect(result.faultyInputs.first?.message.contains(problem) == true)
    }
}

/// Complete files, compared with the sums of an XPath tool.
struct XctraceSampleTests {
    /// A folder of samples, the app, its hitches and their milliseconds.
    struct Sums {
        let folder: URL
        let app: String
        let hitches: Double
        let duration: Double
    }

    /// For the tool's file, `sum(//row/duration[@id]) + count(//row/duration[@ref="12"]) * //duration[@id="12"]` is
    /// 616666828, in 11 rows. For ours it is twice 150000000 and twice 16666666 without the system's row.
    static let sums =
        [Sums(folder: SampleFiles.own, app: "Shop", hitches: 4, duration: 333.333332)]
        + (SampleFiles.tools.map { [Sums(folder: $0, app: "TestApp", hitches: 11, duration: 616.666828)] } ?? [])

    @Test(arguments: sums)
    func theSumsOfTheHitches(_ sums: Sums) throws {
        let result = Ingest().read([sums.folder.appending(path: "xctrace-xml/hitches.xml").path])
        #expect(result.values(sums.app, "hitches") == [sums.hitches])
        #expect(result.values(sums.app, "hitch_duration") == [sums.duration])
    }

    @Test(arguments: SampleFiles.folders)
    func theDisplayOfTheSampleHas60Hertz(_ folder: URL) throws {
        let bytes = try Data(contentsOf: folder.appending(path: "xctrace-xml/display-vsyncs-interval.xml"))
        let part = try XctraceReader.read(ForeignFile(path: "vsyncs", bytes: Array(bytes)))
        #expect(DisplayIntervals(part.tables).rate == 60)
    }
}
