import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The results of reading MetricKit payloads.
struct MetricKitReaderTests {
    /// The values by page and metric.
    private static func values(_ result: Measurements) -> [String: [Double]] {
        Dictionary(uniqueKeysWithValues: result.cells.map { ("\($0.key.page) \($0.key.metric)", $0.value.values) })
    }

    private static let expected: [String: [Double]] = [
        "App hitch_ratio": [12.5], "App hang_rate": [3_600 * 2_600 / 1_800_000],
        "App launch": [1_264.5, 1_534.5, 1_534.5], "App histogrammedResumeTime": [205, 1_190_074.5],
        "Feed/scroll hitch_ratio": [3], "Feed/scroll duration": [50, 50, 50],
    ]

    @Test(arguments: MetricKitFixture.languages)
    func everyLanguageGivesTheSame(_ language: MetricKitFixture.Language) throws {
        let result = try LogFolder.measurements(MetricKitFixture.payload(in: language))
        #expect(result.faultyInputs.isEmpty)
        #expect(Self.values(result) == Self.expected)
        #expect(result.runs.map(\.isComplete) == [true])
    }

    @Test func theDeviceAndTheAppAreKnown() throws {
        let context = try #require(LogFolder.measurements(MetricKitFixture.text).runs.first?.context)
        #expect(
            context.fields == [
                "app": .text("com.example.app"), "app_version": .text("7.1"), "device": .text("iPhone12,1"),
                "os": .text("iOS 17.5"), "simulator": .flag(false), "started_at": .text("2026-10-11T01:59:00Z"),
            ])
    }

    @Test func sectionsWithoutMetricsAreCounted() throws {
        let tally = try #require(ForeignResult.of(Array(MetricKitFixture.text.utf8)).tallies.first)
        #expect(tally.read == 5)
        #expect(tally.skipped.map(\.reason) == Array(repeating: "they hold nothing that perfgate gates on", count: 2))
    }

    @Test(arguments: [
        MetricKitFixture.payload(ratio: "1,000 ms per s"), MetricKitFixture.payload(ratio: "1000 ms per s"),
        MetricKitFixture.payload(hangs: [(0, 100, 50), (100, 400, 60), (400, 700, 30)]),
        MetricKitFixture.payload(launches: [(1_000, 1_010, 50), (2_000, 2_010, 60), (3_000, 3_010, 30)]),
        MetricKitFixture.diagnostics(hang: "20 secs.", binary: "testBinaryName"),
    ])
    func whatXcodeMakesUpIsRefused(_ text: String) throws {
        let result = try LogFolder.measurements(text)
        #expect(result.faultyInputs.map(\.fault) == [.badData])
        #expect(result.faultyInputs.first?.message.contains("simulated by Xcode") == true)
        #expect(result.cells.isEmpty)
    }

    @Test func hangsOfDiagnosticsAreKept() throws {
        let result = try LogFolder.measurements(MetricKitFixture.diagnostics(hang: "1,250 ms", binary: "App"))
        #expect(Self.values(result) == ["App hangDuration": [1_250]])
        #expect(
            try #require(result.runs.first?.context).fields == [
                "app": .text("com.example.app"), "app_version": .text("7.1"), "device": .text("iPhone12,1"),
                "os": .text("iOS 17.5"), "simulator": .flag(false), "started_at": .text("2026-10-11T03:59:00Z"),
            ])
    }

    @Test(arguments: [
        (#"{ "value" : 1.25, "unit" : "s" }"#, "789004800"),
        (#"{ "value" : 1250, "unit" : { "symbol" : "ms" } }"#, "\"2026-01-02T00:00:00Z\""),
        ("\"1,250 ms\"", "789004800"),
    ])
    func aHangSinceOS27IsReadToo(_ duration: String, _ begin: String) throws {
        let result = try LogFolder.measurements(MetricKitFixture.report(duration: duration, begin: begin))
        #expect(result.faultyInputs.isEmpty)
        #expect(Self.values(result) == ["App hangDuration": [1_250]])
        #expect(
            try #require(result.runs.first?.context).fields == [
                "app": .text("com.example.app"), "app_version": .text("7.1"), "device": .text("iPhone18,1"),
                "os": .text("iOS 27.0"), "simulator": .flag(false), "started_at": .text("2026-01-02T00:00:00Z"),
            ])
    }

    @Test(arguments: [#"{ "value" : 1, "unit" : "miles" }"#, #"{ "unit" : "s" }"#, #"{ "value" : "1", "unit" : "s" }"#])
    func aMeasurementThatIsNoTimeIsReported(_ duration: String) throws {
        let result = try LogFolder.measurements(MetricKitFixture.report(duration: duration, begin: "1"))
        #expect(result.cells.isEmpty && result.faultyInputs.map(\.fault) == [.badData])
    }

    @Test func withoutTheTimeOfUseHangsHaveNoRate() throws {
        let text = MetricKitFixture.text.replacing("cumulativeForegroundTime", with: "other")
        #expect(try Self.values(LogFolder.measurements(text))["App hang_duration"] == [2_600])
    }

    @Test(arguments: ["-1 ms per s", "−1 ms per s"])
    func aSentinelIsNoData(_ ratio: String) throws {
        let result = try LogFolder.measurements(MetricKitFixture.payload(ratio: ratio))
        #expect(result.cells.keys.contains { $0.page.name == "App" && $0.metric == "hitch_ratio" } == false)
        #expect(result.diagnostics.contains { $0.message.hasSuffix("left out: it has no data.") })
        #expect(result.runs.map(\.isComplete) == [true])
    }

    @Test(arguments: ["12", "ms per s", "12 apples", "1,0,0 ms per s", "2000 ms per s", "", "1.2.3,4 ms per s"])
    func aTextThatIsNoQuantityIsReported(_ ratio: String) throws {
        let result = try LogFolder.measurements(MetricKitFixture.payload(ratio: ratio))
        #expect(result.codes.contains(.badRecord))
        #expect(result.runs.map(\.isComplete) == [false])
        #expect(Self.values(result)["App launch"] == Self.expected["App launch"])
    }

    @Test(arguments: [
        (#""bucketCount" : 2"#, #""bucketCount" : -2"#), (#""bucketCount" : 2"#, #""bucketCount" : 1e15"#),
        (#""bucketCount" : 2"#, #""bucketCount" : "2""#), (#""bucketCount" : 2, "#, ""),
        (#""bucketStart" : "1,530 ms""#, #""bucketStart" : "1,540 ms""#),
        (#""bucketStart" : "1,530 ms""#, #""bucketStart" : 1530"#), ("1,530 ms", "1,530 kB"),
    ])
    func aBucketThatCantExistIsReported(_ good: String, _ bad: String) throws {
        let text = MetricKitFixture.text.replacing(good, with: bad)
        try #require(text != MetricKitFixture.text)
        #expect(try LogFolder.measurements(text).runs.map(\.isComplete) == [false])
    }

    /// The tool that stored the file lost a bucket.
    @Test func aHistogramWithoutAllItsBucketsIsReported() throws {
        let text = MetricKitFixture.text.replacing(#""histogramNumBuckets" : 2"#, with: #""histogramNumBuckets" : 3"#)
        let result = try LogFolder.measurements(text)
        #expect(result.diagnostics.contains { $0.code == .badRecord && $0.message.contains("has 2 of 3 buckets") })
        #expect(result.runs.map(\.isComplete) == [false])
    }

    /// Collectors store one payload per line.
    @Test func payloadsMayBeOneALine() throws {
        let other = MetricKitFixture.payload(launches: [(500, 509, 1)])
        let lines = [MetricKitFixture.text, other].map { $0.replacing("\n", with: " ") + "\n" }
        let result = try LogFolder.measurements(lines.joined())
        #expect(result.runs.count == 2)
        #expect(result.runs.map(\.isComplete) == [true, true])
        #expect(Self.values(result)["App launch"]?.sorted() == [504.5, 1_264.5, 1_534.5, 1_534.5])
        let cut = try LogFolder.measurements(lines.joined() + "{\"timeStampBegin\":\n")
        #expect(cut.diagnostics.filter { $0.code == .badRecord }.map(\.line) == [3])
        #expect(cut.runs.map(\.isComplete) == [false, false])
    }

    @Test func severalPayloadsAreRuns() throws {
        let other = MetricKitFixture.payload(launches: [(500, 509, 1)])
        let texts = [
            "[\(MetricKitFixture.text), \(other)]", #"{"a":{"payloads":[\#(MetricKitFixture.text), \#(other)]}}"#,
        ]
        for text in texts {
            let result = try LogFolder.measurements(text)
            #expect(result.runs.count == 2)
            #expect(Self.values(result)["App launch"] == [1_264.5, 1_534.5, 1_534.5, 504.5])
        }
    }
}
