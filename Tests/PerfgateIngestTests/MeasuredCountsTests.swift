import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The amount that a log measured of a page, and the parts of a folder that were left out.
struct MeasuredCountsTests {
    private static func counts(_ text: String, page: String = "P") throws -> MeasuredCounts? {
        let measurements = try LogFolder.measurements(runLine() + text)
        return measurements.pages.first { $0.key.page.name == page }?.value.counts["r1"]
    }

    private static func visit(_ id: Int, _ fields: String) -> String {
        #"{"type":"pps","page":"P","iteration":\#(id),"visit_id":"\#(id)",\#(fields)}"# + "\n"
    }

    private static func ticks(_ scroll: Int) -> String {
        #"{"type":"frames","page":"P","scroll":\#(scroll),"timestamps_ns":[0,16666667,33333334],"duration_ns":16666667}"#
            + "\n"
    }

    @Test func visitsCountByTheirEnd() throws {
        let counts = try Self.counts(
            Self.visit(0, #""outcome":"loaded","alt_ms":[0,5],"rclt":[{"ms":1},{"ms":1,"outcome":"error"}]"#)
                + Self.visit(1, #""outcome":"error","alt_ms":[3]"#) + Self.visit(2, #""outcome":"abandoned""#)
                + Self.visit(3, #""ttil_ms":4"#) + Self.visit(4, #""ttfl_ms":4"#))
        let known = try #require(counts)
        #expect(known.visits == .init(loaded: 2, error: 1, abandoned: 1))
        #expect(known.entries == ["alt": 2, "rclt": 1])
        #expect(known.iterations == 4 && known.unfinished.visits == 1)
    }

    @Test func aVisitReportedAgainCountsOnce() throws {
        let measurements = try LogFolder.measurements(
            runLine() + Self.visit(0, #""outcome":"abandoned""#) + Self.visit(0, #""outcome":"loaded","ttil_ms":4"#))
        #expect(measurements.values("P", "load_failures") == [0])
        #expect(measurements.pages.values.first?.counts["r1"]?.visits == .init(loaded: 1))
    }

    @Test func everyVisitThatEndedIsASampleOfFailures() throws {
        let measurements = try LogFolder.measurements(
            runLine() + Self.visit(0, #""outcome":"error""#) + Self.visit(1, #""outcome":"loaded""#)
                + Self.visit(2, #""ttfl_ms":4"#) + Self.visit(3, #""outcome":"abandoned""#))
        #expect(measurements.values("P", "load_failures") == [1, 0, 1])
    }

    @Test func scrollsCountThatEnded() throws {
        let ended = #"{"type":"scroll","page":"P","scroll":0,"duration_ms":50}"# + "\n"
        let both = try #require(try Self.counts(Self.ticks(0) + ended + Self.ticks(1)))
        #expect((both.iterations, both.scrolls, both.scrollMS, both.unfinished.scrolls) == (1, 1, 50, 1))
        let seen = try #require(try Self.counts(Self.ticks(0) + Self.ticks(1)))
        #expect((seen.iterations, seen.scrolls, seen.scrollMS, seen.unfinished.scrolls) == (1, 2, 0, 0))
        let elsewhere = ended.replacing(#""P""#, with: #""Q""#)
        let open = try #require(try Self.counts(Self.ticks(0) + elsewhere))
        #expect((open.iterations, open.scrolls, open.unfinished.scrolls) == (0, 0, 1))
    }

    @Test func iterationsInALineThatMeasuresAreProbablyAnIteration() throws {
        let measurements = try LogFolder.measurements(
            runLine("r1", #","iterations":3"#) + #"{"type":"pps","page":"P","iterations":1,"ttil_ms":4}"# + "\n")
        #expect(measurements.runs.map(\.declaredIterations) == [3])
        let told = measurements.diagnostics.filter { $0.code == .misspeltKey }
        #expect(told.map(\.line) == [2])
    }

    @Test func whatAFolderHoldsBesideLogsIsReported() throws {
        let folder = try LogFolder()
        let files = FileManager.default
        try folder.write(runLine() + Self.visit(0, #""ttil_ms":4"#), as: "a.ndjson")
        for name in ["a.txt", "b.log", "c.png", "d.csv", ".hidden"] { try folder.write("text", as: name) }
        let link = folder.url.appending(path: "night").path
        try files.createSymbolicLink(atPath: link, withDestinationPath: NSTemporaryDirectory())
        let bundle = folder.url.appending(path: "T.xcresult")
        try files.createDirectory(at: bundle, withIntermediateDirectories: false)
        try folder.write("{}", as: "T.xcresult/Info.json")
        let told = Ingest().read([folder.url.path]).diagnostics.filter { $0.code == .skippedFiles }
        let kinds = "files in no known format (a.txt, b.log, c.png and 1 more)"
        #expect(
            told.map(\.message) == [
                "Not read in this folder: \(kinds).", "Not read in this folder: links to folders (night).",
            ])
        #expect(try LogFolder.measurements(runLine()).diagnostics.allSatisfy { $0.code != .skippedFiles })
    }
}
