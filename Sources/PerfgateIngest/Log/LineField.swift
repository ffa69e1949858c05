import PerfgateJSON

/// The keys of log lines that are read.
enum LineField: UInt8 {
    case type, page, iteration, scroll, segment, timestamp, target, duration
    case visitID, outcome, durationMS, ttfl, ttil, threadHang, mainThreadHang, additionalLoads, richContent
    case candidates, formula, timestamps, targets, test, framesDropped, cumulativeEvents, counting, clock
    case runID, part, shard, schema, expectsEnd, lines
    case frameCount, firstFPS, minFPS, maxFPS, hitchMS, hangMS
    case metric, unit, better, values
    case cpuPercent, threads, memory, isCharging
    // The fields of a context, in the order of `Context.names`.
    case app, appVersion, build, commit, device, deviceID, simulator, os, maxRate, lowPowerMode, thermalState
    case network, startedAt, pair
    case unknown

    /// The index in `Context.names` of a field from `app` to `pair`.
    var contextName: Int { Int(rawValue) - Int(LineField.app.rawValue) }

    /// The field of a key; `unknown` for one that isn't read.
    @inline(never)
    init(_ key: JSONKey) {
        switch key {
        case "type": self = .type
        case "page": self = .page
        case "iteration": self = .iteration
        case "scroll": self = .scroll
        case "segment": self = .segment
        case "timestamp_ns": self = .timestamp
        case "target_ns": self = .target
        case "duration_ns": self = .duration
        case "visit_id": self = .visitID
        case "outcome": self = .outcome
        case "duration_ms": self = .durationMS
        case "ttfl_ms": self = .ttfl
        case "ttil_ms": self = .ttil
        case "sth_ms": self = .threadHang
        case "mth_ms": self = .mainThreadHang
        case "alt_ms": self = .additionalLoads
        case "rclt": self = .richContent
        case "candidates": self = .candidates
        case "formula": self = .formula
        case "timestamps_ns": self = .timestamps
        case "targets_ns": self = .targets
        case "test": self = .test
        case "frames_dropped": self = .framesDropped
        case "cumulative_frame_drop_events": self = .cumulativeEvents
        case "counting": self = .counting
        case "clock": self = .clock
        default: self.init(rare: key)
        }
    }

    private init(rare key: JSONKey) {
        switch key {
        case "run_id": self = .runID
        case "part": self = .part
        case "shard": self = .shard
        case "schema": self = .schema
        case "expects_end": self = .expectsEnd
        case "lines": self = .lines
        case "frame_count": self = .frameCount
        case "first_fps": self = .firstFPS
        case "fps_min": self = .minFPS
        case "fps_max": self = .maxFPS
        case "hitch_ms": self = .hitchMS
        case "hang_ms": self = .hangMS
        case "metric": self = .metric
        case "unit": self = .unit
        case "better": self = .better
        case "values": self = .values
        case "cpu_percent": self = .cpuPercent
        case "threads": self = .threads
        case "memory_bytes": self = .memory
        case "charging": self = .isCharging
        default: self.init(context: key)
        }
    }

    private init(context key: JSONKey) {
        switch key {
        case "app": self = .app
        case "app_version": self = .appVersion
        case "build": self = .build
        case "commit": self = .commit
        case "device": self = .device
        case "device_id": self = .deviceID
        case "simulator": self = .simulator
        case "os": self = .os
        case "max_fps": self = .maxRate
        case "low_power_mode": self = .lowPowerMode
        case "thermal_state": self = .thermalState
        case "network": self = .network
        case "started_at": self = .startedAt
        case "pair": self = .pair
        default: self = .unknown
        }
    }
}
