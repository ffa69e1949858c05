import PerfgateModel
import Testing

@testable import PerfgateBaselines

/// The amount that each run measured of a page, as stored in baselines.
struct MeasuredTests {
    private static let counts = MeasuredCounts(
        iterations: 5, scrolls: 30, scrollMS: 24371.24, visits: .init(loaded: 4, error: 1, abandoned: 0),
        entries: ["alt": 12])

    private static func run(_ id: String) throws -> BaselineRun {
        BaselineRun(id: id, startedAt: try #require(Timestamp("2026-11-20T10:00:0\(id)Z")))
    }

    private static func file(_ runs: [String], _ measured: [String: MeasuredCounts]) throws -> BaselineFile {
        let ttil = BaselineMetric(
            .init(unit: .milliseconds), samples: Dictionary(uniqueKeysWithValues: runs.map { ($0, [500]) }))
        return BaselineFile(
            page: Page("Search"), environment: [:], runs: try runs.map(run), measured: measured,
            metrics: ["ttil": ttil])
    }

    @Test func areWrittenAndReadWithTheirRun() throws {
        let file = try Self.file(["1"], ["1": Self.counts])
        let text = String(decoding: file.bytes(), as: UTF8.self)
        #expect(
            text.contains(
                #"""
                  "measured": {
                    "1": { "entries": { "alt": 12 }, "iterations": 5, "scroll_ms": 24371.2, "scrolls": 30, "visits": { "abandoned": 0, "error": 1, "loaded": 4 } }
                  },
                """#))
        let read = try BaselineFile(reading: file.bytes())
        #expect(read.measured["1"]?.scrollMS == 24371.2 && read.measured["1"]?.entries == ["alt": 12])
        #expect(read.bytes() == file.bytes())
    }

    @Test(arguments: [
        (#""scrolls": 30"#, #""scrolls": -1"#, "the number is below 0; write the number"),
        (#""scroll_ms": 24371.2"#, #""scroll_ms": -1"#, "the number is below 0; write the number"),
        (#""iterations": 5, "#, "", "iterations"),
        (
            "\"1\": { \"ent", "\"2\": { \"ent",
            "the run is not among `runs`; list it there, or remove it here"
        ),
    ])
    func whatIsWrongIsSaid(_ text: String, _ replacement: String, _ words: String) throws {
        let golden = String(decoding: try Self.file(["1"], ["1": Self.counts]).bytes(), as: UTF8.self)
        let error = #expect(throws: BaselineError.self) {
            try BaselineFile(reading: Array(golden.replacing(text, with: replacement).utf8), path: "p.json")
        }
        #expect(error?.description.contains(words) == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func goWithTheirRuns() throws {
        let file = try Self.file(["1", "2"], ["1": Self.counts, "2": Self.counts, "3": Self.counts])
        #expect(Set(file.measured.keys) == ["1", "2"])
        #expect(Set(file.trimmed(to: WindowPolicy(runs: 1, perDay: 1)).measured.keys) == ["2"])
        #expect(Set(file.renamed(to: Page("Suche")).measured.keys) == ["1", "2"])
    }

    @Test func unitesWhatTwoVersionsSay() throws {
        let ours = try Self.file(["1", "2"], ["1": Self.counts, "2": MeasuredCounts(iterations: 1, scrolls: 7)])
        let theirs = try Self.file(["2", "3"], ["2": MeasuredCounts(iterations: 2, scrolls: 3), "3": Self.counts])
        let merged = try BaselineFile.merge(base: nil, ours: ours, theirs: theirs)
        let other = try BaselineFile.merge(base: nil, ours: theirs, theirs: ours)
        #expect(merged == other && Set(merged.measured.keys) == ["1", "2", "3"])
        #expect(merged.measured["2"] == MeasuredCounts(iterations: 2, scrolls: 7))
    }
}
