import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The measurements from each type of line.
struct LineTypeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let lines: String
        let metric: String
        let values: [Double]?
        var testDescription: String { "\(metric) of \(lines)" }

        init(_ lines: String, _ metric: String, _ values: [Double]?) {
            self.lines = lines
            self.metric = metric
            self.values = values
        }
    }

    static let visit =
        #"{"type":"pps","page":"P","start_ns":18446744073709551615,"ttfl_ms":41.2,"ttil_ms":512.9,"sth_ms":[33.3,10],"mth_ms":[5],"#
        + #""alt_ms":[0,250],"rclt":[{"ms":180,"outcome":"loaded","url":"u"},{"ms":9,"outcome":"hidden"}],"#
        + #""candidates":{"ttil_v2_ms":498}}"#
    static let drop =
        #"{"type":"frame_drop","page":"P","scroll":0,"frames_dropped":2,"#
        + #""cumulative_frame_drop_events":3}"#
    static let screen =
        #"{"type":"screen","page":"P","duration_ms":8000,"frame_count":470,"first_fps":50,"#
        + #""fps_min":13.1,"fps_max":60,"hitch_ms":40,"hang_ms":400}"#

    static let rows: [Row] = [
        Row(visit, "ttfl", [41.2]), Row(visit, "ttil", [512.9]), Row(visit, "scroll_thread_hang", [43.3]),
        Row(visit, "alt", [125]), Row(visit, "alt_shown", [250]), Row(visit, "rclt", [180]),
        Row(visit, "mth", [5]), Row(visit, "candidates.ttil_v2", [498]),
        Row(#"{"type":"pps","page":"P","sth_ms":[],"alt_ms":[]}"#, "scroll_thread_hang", [0]),
        Row(#"{"type":"pps","page":"P","sth_ms":[],"alt_ms":[]}"#, "alt", []),
        Row(#"{"type":"pps","page":"P","ttil_ms":null,"alt_ms":[]}"#, "ttil", nil),
        Row(#"{"type":"pps","page":"P","ttil_ms":9,"ttfl_ms":1,"outcome":"abandoned"}"#, "ttil", []),
        Row(#"{"type":"pps","page":"P","ttil_ms":9,"ttfl_ms":1,"outcome":"error"}"#, "ttfl", [1]),
        Row(drop + "\n" + #"{"type":"scroll","page":"P","scroll":0,"duration_ms":800}"#, "dropped_frames", [2]),
        Row(drop + "\n" + #"{"type":"scroll","page":"P","scroll":0,"duration_ms":800}"#, "drop_events", [3]),
        Row(#"{"type":"scroll","page":"P","scroll":0,"duration_ms":800}"#, "dropped_frames", [0]),
        Row(drop, "dropped_frames", [2]),
        Row(
            drop + "\n" + #"{"type":"scroll","page":"P","scroll":1,"duration_ms":800}"#, "dropped_frames", [0]),
        Row(
            #"{"type":"frame_drop","page":"P","scroll":0,"frames_dropped":3,"counting":"published"}"#,
            "dropped_frames", [2]),
        Row(screen, "hitch_ratio_screen", [5]), Row(screen, "hang_rate", [180]), Row(screen, "fps_mean", [58.75]),
        Row(screen, "first_frame", [20]), Row(screen, "fps_min", [13.1]),
        Row(#"{"type":"metric","page":"P","metric":"launch","unit":"s","values":[0.5,0.25]}"#, "launch", [250, 500]),
        Row(#"{"type":"metric","page":"P","metric":"odd","unit":"kC","values":[]}"#, "odd", []),
        Row(
            #"{"type":"frames","page":"P","timestamps_ns":[0,50000000],"duration_ns":16666667}"#, "fps_mean", [20]),
        Row(
            #"{"type":"frames","page":"P","timestamps_ns":[0,50000000],"duration_ns":16666667}"#, "dropped_frames",
            nil),
        Row(
            #"{"type":"frames","page":"P","scroll":0,"timestamps_ns":[0,50000000],"duration_ns":16666667}"#,
            "dropped_frames", [2]),
    ]

    @Test(arguments: rows)
    func measures(_ row: Row) throws {
        let measurements = try LogFolder.measurements(runLine() + row.lines + "\n")
        #expect(measurements.values("P", row.metric) == row.values)
        #expect(!measurements.runs.contains { !$0.isComplete })
    }

    @Test(arguments: [
        (#"{"type":"pps","page":"P","ttil_ms":-1}"#, "\"ttil_ms\" is negative."),
        (
            #"{"type":"pps","page":"P","ttil_ms":1764345600000}"#,
            "\"ttil_ms\" is above 10^12, like a time since 1970."
        ),
        (#"{"type":"pps","page":"P","outcome":"lost"}"#, "\"outcome\" must be loaded, error or abandoned."),
        (
            #"{"type":"pps","page":"P","rclt":[{"ms":1,"outcome":"Loaded"}]}"#,
            "\"rclt\" has an outcome other than loaded, hidden or error."
        ),
        (#"{"type":"frame","page":"P"}"#, "The line has no \"timestamp_ns\", which its type needs."),
        (#"{"page":"P"}"#, "The line has no \"type\", which its type needs."),
        (
            #"{"type":"frames","page":"P","timestamps_ns":[1,2],"targets_ns":[3]}"#,
            "\"targets_ns\" has 1 entries for 2 timestamps."
        ),
        (#"{"type":"screen","page":"P","duration_ms":0}"#, "\"duration_ms\" is not above 0."),
        (#"{"type":"frame_drop","page":"P","frames_dropped":1}"#, "The line has no \"scroll\", which its type needs."),
    ])
    func refuses(_ line: String, _ message: String) throws {
        let measurements = try LogFolder.measurements(runLine() + line + "\n")
        let diagnostic = try #require(measurements.diagnostics.first { $0.code == .badLine })
        #expect(diagnostic.line == 2)
        #expect(diagnostic.message == message)
        #expect(measurements.runs.first?.isComplete == false)
    }

    @Test func aVisitsStartIsReadAndChangesNothing() throws {
        var line = LogLine()
        func start(_ member: String) throws -> UInt64? {
            try Array(#"{"type":"pps","page":"P"\#(member)}"#.utf8).withUnsafeBytes { bytes in
                try line.read(bytes, from: 0)
            }
            return line.visit.start
        }
        #expect(try start(#","start_ns":18446744073709551615"#) == .max)
        #expect(try start(#","start_ns":"12""#) == 12)
        #expect(try start("") == nil)
        #expect(try start(#","start_ns":null"#) == nil)
        #expect(throws: LineError.self) { try start(#","start_ns":-1"#) }
        #expect(throws: LineError.self) { try start(#","start_ns":1.5"#) }
        let without = Self.visit.replacing(#""start_ns":18446744073709551615,"#, with: "")
        let cells = try [Self.visit, without].map { try LogFolder.measurements(runLine() + $0 + "\n").cells }
        #expect(without != Self.visit && cells[0] == cells[1])
    }

    @Test func aKnownMetricKeepsItsDirection() throws {
        let line = #"{"type":"metric","page":"P","metric":"fps_mean","unit":"fps","values":[50]}"#
        let measurements = try LogFolder.measurements(runLine() + line + "\n")
        #expect(measurements.cells.values.map(\.metric.better) == [.higher])
    }
}
