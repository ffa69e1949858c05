import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The results of reading the older format of xcresulttool's output.
///
/// Real files were read, and every value was compared with a script's: `ChargePoint/xcparse`:
/// `Tests/Resources/testMetrics.xcresult` (Xcode 12), `androidx/androidx`:
/// `benchmark/benchmark-darwin-gradle-plugin/src/test/test-data/test_output.json` (Xcode 14) and
/// `diogot/swift-xcresult-parser`: `Tests/XCResultParserTests/Fixtures/clean-build-passing-tests.xcresult` (Xcode 26).
struct XcresultLegacyTests {
    private static func value(_ text: String, _ type: String = "String") -> String {
        #"{"_type":{"_name":"\#(type)"},"_value":"\#(text)"}"#
    }

    private static func list(_ values: [String]) -> String {
        #"{"_type":{"_name":"Array"},"_values":[\#(values.joined(separator: ","))]}"#
    }

    private static func summary(_ test: String, _ values: [String]) -> String {
        let metric =
            #"{"_type":{"_name":"ActionTestPerformanceMetricSummary"},"displayName":\#(value("shown")),"#
            + #""identifier":\#(value(XcresultFixture.ratio)),"unitOfMeasurement":\#(value("ms per s")),"#
            + #""measurements":\#(list(values.map { value($0, "Double") }))}"#
        return #"{"_type":{"_name":"ActionTestSummary"},"identifier":\#(value(test)),"#
            + #""performanceMetrics":\#(list([metric])),"testStatus":\#(value("Success"))}"#
    }

    private static let root =
        #"{"_type":{"_name":"ActionsInvocationRecord"},"actions":"#
        + list([
            #"{"_type":{"_name":"ActionRecord"},"startedTime":\#(value("2026-11-20T11:00:00.250+0100", "Date")),"#
                + #""runDestination":{"_type":{"_name":"ActionRunDestinationRecord"},"targetDeviceRecord":{"#
                + #""identifier":\#(value("D1")),"modelName":\#(value("iPhone 11")),"#
                + #""operatingSystemVersion":\#(value("17.5")),"#
                + #""platformRecord":{"userDescription":\#(value("iOS Simulator"))}}}}"#
        ]) + "}"

    @Test func theSummariesOfAFolderAreOneRun() throws {
        let folder = try LogFolder()
        let texts = [
            "a.json": Self.summary("FeedTests/testScroll()", ["4.5", "0.0"]),
            "b.json": Self.summary("MapTests/testPan()", ["1.25"]),
            "root.json": Self.root,
        ]
        for (name, text) in texts { try folder.write(text, as: name) }
        let result = Ingest().read([folder.url.path])
        #expect(result.values("FeedTests/testScroll()", "hitch_ratio") == [4.5, 0])
        #expect(result.values("MapTests/testPan()", "hitch_ratio") == [1.25])
        #expect(result.runs.map(\.isComplete) == [true])
        #expect(
            try #require(result.runs.first).context.fields == [
                "device": .text("iPhone 11"), "device_id": .text("D1"), "os": .text("iOS 17.5"),
                "simulator": .flag(true), "started_at": .text("2026-11-20T10:00:00Z"),
            ])
    }

    /// Both formats of one result give the same cells, and count once.
    @Test func bothFormsAreTheSame() throws {
        let folder = try LogFolder()
        let legacy = try folder.write(Self.summary("A/b()", ["4.25", "0.0"]), as: "legacy.json")
        let ratio = XcresultFixture.metric(XcresultFixture.ratio, "ms per s", "4.25, 0")
        let new = try folder.write(
            XcresultFixture.document([XcresultFixture.test("A/b()", [ratio])]), as: "metrics.json")
        #expect(Ingest().read([legacy]).cells == Ingest().read([new]).cells)
        #expect(Ingest().read([legacy, new]).runs.count == 1)
    }

    @Test(arguments: ["x", "1e999", ""])
    func aValueThatIsNoneIsReported(_ value: String) throws {
        let result = try LogFolder.measurements(Self.summary("A/b()", [value]))
        #expect(result.codes.contains(.badRecord))
        #expect(result.faultyInputs.map(\.fault) == [.badData])
    }

    @Test func theRecordAloneMeasuresNothing() throws {
        #expect(try LogFolder.measurements(Self.root).faultyInputs.map(\.fault) == [.notFound])
    }
}
