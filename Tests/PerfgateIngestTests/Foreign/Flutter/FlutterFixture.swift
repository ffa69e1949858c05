/// Summaries in the shape that the documentation of Flutter's `TimelineSummary.summaryJson` gives them, made up.
enum FlutterFixture {
    static let text = object(["\"scroll\": \(summary)", "\"other\": 7"])

    /// Four frames; averages and percentiles in milliseconds, lists in microseconds.
    static let summary = object([
        #""average_frame_build_time_millis": 4.5"#, #""90th_percentile_frame_build_time_millis": 7.5"#,
        #""worst_frame_build_time_millis": 8"#, #""missed_frame_build_budget_count": 0"#,
        #""average_frame_rasterizer_time_millis": 20.5"#, #""missed_frame_rasterizer_budget_count": 1"#,
        #""frame_count": 4"#, #""frame_rasterizer_count": 4"#, #""new_gen_gc_count": 2"#, #""old_gen_gc_count": 0"#,
        #""total_ui_gc_time": 1.5"#, #""60hz_frame_percentage": 100.0"#, buildTimes, rasterTimes,
        #""frame_begin_times": [0, 16666, 33333, 50000]"#, #""frame_rasterizer_begin_times": [9, 10, 11, 12]"#,
    ])

    static let buildTimes = #""frame_build_times": [2000, 3000, 5000, 8000]"#
    static let rasterTimes = #""frame_rasterizer_times": [4000, 4000, 6000, 68000]"#

    static func object(_ members: [String]) -> String { "{\n  \(members.joined(separator: ",\n  "))\n}" }
}
