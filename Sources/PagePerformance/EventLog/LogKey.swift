/// The keys of log lines, each named once for the recorder, for the readers of the gate and of field data, and for
/// SQL. `perfgate schema log` describes their values and the lines that have them; a test compares both.
@usableFromInline package enum LogKey: String, Sendable, CaseIterable {
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

@usableFromInline package enum LogLineType: String, Sendable, CaseIterable {
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

/// Writes lines of the log: one JSON object per line, whose bytes depend only on the values. Members keep the order of
/// the calls. A member without a value, or with a number that isn't finite, is left out.
package struct LineEncoder {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Removes the lines and keeps the memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    package mutating func line(_ type: LogLineType, at place: LogEvent.Place? = nil, _ body: (inout Self) -> Void) {
        append("{\"type\":\"")
        bytes.append(contentsOf: type.rawValue.utf8)
        append("\"")
        place?.encode(into: &self)
        body(&self)
        append("}\n")
    }

    package mutating func text(_ key: LogKey, _ value: String?) { member(key, value) { $0.string($1) } }

    package mutating func number(_ key: LogKey, _ value: Double?) {
        if let value, value.isFinite { member(key, value) { $0.number($1) } }
    }

    mutating func time(_ key: LogKey, _ value: Milliseconds?) { number(key, value?.value) }

    package mutating func whole(_ key: LogKey, _ value: Int?) { member(key, value) { $0.whole($1) } }

    /// A whole number member, in nanoseconds.
    mutating func time(_ key: LogKey, _ value: Nanoseconds?) { member(key, value) { $0.whole($1.count) } }

    /// A point in time since 1970, to the millisecond.
    mutating func instant(_ key: LogKey, _ value: Nanoseconds?) {
        member(key, value) { encoder, time in
            encoder.append("\"")
            UniversalTime.append(time, hasMilliseconds: true, to: &encoder.bytes)
            encoder.append("\"")
        }
    }

    package mutating func flag(_ key: LogKey, _ value: Bool?) {
        member(key, value) { $0.append($1 ? "true" : "false") }
    }

    /// A list member; `item` writes each element.
    mutating func list<Items: Sequence>(
        _ key: LogKey, _ items: Items?, _ item: (inout LineEncoder, Items.Element) -> Void
    ) {
        guard let items else { return }
        name(key)
        append("[")
        var isFirst = true
        for element in items {
            if !isFirst { append(",") }
            isFirst = false
            item(&self, element)
        }
        append("]")
    }

    /// A list member of times in milliseconds, without numbers that aren't finite.
    mutating func times(_ key: LogKey, _ values: [Milliseconds]?) {
        list(key, values?.lazy.map(\.value).filter(\.isFinite)) { $0.number($1) }
    }

    /// The object member of an app's own dimensions.
    mutating func tags(_ tags: LogTags) {
        name(.tags)
        object { encoder in
            for (name, value) in tags.values {
                encoder.append(",")
                encoder.string(name)
                encoder.append(":")
                encoder.string(value)
            }
        }
    }

    /// An object member of summed loads.
    mutating func loads(_ key: LogKey, _ loads: LoadTimes?) {
        guard let loads, loads.sum.value.isFinite else { return }
        name(key)
        object { encoder in
            encoder.whole(.count, loads.count)
            encoder.whole(.shown, loads.shownCount)
            encoder.time(.ms, loads.sum)
        }
    }

    /// An object member of times in milliseconds, in the order of their names' UTF-8.
    mutating func members(_ key: LogKey, _ values: [String: Milliseconds]) {
        name(key)
        object { encoder in
            let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (key, time) in sorted where time.value.isFinite {
                encoder.append(",")
                encoder.string(key + "_ms")
                encoder.append(":")
                encoder.number(time.value)
            }
        }
    }

    /// An object as an element of a list; its members are written like those of a line.
    mutating func object(_ body: (inout LineEncoder) -> Void) {
        append("{")
        let start = bytes.count
        body(&self)
        if bytes.count > start { bytes.remove(at: start) }
        append("}")
    }

    /// A finite number, in the fewest digits that read back as the same number.
    mutating func number(_ value: Double) {
        if let whole = Int64(exactly: value), value != 0 || value.sign == .plus { return self.whole(whole) }
        bytes.append(contentsOf: value.description.utf8)
    }

    mutating func whole(_ value: some FixedWidthInteger) {
        if value < 0 { append("-") }
        var first = bytes.count
        var rest = value.magnitude
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
            rest = quotient
        } while rest > 0
        // In place: a slice would copy the bytes.
        var last = bytes.count - 1
        while first < last {
            bytes.swapAt(first, last)
            first += 1
            last -= 1
        }
    }

    /// A text in quotes. Every character that could move a terminal's cursor or end a line is escaped.
    mutating func string(_ text: String) {
        append("\"")
        if text.utf8.allSatisfy(Self.isPlain) {
            bytes.append(contentsOf: text.utf8)
        } else {
            for scalar in text.unicodeScalars { string(scalar) }
        }
        append("\"")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func string(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x22: append("\\\"")
        case 0x5C: append("\\\\")
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: escape(scalar.value)
        default: bytes.append(contentsOf: scalar.utf8)
        }
    }

    private mutating func escape(_ value: UInt32) {
        append("\\u")
        for shift in [12, 8, 4, 0] as [UInt32] {
            let digit = UInt8(truncatingIfNeeded: value >> shift & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// A member, unless it has no value.
    @inline(__always)
    private mutating func member<Value>(_ key: LogKey, _ value: Value?, _ body: (inout LineEncoder, Value) -> Void) {
        guard let value else { return }
        name(key)
        body(&self, value)
    }

    /// The name of a member, after a comma; every member has one before it.
    private mutating func name(_ key: LogKey) {
        append(",\"")
        bytes.append(contentsOf: key.rawValue.utf8)
        append("\":")
    }

    private mutating func append(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }
}
