/// The keys of log lines, each named once for the recorder, for the readers of the gate and of field data, and for
/// SQL. `perfgate schema log` describes their values and the lines that have them; a test compares both.
@usableFromInline
package enum LogKey: String, Sendable, CaseIterable {
    case type, page, iteration, scroll, segment
    case timestamp = "timestamp_ns"
    case target = "target_ns"
    case duration = "duration_ns"
    case visitID = "visit_id"
    case start = "start_ns"
    case outcome
    case ttfl = "ttfl_ms"
    case ttil = "ttil_ms"
    case scrollThreadHang = "sth_ms"
    case mainThreadHang = "mth_ms"
    case additionalLoads = "alt_ms"
    case richContent = "rclt"
    case moreAdditionalLoads = "alt_more"
    case moreRichContent = "rclt_more"
    case durationMS = "duration_ms"
    case candidates, formula
    case timestamps = "timestamps_ns"
    case targets = "targets_ns"
    case test
    case framesDropped = "frames_dropped"
    case cumulativeEvents = "cumulative_frame_drop_events"
    case counting, clock
    case runID = "run_id"
    case part, parts, shard, iterations, schema
    case expectsEnd = "expects_end"
    case lines
    case frameCount = "frame_count"
    case firstFPS = "first_fps"
    case minFPS = "fps_min"
    case maxShownFPS = "fps_max"
    case hitch = "hitch_ms"
    case hang = "hang_ms"
    case frames
    case framesMS = "frames_ms"
    case checkpoint, continued, inactive
    case hangThreshold = "hang_threshold_ms"
    case metric, unit, better, values
    case cpuPercent = "cpu_percent"
    case threads
    case memoryBytes = "memory_bytes"
    case charging, app
    case appVersion = "app_version"
    case build, commit, device
    case deviceID = "device_id"
    case simulator, os
    case maxFPS = "max_fps"
    case lowPowerMode = "low_power_mode"
    case thermalState = "thermal_state"
    case network
    case startedAt = "started_at"
    case pair, profiled, tags
    // The gate ignores these.
    case at, user
    case eventsLost = "events_lost"
    case cumulativeFrames = "cumulative_frames_dropped"
    // Only flat rows of field data have these.
    case additionalLoadCount = "alt_count"
    case richContentLoads = "rclt_ms"
    case richContentCount = "rclt_count"
    // Only the entries of rich content and sums of loads have these, beside the outcome of an entry.
    case ms, url, count, shown
    case unknown = ""

    /// The place in this list, from 0.
    @inlinable package var number: Int { withUnsafeBytes(of: self) { Int($0[0]) } }

    /// Whether both are the same; readers compare a key or two for each value, in other modules.
    @inlinable package static func == (lhs: LogKey, rhs: LogKey) -> Bool { lhs.number == rhs.number }
}

@usableFromInline
package enum LogLineType: String, Sendable, CaseIterable {
    case run, state, frames, frame
    case frameDrop = "frame_drop"
    case scroll
    case visit = "pps"
    case screen, metric, end
    case unknown = ""

    /// The place in this list, from 0.
    @inlinable package var number: Int { withUnsafeBytes(of: self) { Int($0[0]) } }

    package var isMeasurement: Bool {
        switch self {
        case .frames, .frame, .frameDrop, .scroll, .visit, .screen, .metric: true
        case .run, .state, .end, .unknown: false
        }
    }
}
