import PerfgateModel
import Testing

@testable import PerfgateIngest

/// What timeline summaries of Flutter become.
struct FlutterTimelineReaderTests {
    private typealias Fixture = FlutterFixture

    private static func measurements(_ text: String, as name: String = "scroll.timeline_summary.json") throws
        -> Measurements
    {
        let folder = try LogFolder()
        return Ingest().read([try folder.write(text, as: name)])
    }

    /// What the file says is taken, in milliseconds; what it doesn't say comes from the lists, in microseconds.
    @Test(arguments: [
        ("average_frame_build_time_millis", "ms", 4.5), ("90th_percentile_frame_build_time_millis", "ms", 7.5),
        ("99th_percentile_frame_build_time_millis", "ms", 8), ("worst_frame_build_time_millis", "ms", 8),
        ("average_frame_rasterizer_time_millis", "ms", 20.5), ("worst_frame_rasterizer_time_millis", "ms", 68),
        ("90th_percentile_frame_rasterizer_time_millis", "ms", 68), ("missed_frame_build_budget_count", "frames", 0),
        ("missed_frame_rasterizer_budget_count", "frames", 1), ("frame_count", "frames", 4),
        ("new_gen_gc_count", "collections", 2), ("total_ui_gc_time", "ms", 1.5),
    ])
    func values(_ metric: String, _ unit: String, _ value: Double) throws {
        let result = try Self.measurements(Fixture.summary)
        #expect(result.values("scroll", metric) == [value])
        #expect(result.cells.first { $0.key.metric == metric }?.value.metric.unit.symbol == unit)
    }

    @Test func moreFramesAreBetterAndMoreTimeIsWorse() throws {
        let cells = try Self.measurements(Fixture.summary).cells
        #expect(
            Set(cells.filter { $0.value.metric.better == .higher }.map(\.key.metric)) == [
                "frame_count", "frame_rasterizer_count",
            ])
    }

    @Test func severalSummariesInOneFile() throws {
        let one = Fixture.object([#""average_frame_build_time_millis": 1"#, #""frame_count": 2"#])
        let result = try Self.measurements(
            Fixture.object(["\"list\": \(Fixture.summary)", "\"map\": \(one)", "\"n\": 1"]))
        #expect(Set(result.pages.keys.map(\.page.name)) == ["list", "map"])
        #expect(result.values("map", "average_frame_build_time_millis") == [1])
        #expect(result.runs.count == 1)
    }

    private static func summary(_ average: Double) -> String {
        Fixture.object(["\"average_frame_build_time_millis\": \(average)", #""frame_count": 2"#])
    }

    @Test func theFilesOfACallAreIterationsOfOneRun() throws {
        let folder = try LogFolder()
        for (number, average) in [4.25, 6.75, 5.5].enumerated() {
            try folder.write(Self.summary(average), as: "scroll.\(number).timeline_summary.json")
        }
        try folder.write(Self.summary(9.25), as: "map.timeline_summary.json")
        let result = Ingest().read([folder.url.path])
        #expect(result.runs.map(\.isComplete) == [true])
        let times = result.cells.first { $0.key.page.name == "scroll" && $0.key.metric.hasPrefix("average") }
        let samples = try #require(times?.value.runs.first?.samples).sorted { $0.iteration < $1.iteration }
        #expect(samples.map(\.iteration) == [0, 1, 2])
        #expect(samples.map(\.value) == [4.25, 6.75, 5.5])
        #expect(result.values("map", "average_frame_build_time_millis") == [9.25])
    }

    /// Neither a copy nor a file with some of the summaries is an iteration.
    @Test func aSummaryInSeveralFilesIsOneIteration() throws {
        let folder = try LogFolder()
        try folder.write(Self.summary(4.25), as: "scroll.json")
        try folder.write(Self.summary(4.25), as: "scroll.copy.json")
        try folder.write(Self.summary(9.25), as: "map.json")
        try folder.write(
            Fixture.object(["\"map\": \(Self.summary(9.25))", "\"scroll\": \(Self.summary(4.25))"]), as: "all.json")
        let result = Ingest().read([folder.url.path])
        #expect(result.values("scroll", "average_frame_build_time_millis") == [4.25])
        #expect(result.values("map", "average_frame_build_time_millis") == [9.25])
        #expect(result.codes.filter { $0 == .repeatedStream }.count == 3)
    }

    @Test func aFileThatCantBeReadMakesTheRunOfItsCallBadData() throws {
        let folder = try LogFolder()
        try folder.write(Self.summary(4.25), as: "scroll.0.json")
        let bad = [#""average_frame_build_time_millis": -1"#, #""missed_frame_build_budget_count": 3"#]
        try folder.write(Fixture.object(bad + [#""frame_count": 2"#]), as: "scroll.1.json")
        #expect(Ingest().read([folder.url.path]).runs.map(\.isComplete) == [false])
    }

    @Test(arguments: [
        ("scroll.timeline_summary.json", "scroll"), ("home_feed.timeline_summary.json.gz", "home_feed"), ("x", "x"),
    ])
    func theNameOfTheFileIsThePage(_ name: String, _ page: String) throws {
        #expect(try Self.measurements(Fixture.summary, as: name).pages.keys.map(\.page.name) == [page])
    }

    /// Without a frame there is no average, and none is made of it.
    @Test func noFrames() throws {
        let result = try Self.measurements(
            Fixture.object([
                #""average_frame_build_time_millis": null"#, #""worst_frame_build_time_millis": 0"#,
                #""missed_frame_build_budget_count": 0"#, #""frame_count": 0"#, #""frame_build_times": []"#,
            ]))
        #expect(result.cells.map(\.key.metric) == ["frame_count"])
        #expect(result.cells.map(\.value.values) == [[0]])
        #expect(result.codes.contains(.skippedRecords))
    }

    @Test(arguments: [
        #""average_frame_build_time_millis": "4""#, #""average_frame_build_time_millis": -1"#,
        #""frame_build_times": [1, "2"]"#, #""frame_build_times": 7"#, #""frame_build_times": [-5]"#,
        #""worst_frame_build_time_millis": 1e999"#,
    ])
    func whatCantBeReadIsReportedAndTheRestIsKept(_ member: String) throws {
        let result = try Self.measurements(
            Fixture.object(
                [member, #""missed_frame_build_budget_count": 3"#, Fixture.rasterTimes, #""frame_count": 4"#]
                    + (member.contains("times") ? [#""average_frame_build_time_millis": 1"#] : [Fixture.buildTimes])))
        #expect(result.values("scroll", "missed_frame_build_budget_count") == [3])
        #expect(result.codes.filter { $0 == .badRecord }.count == 1)
        #expect(result.runs.map(\.isComplete) == [false])
    }

    /// A list that is shorter than the frames are many was cut.
    @Test func aListWithoutAllItsFramesIsReported() throws {
        let text = FlutterFixture.text.replacing("[2000, 3000, 5000, 8000]", with: "[2000, 3000]")
        let result = try LogFolder.measurements(text)
        #expect(result.diagnostics.contains { $0.code == .badRecord && $0.message.contains("has 2 of 4 frames") })
        #expect(result.runs.map(\.isComplete) == [false])
    }
}
