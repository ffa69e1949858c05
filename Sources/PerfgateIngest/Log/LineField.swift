import PerfgateJSON

/// The keys of log lines that are used.
enum LineField: UInt8 {
    case type, page, iteration, scroll, segment, timestamp, target, duration
    case visitID, outcome, ttfl, ttil, threadHang, mainThreadHang, additionalLoads, richContent
    case durationMS, candidates, formula, timestamps, targets, test, framesDropped, cumulativeEvents, counting, clock
    case runID, part, parts, shard, iterations, schema, expectsEnd, lines
    case frameCount, firstFPS, minFPS, maxFPS, hitchMS, hangMS
    case frames, framesMS, isCheckpoint, hangThreshold
    case metric, unit, better, values
    case cpuPercent, threads, memory, isCharging
    // The context fields, in the order of `Context.names`.
    case app, appVersion, build, commit, device, deviceID, simulator, os, maxRate, lowPowerMode, thermalState
    case network, startedAt, pair
    case unknown

    /// The index in `Context.names` of a field from `app` to `pair`.
    var contextName: Int { Int(rawValue) - Int(LineField.app.rawValue) }

    /// The key; `nil` for an unused one.
    var key: String? { self == .unknown ? nil : Self.keys[Int(rawValue)] }

    /// The keys of all fields, in the order of the cases.
    static let keys = [
        "type", "page", "iteration", "scroll", "segment", "timestamp_ns", "target_ns", "duration_ns",
        "visit_id", "outcome", "ttfl_ms", "ttil_ms", "sth_ms", "mth_ms", "alt_ms", "rclt",
        "duration_ms", "candidates", "formula", "timestamps_ns", "targets_ns", "test", "frames_dropped",
        "cumulative_frame_drop_events", "counting", "clock", "run_id", "part", "parts", "shard", "iterations", "schema",
        "expects_end", "lines", "frame_count", "first_fps", "fps_min", "fps_max", "hitch_ms", "hang_ms", "frames",
        "frames_ms", "checkpoint", "hang_threshold_ms", "metric", "unit", "better", "values", "cpu_percent", "threads",
        "memory_bytes", "charging", "app", "app_version", "build", "commit", "device", "device_id", "simulator", "os",
        "max_fps", "low_power_mode", "thermal_state", "network", "started_at", "pair",
    ]
    /// Whether it is read into `LogLine.visit`.
    var isOfVisit: Bool { LineField.visitID.rawValue...LineField.richContent.rawValue ~= rawValue }

    /// Whether few lines have it.
    var isRare: Bool { LineField.framesDropped.rawValue..<LineField.unknown.rawValue ~= rawValue }

    /// The field of a key; `unknown` for an unused one.
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
        case "parts": self = .parts
        case "shard": self = .shard
        case "iterations": self = .iterations
        case "schema": self = .schema
        case "expects_end": self = .expectsEnd
        case "lines": self = .lines
        case "frame_count": self = .frameCount
        case "first_fps": self = .firstFPS
        case "fps_min": self = .minFPS
        case "fps_max": self = .maxFPS
        case "hitch_ms": self = .hitchMS
        case "hang_ms": self = .hangMS
        case "frames": self = .frames
        case "frames_ms": self = .framesMS
        case "checkpoint": self = .isCheckpoint
        case "hang_threshold_ms": self = .hangThreshold
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

/// The single values of any line; `nil` if absent. It owns no memory, so clearing it is cheap.
struct LineFields {
    var type: LineType?
    var page: JSONText?
    var test: JSONText?
    var iteration = 0
    var scroll: Int?
    var segment = 0
    var formula: JSONText?
    /// The duration in ms.
    var durationMS: Double?

    /// The start of the line's only tick.
    var timestamp: UInt64?
    /// The due time of the frame after the line's only tick.
    var target: UInt64?
    /// The interval at the display's highest rate.
    var duration: UInt64?
    /// Whether the line has a tick list, possibly empty.
    var hasTimestamps = false

    /// Whether a key is repeated.
    var hasDuplicateKey = false
}

/// The keys of lines: their order so far, by type, and the unused ones.
struct KeyOrder {
    /// The most unused keys remembered.
    private static let mostUnknown = 64

    /// The number of the current line.
    var lineNumber = 0
    /// The unused keys, with the first line that has them.
    private(set) var unknownKeys: [String: Int] = [:]
    private var order = JSONKeyOrder(shapes: LineType.count + 1, filler: LineField.unknown)

    /// Starts a line with unknown type.
    mutating func begin() {
        order.begin()
    }

    /// Sets the line's type when its key was read.
    mutating func turn(to type: LineType) {
        order.begin(shape: Int(type.rawValue) + 1)
    }

    /// The next key's field; `nil` at the end of the object.
    @inline(__always)
    mutating func next(_ reader: inout JSONReader) throws(JSONError) -> LineField? {
        if let field = order.take(&reader) { return field }
        guard let key = try reader.nextKey() else { return nil }
        let field = LineField(key)
        if field == .unknown { note(key) }
        order.learn(key, field)
        return field
    }

    /// Keys of the format that this reader doesn't need.
    private static let unused: Set = ["cumulative_frames_dropped", "events_lost", "at", "user"]

    @inline(never)
    private mutating func note(_ key: JSONKey) {
        guard unknownKeys.count < Self.mostUnknown else { return }
        note(key.text.string, in: lineNumber)
    }

    /// Records that a line has an unused key.
    mutating func note(_ text: String, in lineNumber: Int) {
        guard unknownKeys.count < Self.mostUnknown else { return }
        if unknownKeys[text] == nil, !Self.unused.contains(text) { unknownKeys[text] = lineNumber }
    }
}

/// The types of lines in the perfgate log.
enum LineType: UInt8 {
    case run, state, frames, frame, frameDrop, scroll, pps, screen, metric, end, unknown

    /// The number of types.
    static let count = 11

    init(_ name: JSONText) {
        switch name {
        case "pps": self = .pps
        case "frame": self = .frame
        case "frames": self = .frames
        case "frame_drop": self = .frameDrop
        case "scroll": self = .scroll
        case "screen": self = .screen
        case "metric": self = .metric
        case "run": self = .run
        case "end": self = .end
        case "state": self = .state
        default: self = .unknown
        }
    }

    /// Whether lines of the type measure a page.
    var isMeasurement: Bool {
        switch self {
        case .frames, .frame, .frameDrop, .scroll, .pps, .screen, .metric: true
        case .run, .state, .end, .unknown: false
        }
    }
}
