import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Each measurement counts once, in however many files it is.
struct CountedOnceTests {
    private static let ratio = XcresultFixture.ratio

    private static func flags() -> IngestOptions {
        var options = IngestOptions()
        options.context = Context([
            "app": .text("com.example.app"), "build": .text("Release"), "device": .text("iPhone12,1"),
            "os": .text("iOS 17.5"), "max_fps": .number(60),
        ])
        return options
    }

    private static func counts(_ measurements: Measurements) -> [String] {
        measurements.cells.sorted { $0.key < $1.key }.map {
            "\($0.key.page) \($0.key.metric): \($0.value.values.count) of \($0.value.runs.count)"
        }
    }

    @Test(arguments: [
        XcresultFixture.text, XctraceFixture.text, MetricKitFixture.text, GfxinfoFixture.text, AndroidxFixture.text,
        FlutterFixture.text, XCTestConsoleFixture.text, ReactNativeFixture.reassure, ReactNativeFixture.flashlight,
        PackageBenchmarkFixture.text, AppStoreMetricsFixture.text,
    ])
    func aFileAndItsConvertedLogAreOneRun(_ text: String) throws {
        let folder = try LogFolder()
        let file = try folder.write(text, as: "file")
        let alone = Ingest(Self.flags()).survey([file])
        let log = try folder.write(Data(ConvertedLog(alone).bytes), as: "converted.ndjson")
        for paths in [[file, log], [log, file]] {
            let both = Ingest(Self.flags()).read(paths)
            #expect(both.runs.map(\.id) == alone.measurements.runs.map(\.id))
            #expect(Self.counts(both) == Self.counts(alone.measurements))
            #expect(both.runs.map(\.sampleCount) == alone.measurements.runs.map(\.sampleCount))
            #expect(!both.runs.contains { !$0.isComplete })
            #expect(both.pages.mapValues(\.counts) == alone.measurements.pages.mapValues(\.counts))
            #expect(both.codes.contains(.repeatedStream))
        }
    }

    /// The log was converted with flags; the file is read without them.
    @Test func aConvertedLogKnowsMoreThanItsFile() throws {
        let folder = try LogFolder()
        let file = try folder.write(XcresultFixture.text, as: "file.json")
        let log = try folder.write(
            Data(ConvertedLog(Ingest(Self.flags()).survey([file])).bytes), as: "converted.ndjson")
        let both = Ingest().read([file, log])
        #expect(both.environments.count == 1)
        #expect(both.values("FeedTests/testScroll()", "hitch_ratio") == [4.5, 0, 20])
    }

    /// The file's measurements that the log lacks are added to the run.
    @Test func whatIsNewOfARunIsAdded() throws {
        let folder = try LogFolder()
        let file = try folder.write(XcresultFixture.text, as: "file.json")
        let log = String(decoding: ConvertedLog(Ingest(Self.flags()).survey([file])).bytes, as: UTF8.self)
        let lines = log.split(separator: "\n").filter {
            !$0.contains(#""iteration":1,"#) && !$0.contains(#""type":"end""#)
        }
        let shorter = lines.joined(separator: "\n").replacing(#","expects_end":true"#, with: "") + "\n"
        let both = Ingest(Self.flags()).read([file, try folder.write(shorter, as: "shorter.ndjson")])
        let cell = try #require(both.cells.first { $0.key.metric == "hitch_ratio" }?.value)
        #expect(cell.runs.map(\.values) == [[4.5, 0, 20]])
        #expect(cell.iterations.values.map { $0 } == [[0, 1, 2]])
        #expect(both.runs.map(\.sampleCount) == [6])
        #expect(both.runs.map(\.isComplete) == [true])
    }

    /// The edited log of a run has different values.
    @Test func aConvertedLogWithOtherValuesIsBad() throws {
        let folder = try LogFolder()
        let file = try folder.write(XcresultFixture.text, as: "file.json")
        let text = String(decoding: ConvertedLog(Ingest(Self.flags()).survey([file])).bytes, as: UTF8.self)
        let log = try folder.write(text.replacing("4.5", with: "4.25"), as: "edited.ndjson")
        let both = Ingest(Self.flags()).read([file, log])
        #expect(both.values("FeedTests/testScroll()", "hitch_ratio")?.count == 3)
        #expect(both.runs.map(\.isComplete) == [false])
        #expect(both.codes.contains(.conflictingStream))
    }

    private static let suite = [
        XcresultFixture.test("A/b()", [XcresultFixture.metric(ratio, "ms per s", "1.25, 2.5")], device: "D1"),
        XcresultFixture.test("A/c()", [XcresultFixture.metric(ratio, "ms per s", "3.75")], device: "D1"),
    ]

    @Test(arguments: [[0], [1], [0, 1]])
    func aSuiteAndTheExportOfOneTestAreOneRun(_ tests: [Int]) throws {
        let folder = try LogFolder()
        let whole = try folder.write(XcresultFixture.document(Self.suite), as: "metrics.json")
        let parts = try tests.map { try folder.write(XcresultFixture.document([Self.suite[$0]]), as: "part\($0).json") }
        let summary = try folder.write(
            XcresultFixture.summary([XcresultFixture.device("D1", "iPhone 11", "iOS", "17.5")], start: "60"),
            as: "summary.json")
        let alone = Ingest().read([whole, summary])
        for paths in [[whole, summary] + parts, parts + [summary, whole]] {
            let all = Ingest().read(paths)
            #expect(all.runs.map(\.id) == alone.runs.map(\.id))
            #expect(all.runs.map { $0.context.text("started_at") } == ["1970-01-01T00:01:00Z"])
            #expect(all.cells == alone.cells)
            #expect(all.codes.count { $0 == .repeatedStream } == tests.count)
        }
    }

    /// Whole numbers, such as counts of hitches, can be equal by chance.
    @Test func countsThatAreEqualByChanceAreTwoRuns() throws {
        let folder = try LogFolder()
        let hitches = XcresultFixture.prefix + "animation.hitch.number"
        let one = XcresultFixture.test("A/b()", [XcresultFixture.metric(hitches, "hitches", "0, 1")])
        let other = XcresultFixture.test("A/c()", [XcresultFixture.metric(hitches, "hitches", "2")])
        let paths = try [[one], [one, other]].enumerated().map {
            try folder.write(XcresultFixture.document($1), as: "\($0).json")
        }
        #expect(Ingest().read(paths).runs.count == 2)
    }

    /// White space and key order depend on the writer.
    @Test func howAResultWasWrittenDoesntMatter() throws {
        let folder = try LogFolder()
        let text = XcresultFixture.document(Self.suite)
        let compact = try JSONSerialization.data(
            withJSONObject: JSONSerialization.jsonObject(with: Data(text.utf8)), options: [.sortedKeys])
        let paths = [try folder.write(text, as: "a.json"), try folder.write(compact, as: "b.json")]
        #expect(Ingest().read(paths).runs.count == 1)
        #expect(Ingest().read([paths[0]]).runs.map(\.id) == Ingest().read([paths[1]]).runs.map(\.id))
    }

    @Test func aPayloadTwiceInAListIsOneRun() throws {
        let folder = try LogFolder()
        let payload = MetricKitFixture.text
        let one = Ingest().read([try folder.write(payload, as: "one.json")])
        let two = Ingest().read([try folder.write("[\(payload), \(payload)]", as: "two.json")])
        #expect(two.runs.map(\.id) == one.runs.map(\.id))
        #expect(two.cells == one.cells)
        #expect(two.codes.contains(.repeatedStream))
    }
}
