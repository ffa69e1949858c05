import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Diagnostics beside the values.
struct RemarkTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let lines: [String]
        let code: DiagnosticCode?
        /// A metric of page P that shows which source was used.
        let metric: String
        let values: [Double]?
        var testDescription: String { name }
    }

    /// Two frames of 50 ms and 16.7 ms: two frames dropped at one instant.
    static let ticks =
        #"{"type":"frames","page":"P","scroll":0,"timestamps_ns":[0,50000000,66666667],"duration_ns":16666667}"#
    /// The same number outside of scrolls.
    static let stillTicks =
        #"{"type":"frames","page":"P","timestamps_ns":[0,50000000,66666667],"duration_ns":16666667}"#
    static func drop(_ frames: Int) -> String {
        #"{"type":"frame_drop","page":"P","scroll":0,"frames_dropped":\#(frames)}"#
    }
    static func visit(_ hang: Double) -> String { #"{"type":"pps","page":"P","sth_ms":[\#(hang)]}"# }
    static func metric(_ id: String, _ value: Double) -> String {
        #"{"type":"metric","page":"P","metric":"\#(id)","unit":"fps","values":[\#(value)]}"#
    }
    static let scrollEnd = #"{"type":"scroll","page":"P","scroll":1,"duration_ms":800}"#

    static let rows: [Row] = [
        Row(name: "drops as ticks", lines: [ticks, drop(2)], code: nil, metric: "dropped_frames", values: [2]),
        Row(
            name: "drops unlike ticks", lines: [ticks, drop(3)], code: .conflictingSources, metric: "dropped_frames",
            values: [2]),
        Row(
            name: "hang as ticks", lines: [ticks, visit(33.33)], code: nil, metric: "scroll_thread_hang",
            values: [33.33]),
        Row(
            name: "hang unlike ticks", lines: [ticks, visit(90)], code: .conflictingSources,
            metric: "scroll_thread_hang", values: [90]),
        Row(
            name: "rate as ticks", lines: [stillTicks, metric("fps_mean", 30)], code: nil, metric: "fps_mean",
            values: [30]),
        Row(
            name: "rate unlike ticks", lines: [ticks, stillTicks, metric("fps_mean", 55)], code: .conflictingSources,
            metric: "fps_mean", values: [30]),
        Row(
            name: "rate of the screen, ticks of its scrolls", lines: [ticks, metric("fps_mean", 55)], code: nil,
            metric: "fps_mean", values: [55]),
        Row(name: "ticks of scrolls alone", lines: [ticks], code: nil, metric: "fps_mean", values: [30]),
        Row(
            name: "frame due at itself",
            lines: [#"{"type":"frames","page":"P","timestamps_ns":[0,50000000,60000000],"targets_ns":[0,60000000,0]}"#],
            code: .skippedPairs, metric: "fps_mean", values: [100]),
        Row(
            name: "published drops",
            lines: [
                #"{"type":"frame_drop","page":"P","scroll":1,"frames_dropped":3,"counting":"published"}"#, scrollEnd,
            ],
            code: .convertedCounting, metric: "dropped_frames", values: [2]),
        Row(
            name: "published, none dropped",
            lines: [
                #"{"type":"frame_drop","page":"P","scroll":1,"frames_dropped":0,"counting":"published"}"#, scrollEnd,
            ],
            code: nil, metric: "dropped_frames", values: [0]),
        Row(
            name: "open scroll", lines: [drop(7), scrollEnd], code: .openScroll, metric: "dropped_frames", values: [0]),
        Row(
            name: "scrolls by number", lines: [drop(7)], code: .assumedScrolls, metric: "dropped_frames", values: [7]),
    ]

    @Test(arguments: rows)
    func tells(_ row: Row) throws {
        let measurements = try LogFolder.measurements(runLine() + row.lines.map { $0 + "\n" }.joined())
        #expect(measurements.codes == (row.code.map { [$0] } ?? []))
        #expect(measurements.values("P", row.metric)?.map { ($0 * 100).rounded() / 100 } == row.values)
        #expect(measurements.runs.first?.isComplete == true)
    }

    @Test func remarksCountAndComeOnceAPage() throws {
        let lines = (0..<3).map { #"{"type":"frame_drop","page":"P","scroll":\#($0),"frames_dropped":1}"# + "\n" }
        let measurements = try LogFolder.measurements(
            runLine() + lines.joined() + #"{"type":"scroll","page":"P","scroll":9,"duration_ms":1}"# + "\n")
        #expect(
            measurements.diagnostics.map(\.message) == [
                "Scrolls of page P that began and did not end: 3. They were left out, as after a kill."
            ])
    }

    @Test func conditionsThatMeetNothingAreReported() throws {
        let text = runLine("r", #","network":"wifi""#) + StreamTests.visit
        let measurements = try LogFolder.measurements(text) {
            $0.conditions = [.init(field: "network", value: "lte"), .init(field: "app_version", value: "2")]
        }
        #expect(measurements.cells.isEmpty)
        #expect(
            measurements.diagnostics.map(\.description) == [
                "PG116 No line has network=lte, app_version=2 (--where), so nothing was used. "
                    + "The logs have network: wifi; app_version: unknown."
            ])
        let met = try LogFolder.measurements(text) { $0.conditions = [.init(field: "network", value: "wifi")] }
        #expect(met.codes.isEmpty)
        let empty = try LogFolder.measurements(runLine()) { $0.conditions = [.init(field: "network", value: "lte")] }
        #expect(empty.codes.isEmpty)
    }
}

extension Diagnostic {
    fileprivate var description: String { "\(code.rawValue) \(message)" }
}
