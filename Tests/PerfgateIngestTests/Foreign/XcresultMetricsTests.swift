import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The results of reading xcresulttool's metrics.
struct XcresultMetricsTests {
    private static let hitch = "com.apple.dt.XCTMetric_Hitch-com.example.app."

    /// An identifier with a unit, and its metric with the value 2.
    @Test(arguments: [
        (XcresultFixture.prefix + "animation.hitch.time.ratio", "ms per s", "hitch_ratio", "ms/s", 2.0),
        (XcresultFixture.prefix + "animation.hitch.number", "hitches", "hitches", "hitches", 2),
        (XcresultFixture.prefix + "animation.hitches.total.duration", "ms", "hitch_duration", "ms", 2),
        (XcresultFixture.prefix + "animation.hitches.total.duration", "s", "hitch_duration", "ms", 2_000),
        (XcresultFixture.prefix + "animation.frame.rate", "fps", "fps_mean", "fps", 2),
        (XcresultFixture.prefix + "animation.frame.count", "frames", "frame_count", "frames", 2),
        (XcresultFixture.prefix + "duration", "s", "duration", "ms", 2_000),
        (XcresultFixture.prefix + "duration", "seconds", "duration", "ms", 2_000),
        (hitch + "time.ratio", "ms per s", "hitch_ratio", "ms/s", 2),
        (hitch + "total.duration", "seconds", "hitch_duration", "ms", 2_000),
        ("com.apple.dt.XCTMetric_ApplicationLaunch-AppLaunch.duration", "s", "launch", "ms", 2_000),
        ("com.apple.dt.XCTMetric_Clock.time.monotonic", "s", "measured_time", "ms", 2_000),
        ("com.apple.XCTPerformanceMetric_WallClockTime", "seconds", "measured_time", "ms", 2_000),
        (
            "com.apple.dt.XCTMetric_Memory.physical_peak", "kB", "com.apple.dt.XCTMetric_Memory.physical_peak", "kB", 2
        ),
        (hitch + "normalized.time.ratio", "ms per s", hitch + "normalized.time.ratio", "ms/s", 2),
        (hitch + "time.ratio", "value", hitch + "time.ratio", "value", 2), ("", "s", "shown", "ms", 2_000),
    ])
    func identifiers(_ identifier: String, _ unit: String, _ id: String, _ symbol: String, _ value: Double) throws {
        let metric = XcresultFixture.metric(identifier, unit, "2")
            .replacing(#""identifier" : "","#, with: "")
        let result = try LogFolder.measurements(
            XcresultFixture.document([XcresultFixture.test("A/b()", [metric])]))
        #expect(result.cells.map(\.key.metric) == [id])
        #expect(result.cells.map(\.value.metric.unit.symbol) == [symbol])
        #expect(result.cells.map(\.value.values) == [[value]])
        #expect(result.runs.map(\.isComplete) == [true])
    }

    @Test(arguments: [
        ("x", "", Better.lower), ("x", #", "polarity" : "prefers larger""#, .higher),
        ("x", #", "polarity" : "prefers smaller""#, .lower), ("x.frame.rate", "", .higher),
        (XcresultFixture.prefix + "animation.frame.rate", #", "polarity" : "prefers smaller""#, .higher),
    ])
    func directions(_ identifier: String, _ polarity: String, _ better: Better) throws {
        let metric = XcresultFixture.metric(identifier, "fps", "2", polarity)
        let result = try LogFolder.measurements(XcresultFixture.document([XcresultFixture.test("A/b()", [metric])]))
        #expect(result.cells.map(\.value.metric.better) == [better])
    }

    /// An absent value isn't measured, and doesn't affect other values.
    @Test(arguments: [
        #"[{"testIdentifier":"A/b()"}]"#, #"[{"testIdentifier":"A/b()","testRuns":[]}]"#,
        #"[{"testIdentifier":"A/b()","testRuns":[{"metrics":[]}]}]"#,
        #"[{"testIdentifier":"A/b()","testRuns":[{}]}]"#,
        #"[{"testIdentifier":"A/b()","testRuns":[{"metrics":[{"identifier":"x","measurements":[]}]}]}]"#,
    ])
    func nothingMeasured(_ text: String) throws {
        let result = try LogFolder.measurements(text) { $0.format = "xcresult-metrics" }
        #expect(result.cells.isEmpty)
        #expect(result.codes == [.skippedRecords])
    }

    @Test(arguments: [
        #"{"identifier":"x"}"#, #"{"identifier":"x","measurements":["1"]}"#, #"{"identifier":7,"measurements":[1]}"#,
        #"{"measurements":[1]}"#, #"{"identifier":"x","measurements":[1e999]}"#, "7",
        #"{"identifier":"\#(XcresultFixture.ratio)","unitOfMeasurement":"ms per s","measurements":[-1]}"#,
    ])
    func whatCantBeReadIsReportedAndTheRestIsKept(_ metric: String) throws {
        let good = XcresultFixture.metric("y", "s", "1")
        let result = try LogFolder.measurements(
            XcresultFixture.document([XcresultFixture.test("A/b()", [metric, good])]))
        #expect(result.values("A/b()", "y") == [1_000])
        #expect(result.codes.filter { $0 == .badRecord }.count == 1)
        #expect(result.runs.map(\.isComplete) == [false])
    }

    @Test func aRepeatedTestCountsOn() throws {
        let test = XcresultFixture.test("A/b()", [XcresultFixture.metric("x", "ms", "1, 2")])
        let result = try LogFolder.measurements(XcresultFixture.document([test, test]))
        let cell = try #require(result.cells.values.first)
        #expect(cell.runs.flatMap(\.samples).map(\.iteration) == [0, 1, 2, 3])
        #expect(result.runs.count == 1)
    }

    /// Two signposts in one test measure two things: each is a page.
    @Test func labelsKeepSignpostsApart() throws {
        let other = "com.apple.dt.XCTMetric_OSSignpost-Scroll_Dragging.animation.hitch.time.ratio"
        let result = try LogFolder.measurements(
            XcresultFixture.document([
                XcresultFixture.test(
                    "A/b()",
                    [
                        XcresultFixture.metric(XcresultFixture.ratio, "ms per s", "1"),
                        XcresultFixture.metric(other, "ms per s", "2"),
                    ])
            ]))
        #expect(result.values("A/b() (OSSignpost-Scroll_Deceleration)", "hitch_ratio") == [1])
        #expect(result.values("A/b() (OSSignpost-Scroll_Dragging)", "hitch_ratio") == [2])
    }

    @Test func aTestKnowsItsTarget() throws {
        let metric = XcresultFixture.metric("x", "s", "1")
        let text = XcresultFixture.document([XcresultFixture.test("A/b()", [metric])]).replacing(
            #""testIdentifier""#, with: #""testIdentifierURL":"test://com.apple.xcode/P/UITests/A/b","testIdentifier""#)
        #expect(try LogFolder.measurements(text).pages.values.map(\.tests) == [["UITests/A/b"]])
    }
}
