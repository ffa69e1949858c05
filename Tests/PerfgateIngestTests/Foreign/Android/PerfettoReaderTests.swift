import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Made-up output in the formats of trace_processor.
enum PerfettoFixture {
    static let metrics = """
        android_frame_timeline_metric {
          total_frames: 70
          process {
            process {
              name: "com.example.shop:search"
              pid: 1001
              is_kernel_task: false
            }
            total_frames: 60
            missed_frames: 5
            missed_app_frames: 4
            missed_sf_frames: 1
            frame_dur_max: 34000000
            frame_dur_p90: 19500000
            frame_dur_ms_p50: 7.25
            frame_dur_ms_p90: 19.5
            dropped_frames: 0
            jank_types {
              type: "App Deadline Missed"
              total_count: 4
              present_late_count: 2
            }
            jank_types {
              type: "None"
              total_count: 55
            }
          }
          process {
            process {
              name: "/system/bin/surfaceflinger"
            }
            total_frames: 10
            missed_app_frames: 0
          }
        }
        android_startup {
          startup {
            startup_id: 1
            startup_type: "cold"
            package_name: "com.example.shop"
            zygote_new_process: true
            to_first_frame {
              dur_ns: 500250000
              time_activity_start { dur_ns: 1000 }
            }
            report_fully_drawn {
              dur_ns: 900000000
            }
          }
          startup {
            startup_type: "cold"
            package_name: "com.example.shop"
            to_first_frame { dur_ns: 510000000 }
            slow_start_reason: "a \\"brace {\\" in a text"
          }
          startup {
            startup_type: "hot"
            package_name: "com.example.shop"
            to_first_frame { dur_ns: 80000000 }
          }
          startup {
            startup_type: "hot"
            package_name: "com.example.shop"
          }
        }

        """

    static let json = """
        { "android_startup": { "startup": [
          { "package_name": "com.example.shop", "startup_type": "cold", "zygote_new_process": true,
            "to_first_frame": { "dur_ns": 500250000, "dur_ms": 500.25 }, "report_fully_drawn": { "dur_ns": 900000000 } } ] },
          "android_jank_cuj": { "cuj": [
          { "name": "OPEN_CART", "process": { "name": "com.example.shop" },
            "counter_metrics": { "total_frames": 9, "missed_app_frames": 9 },
            "timeline_metrics": { "total_frames": 12, "missed_app_frames": 2, "frame_dur_p90": 17500000 } } ] } }
        """

    static let header = """
        "ts","dur","surface_frame_token","layer_name","jank_type","process_name"

        """

    static let table =
        header + """
            100,8000000,7,"TX - com.example.shop/com.example.shop.Feed#12","None","com.example.shop"
            110,20000000,8,"TX - com.example.shop/com.example.shop.Feed#12","App Deadline Missed","com.example.shop"
            115,99000000,9,"TX - com.example.shop/com.example.shop.Feed#12","SurfaceFlinger Scheduling, Dropped Frame","com.example.shop"
            120,12000000,8,"TX - com.example.shop/com.example.shop.Feed#12","Buffer Stuffing","com.example.shop"
            120,4000000,8,"TX - Popup, \"\"left\"\"#3","None","com.example.shop"
            130,-1,10,"TX - com.example.shop/com.example.shop.Feed#12","Unspecified","com.example.shop"
            130,6000000,0,"[NULL]","None","/system/bin/surfaceflinger"

            """
}

/// The results of reading the output of Perfetto's trace_processor.
///
/// Real files were read, and every value was compared with a script's: `google/perfetto`:
/// `test/trace_processor/diff_tests/metrics/startup/*.out`, `metrics/frame_timeline/frame_timeline_metric.out`,
/// `metrics/graphics/android_jank_cuj.out`, the tables of `actual_frame_timeline_slice` in `parser/graphics/tests.py`,
/// and the table from a phone in `docs/data-sources/frametimeline.md`; `androidx/androidx`: the output in
/// `benchmark/benchmark-macro/src/androidTest/java/androidx/benchmark/macro/perfetto/PerfettoResultsParserTest.kt`; the
/// output in `PerfettoGenericPostProcessorTest.java` of Android's `tools/tradefederation/core`.
struct PerfettoReaderTests {
    private static let feed = "com.example.shop/com.example.shop.Feed"

    @Test(arguments: [
        ("frame_count", [3.0]), ("missed_frames", [2]), ("missed_app_frames", [1]), ("missed_sf_frames", [1]),
        ("jank_app_deadline_missed", [1]), ("jank_buffer_stuffing", [1]), ("jank_dropped_frame", [1]),
        ("jank_surfaceflinger_scheduling", [1]), ("jank_display_hal", [0]),
        // Of 8, 12 and 20 ms: the dropped frame has no time.
        ("frame_dur_ms_p50", [12]), ("frame_dur_ms_p90", [18.4]), ("frame_dur_ms_max", [20]),
    ])
    func framesAreCountedByLayerAndReason(_ metric: String, _ values: [Double]) throws {
        let result = try LogFolder.measurements(PerfettoFixture.table)
        #expect(result.values(Self.feed, metric) == values)
        #expect(result.runs.map { $0.context.text("app") } == ["com.example.shop"])
        #expect(result.runs.map(\.isComplete) == [true])
    }

    @Test func aLayerIsAPageAndWhatIsTheDisplaysIsLeftOut() throws {
        let result = try LogFolder.measurements(PerfettoFixture.table)
        #expect(Set(result.pages.keys.map(\.page.name)) == [Self.feed, "Popup, \"left\""])
        let notes = result.diagnostics.filter { $0.code == .skippedRecords }.map(\.message)
        #expect(
            notes == [
                "1 of 7 frames left out: they weren't done when the recording ended.",
                "1 of 7 frames left out: they are the display's.",
            ])
    }

    @Test(arguments: [
        "1,2\n", "x,2,3,L,None,p\n", "1,2,3,L,[NULL],p\n", "1,2,3,\"L,None,p\n", "1,2,3,L,None,p",
    ])
    func aDamagedRowIsReported(_ row: String) throws {
        let result = try LogFolder.measurements(PerfettoFixture.table + row)
        #expect(result.runs.allSatisfy { !$0.isComplete })
        #expect(!result.runs.isEmpty || result.faultyInputs.map(\.fault) == [.badData])
    }

    /// A table followed by another one, with other columns in another order.
    @Test func columnsAreFoundByTheirNames() throws {
        let table = "jank_type,layer_name,ts,dur\nNone,A#1,1,2000000\n\nts,name\n1,x\n"
        let result = try LogFolder.measurements(table) { $0.format = "perfetto" }
        #expect(result.values("A", "frame_dur_ms_p90") == [2])
        #expect(result.diagnostics.contains { $0.message == "1 of 2 frames left out: they are of another table." })
    }

    @Test(arguments: [
        ("com.example.shop:search", "frame_count", [60.0]), ("com.example.shop:search", "missed_app_frames", [4]),
        ("com.example.shop:search", "jank_app_deadline_missed", [4]),
        ("com.example.shop:search", "jank_buffer_stuffing", [0]),
        ("com.example.shop:search", "frame_dur_ms_p90", [19.5]),
        ("com.example.shop:search", "frame_dur_ms_max", [34]), ("com.example.shop (cold)", "launch", [500.25, 510]),
        ("com.example.shop (cold)", "timeToFullDisplayMs", [900]), ("com.example.shop (hot)", "launch", [80]),
    ])
    func metricsAreReadAsText(_ page: String, _ metric: String, _ values: [Double]) throws {
        let result = try LogFolder.measurements(PerfettoFixture.metrics)
        #expect(result.values(page, metric) == values)
        #expect(result.runs.map { $0.context.text("app") } == ["com.example.shop"])
        let notes = result.diagnostics.filter { $0.code == .skippedRecords }.map(\.message)
        #expect(
            notes == [
                "1 of 6 processes, interactions and starts left out: they are the display's.",
                "1 of 6 processes, interactions and starts left out: they showed no frame.",
            ])
    }

    @Test func metricsAreReadAsJSON() throws {
        let result = try LogFolder.measurements(PerfettoFixture.json)
        #expect(result.values("com.example.shop (cold)", "launch") == [500.25])
        #expect(result.values("OPEN_CART", "frame_count") == [12])
        #expect(result.values("OPEN_CART", "frame_dur_ms_p90") == [17.5])
        #expect(result.values("OPEN_CART", "missed_sf_frames") == nil)
    }

    @Test(arguments: [
        ("dur_ns: 500250000", "dur_ns: \"x\""), ("dur_ns: 80000000", "dur_ns: -1"),
        ("total_frames: 60", "total_frames { a: 1 }"),
        ("{\n      name: \"com.example", ": 7 x {\n      name: \"com.example"),
    ])
    func aRecordThatIsDamagedIsReported(_ good: String, _ bad: String) throws {
        let text = PerfettoFixture.metrics.replacing(good, with: bad)
        #expect(text != PerfettoFixture.metrics)
        let result = try LogFolder.measurements(text)
        #expect(result.runs.map(\.isComplete) == [false])
        #expect(result.diagnostics.filter { $0.code == .badRecord }.count == 1)
    }

    @Test(arguments: ["}", "a: 1 }", "a {", "a: \"x", "a: \"\\q\"", ": 1", "a: {{", "a: \""])
    func textThatIsNoMessageIsBadData(_ text: String) {
        #expect(throws: IngestError.self) { try PerfettoMessage(text: Array(text.utf8)) }
        let deep = Array(String(repeating: "a {", count: 100_000).utf8)
        #expect(throws: IngestError.malformed(line: 1, problem: "messages nest deeper than 64")) {
            try PerfettoMessage(text: deep)
        }
    }

    @Test(arguments: [
        (#"a: "\303\251\t\"'""#, "é\t\"'"), ("a: 'x' # \"", "x"), ("a:-1.5e3;", "-1.5e3"), ("a: OK,", "OK"),
    ])
    func textsAreUnescaped(_ text: String, _ value: String) throws {
        #expect(try PerfettoMessage(text: Array(text.utf8)).text("a") == value)
    }
}
