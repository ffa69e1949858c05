import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The report on each input.
struct InputReportTests {
    private static let log =
        runLine() + #"{"type":"frames","page":"P","scroll":0,"timestamps_ns":[0,16,32],"duration_ns":16}"# + "\n"
        + #"{"type":"pps","page":"P","ttil_ms":7}"# + "\nnonsense\n"

    private static func survey(_ files: [(name: String, text: String)]) throws -> [ReportedInput] {
        let folder = try LogFolder()
        return Ingest().survey(try files.map { try folder.write($0.text, as: $0.name) }).inputs
    }

    @Test func aLog() throws {
        let input = try #require(try Self.survey([("a.ndjson", Self.log)]).first)
        #expect(input.format == "perfgate")
        #expect(input.records == nil)
        let lines = try #require(input.lines)
        let counts: [Int] = [lines.count, lines.parts, lines.visits, lines.intervals, lines.unreadable]
        #expect(counts == [4, 1, 1, 2, 1])
    }

    @Test func aFileOfAnotherTool() throws {
        let input = try #require(try Self.survey([("dump.txt", GfxinfoFixture.text)]).first)
        #expect(input.format == "gfxinfo")
        #expect(input.title == GfxinfoReader.title)
        #expect(input.lines == nil)
        let records = try #require(input.records)
        let counts: [Int] = [records.read, records.skipped, records.notUnderstood]
        #expect(counts == [4, 1, 0])
    }

    /// A text, its reported format, and its classification.
    @Test(arguments: [
        ("<svg/>", nil, FaultyInput.Fault.badData), ("", nil, .notFound), (" \n", nil, .notFound),
        ("<trace-toc>", "xctrace", .badData), ("---PROFILEDATA---\nFlags", "gfxinfo", .badData),
    ])
    func whatCantBeUsedSaysWhy(_ text: String, _ format: String?, _ fault: FaultyInput.Fault) throws {
        let folder = try LogFolder()
        let survey = Ingest().survey([try folder.write(text, as: "file")])
        #expect(survey.inputs.map(\.format) == [format])
        #expect(survey.measurements.faultyInputs.map(\.fault) == [fault])
    }

    @Test func whatIsNotThereIsAnInputToo() {
        let survey = Ingest().survey(["/nowhere/a.ndjson"])
        #expect(survey.inputs.map(\.fault?.fault) == [.notFound])
        #expect(survey.inputs.map(\.path) == ["/nowhere/a.ndjson"])
    }

    @Test func inputsStandInTheOrderOfTheirPaths() throws {
        let names = ["b.ndjson", "a.txt", "c.json"]
        let inputs = try Self.survey([
            (names[0], Self.log), (names[1], GfxinfoFixture.text), (names[2], AndroidxFixture.text),
        ])
        #expect(inputs.map { $0.path.split(separator: "/").last.map(String.init) } == names.sorted())
        #expect(inputs.map(\.format) == ["gfxinfo", "perfgate", "androidx-benchmark"])
    }

    @Test func theMapSaysWhichRuleFoundThePage() throws {
        let folder = try LogFolder()
        var options = IngestOptions()
        let pattern = #"/(?<page>com[\w.]+)"#
        options.mapping = [try MappingRule(format: "gfxinfo", pattern: pattern)]
        let cells = Ingest(options).survey([try folder.write(GfxinfoFixture.text, as: "dump.txt")]).cells
        let found = Set(cells.map { [$0.subject, $0.page.name, $0.pattern ?? ""] })
        #expect(
            found == [
                [GfxinfoFixture.activity, "com.example.app.MainActivity", pattern],
                ["com.example.app", "com.example.app", ""],
            ])
    }

    /// Every sample is identified, or reported with the reason why it can't be read.
    @Test(arguments: SampleFiles.folders)
    func samples(_ folder: URL) {
        let files = SampleFiles.all(in: folder).map { folder.appending(path: $0).path }
        let survey = Ingest().survey(files)
        let faults = Dictionary(grouping: survey.measurements.faultyInputs, by: \.path)
        for input in survey.inputs where input.format == nil {
            let isReported = faults[input.path]?.allSatisfy { $0.message.hasPrefix("It is ") } ?? false
            #expect(isReported || survey.measurements.diagnostics.contains { $0.path == input.path }, "\(input.path)")
        }
        let formats = Dictionary(grouping: survey.inputs, by: \.format).mapValues(\.count)
        #expect(formats["gfxinfo"] == 1)
        #expect(formats["androidx-benchmark"] == 3)
        #expect(formats["metrickit"] == 1)
    }
}
