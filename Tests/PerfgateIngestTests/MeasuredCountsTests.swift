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

    @Test func visitsOfAnInactiveAppAreCountedApart() throws {
        let text =
            Self.visit(0, #""outcome":"loaded","ttil_ms":5"#) + Self.visit(1, #""inactive":true,"sth_ms":[9]"#)
            // Whatever a writer adds: nobody waited.
            + Self.visit(
                2, #""inactive":true,"outcome":"error","ttfl_ms":7,"ttil_ms":8,"alt_ms":[3],"rclt":[{"ms":1}]"#)
        let counts = try #require(try Self.counts(text))
        #expect(counts.visits == .init(loaded: 1))
        #expect((counts.unfinished.visits, counts.unfinished.inactive, counts.entries) == (0, 2, [:]))
        let measurements = try LogFolder.measurements(runLine() + text)
        #expect(measurements.values("P", "ttil") == [5])
        #expect(measurements.values("P", "load_failures") == [0])
        #expect(measurements.values("P", "ttfl") == nil)
        #expect(measurements.values("P", "scroll_thread_hang") == [9])
        let told = measurements.diagnostics.filter { $0.code == .inactiveVisits }
        #expect(told.count == 1 && told[0].message.contains("left): 2."))
    }

    @Test(arguments: [true, false]) func loadsBeyondAListCountWithTheirSums(isFirst: Bool) throws {
        let list = #""alt_ms":[10,20],"rclt":[{"ms":4,"outcome":"loaded"},{"ms":9,"outcome":"hidden"}]"#
        let more =
            #""alt_more":{"count":3,"shown":2,"ms":90},"rclt_more":{"shown":1,"ms":6,"count":4,"other":1}"#
        let text = Self.visit(0, isFirst ? "\(more),\(list)" : "\(list),\(more)")
        let measurements = try LogFolder.measurements(runLine() + text)
        #expect(measurements.values("P", "alt") == [24])
        #expect(measurements.values("P", "alt_shown") == [30])
        #expect(measurements.values("P", "rclt") == [2])
        #expect(measurements.values("P", "rclt_shown") == [5])
        #expect(measurements.pages.values.first?.counts["r1"]?.entries == ["alt": 5, "rclt": 5])
    }

    @Test(arguments: [
        #"{"count":-1,"shown":0,"ms":0}"#, #"{"count":1,"shown":2,"ms":0}"#, #"{"count":1,"shown":1,"ms":-1}"#, "[]",
    ])
    func impossibleSumsAreBadData(_ sums: String) throws {
        let measurements = try LogFolder.measurements(runLine() + Self.visit(0, #""alt_ms":[1],"alt_more":\#(sums)"#))
        #expect(measurements.diagnostics.map(\.code) == [.badLine])
    }

    @Test func linesAreSelectedByTheAppsOwnDimensions() throws {
        let run = runLine().replacing("}\n", with: #","tags":{"market":"de"}}"# + "\n")
        let text =
            run + Self.visit(0, #""ttil_ms":1"#) + #"{"type":"state","tags":{"market":"fr","test":"b"}}"# + "\n"
            + Self.visit(1, #""ttil_ms":2"#) + Self.visit(2, #""ttil_ms":3"#) + #"{"type":"state","tags":{}}"# + "\n"
            + Self.visit(3, #""ttil_ms":4"#)
        func values(_ name: String, _ value: String) throws -> [Double]? {
            try LogFolder.measurements(text) { $0.conditions = [.init(field: name, value: value)] }.values("P", "ttil")
        }
        #expect(try values("tags.market", "de") == [1])
        #expect(try values("tags.market", "fr") == [2, 3])
        #expect(try values("tags.test", "b") == [2, 3])
        let all = try LogFolder.measurements(text)
        #expect(all.values("P", "ttil") == [1, 2, 3, 4])
        #expect(!all.diagnostics.contains { $0.code == .badLine })
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

    @Test func aFolderThatIsALinkIsRead() throws {
        let folder = try LogFolder()
        try folder.write(runLine() + Self.visit(0, #""ttil_ms":4"#), as: "a.ndjson")
        let link = FileManager.default.temporaryDirectory.appending(path: "perfgate-link-\(UUID().uuidString)")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
        defer { try? FileManager.default.removeItem(at: link) }
        for path in [link.path, link.path + "/"] {
            #expect(Ingest().read([path]).values("P", "ttil") == [4])
        }
    }
}
