import PerfgateModel
import Testing

@testable import PerfgateBaselines

/// Runs with samples that a baseline keeps, but doesn't compare with.
struct ProvisionalTests {
    private let wide = WindowPolicy(runs: 100, perDay: 2)

    private static func run(_ day: Int) throws -> BaselineRun {
        BaselineRun(id: "r\(day)", startedAt: try #require(Timestamp("2026-11-\(day)T10:00:00Z")))
    }

    /// A page with one run per day: some runs are provisional in `ttil`, all are settled in `ttfl`.
    private static func file(_ days: [Int], provisional: Set<Int> = []) throws -> BaselineFile {
        let ids = days.map { "r\($0)" }
        let samples = Dictionary(uniqueKeysWithValues: ids.map { ($0, [500.0]) })
        return BaselineFile(
            page: Page("Search"), environment: [:], runs: try days.map(run),
            metrics: [
                "ttil": BaselineMetric(
                    .init(unit: .milliseconds), samples: samples, provisional: Set(provisional.map { "r\($0)" })),
                "ttfl": BaselineMetric(.init(unit: .milliseconds), samples: samples),
            ])
    }

    private static func ids(_ days: any Sequence<Int>) -> Set<String> { Set(days.map { "r\($0)" }) }

    @Test func areWrittenAndRead() throws {
        let file = try Self.file([11, 12, 13], provisional: [13, 12])
        let text = String(decoding: file.bytes(), as: UTF8.self)
        #expect(text.contains("      \"provisional\": [\"r12\", \"r13\"],\n      \"samples\": {"), "\(text)")
        let read = try BaselineFile(reading: file.bytes())
        #expect(read == file && read.bytes() == file.bytes())
        #expect(read.samples(of: "ttil").map(\.run.id) == ["r11"] && read.samples(of: "ttfl").count == 3)
        #expect(!String(decoding: try Self.file([11]).bytes(), as: UTF8.self).contains("provisional"))
    }

    @Test(arguments: [
        (#"["r9"]"#, "the run has no list under `samples`; remove it here"),
        (#"["r12", "r12"]"#, "the run is repeated; remove one of the two"), ("[12]", "expected a string"),
        (#""r12""#, "expected an array"),
    ])
    func whatIsWrongIsSaid(_ list: String, _ words: String) throws {
        let golden = String(decoding: try Self.file([11, 12], provisional: [12]).bytes(), as: UTF8.self)
        let error = #expect(throws: BaselineError.self) {
            try BaselineFile(
                reading: Array(golden.replacing(#""provisional": ["r12"]"#, with: "\"provisional\": \(list)").utf8))
        }
        #expect(error?.description.contains(words) == true, "\(error.map { "\($0)" } ?? "")")
    }

    /// Ten provisional nights keep the ten settled ones, but only in the provisional metric.
    @Test func pushNoSettledRunOutOfTheWindow() throws {
        let file = try Self.file(Array(10...29), provisional: Set(20...29)).trimmed(to: .standard)
        #expect(file.metrics["ttil"]?.settled.keys.sorted() == Self.ids(10...19).sorted())
        #expect(file.metrics["ttil"]?.provisional == Self.ids(20...29))
        #expect(file.metrics["ttfl"]?.samples.keys.sorted() == Self.ids(20...29).sorted())
        #expect(file.trimmed(to: .standard) == file)
        let more = try Self.file(Array(10...30), provisional: Set(20...30)).trimmed(to: .standard)
        #expect(more.metrics["ttil"]?.provisional == Self.ids(21...30))
        #expect(more.metrics["ttil"]?.settled.count == 10)
    }

    @Test func aDecisionSettlesOrDrops() throws {
        let metric = try #require(try Self.file([11, 12, 13], provisional: [12, 13]).metrics["ttil"])
        let decided = metric.deciding(["r12": true, "r13": false, "r11": false])
        #expect(decided.samples.keys.sorted() == ["r11", "r12"] && decided.provisional.isEmpty)
    }

    @Test func aMergeTakesTheUnion() throws {
        let base = try Self.file([11])
        let ours = try Self.file([11, 12], provisional: [12])
        let theirs = try Self.file([11, 13], provisional: [13])
        let merged = try BaselineFile.merge(base: base, ours: ours, theirs: theirs)
        #expect(merged.metrics["ttil"]?.provisional == Self.ids([12, 13]))
        #expect(try BaselineFile.merge(base: base, ours: theirs, theirs: ours) == merged)
    }

    /// If the merge has the common ancestor, the side that decided wins; otherwise the runs stay provisional.
    @Test func aMergeKnowsWhoSettledARun() throws {
        let doubtful = try Self.file([11, 12], provisional: [12])
        let settled = try Self.file([11, 12])
        for (ours, theirs) in [(doubtful, settled), (settled, doubtful)] {
            #expect(try BaselineFile.merge(base: doubtful, ours: ours, theirs: theirs) == settled)
            #expect(try BaselineFile.merge(base: nil, ours: ours, theirs: theirs) == doubtful)
        }
    }
}
