import PagePerformance
import PerfgateJSON
import PerfgateModel

extension LogLine {
    /// Reads a line; what it doesn't know it validates and ignores.
    mutating func read(_ bytes: UnsafeRawBufferPointer, from offset: Int) throws(LineError) {
        reset()
        do throws(JSONError) {
            var reader = JSONReader(bytes, from: offset)
            try reader.enterObject()
            var seen = JSONFieldSet()
            while let key = try reader.nextKey() {
                let bookmark = reader
                do throws(JSONError) {
                    try readValue(of: key, &reader, &seen)
                } catch {
                    guard case .mismatch(_, .null) = error.kind else { throw error }
                    reader = bookmark
                    try reader.skipValue()
                }
            }
            try reader.finish()
        } catch {
            throw .syntax(error)
        }
    }

    private mutating func note(_ index: Int, _ seen: inout JSONFieldSet) {
        if !seen.insert(index) { hasDuplicateKey = true }
    }

    private mutating func readValue(
        of key: JSONKey, _ reader: inout JSONReader, _ seen: inout JSONFieldSet
    ) throws(JSONError) {
        switch key {
        case "type": note(0, &seen); try readType(&reader)
        case "page": note(1, &seen); page = try reader.readText()
        case "iteration": note(2, &seen); iteration = try reader.readInt()
        case "scroll": note(3, &seen); scroll = try reader.readInt()
        case "segment": note(4, &seen); segment = try reader.readInt()
        case "timestamp_ns": note(5, &seen); try readTimestamp(&reader)
        case "target_ns": note(6, &seen); targets = [try reader.readUInt64()]
        case "duration_ns": note(7, &seen); duration = try reader.readUInt64()
        case "visit_id": note(8, &seen); visitID = try reader.readText()
        case "outcome": note(9, &seen); outcome = try Self.outcome(&reader)
        case "duration_ms": note(10, &seen); durationMS = try reader.readDouble()
        case "ttfl_ms": note(11, &seen); ttfl = try reader.readDouble()
        case "ttil_ms": note(12, &seen); ttil = try reader.readDouble()
        case "sth_ms": note(13, &seen); threadHang = try sum(&reader)
        case "mth_ms": note(14, &seen); mainThreadHang = try sum(&reader)
        case "alt_ms": note(15, &seen); additionalLoads = try loads(&reader)
        case "rclt": note(16, &seen); richContentLoads = try richContent(&reader)
        case "candidates": note(17, &seen); try readCandidates(&reader)
        case "formula": note(18, &seen); formula = try reader.readText()
        case "timestamps_ns": note(19, &seen); hasTimestamps = true; try Self.readList(&reader, into: &timestamps)
        case "targets_ns": note(20, &seen); try Self.readList(&reader, into: &targets)
        case "test": note(21, &seen); test = try reader.readText()
        case "frames_dropped": note(22, &seen); framesDropped = try reader.readInt()
        case "cumulative_frame_drop_events": note(23, &seen); cumulativeEvents = try reader.readInt()
        case "counting": note(24, &seen); isPublished = try reader.readText() == "published"
        case "clock": note(25, &seen); isOtherClock = try reader.readText() == "other"
        default: try readRareValue(of: key, &reader, &seen)
        }
    }

    private mutating func readRareValue(
        of key: JSONKey, _ reader: inout JSONReader, _ seen: inout JSONFieldSet
    ) throws(JSONError) {
        switch key {
        case "run_id": note(26, &seen); runID = try reader.readText()
        case "part": note(27, &seen); part = try reader.readText()
        case "shard": note(28, &seen); shard = try reader.readText()
        case "schema": note(29, &seen); schema = try reader.readInt()
        case "expects_end": note(30, &seen); expectsEnd = try reader.readBool()
        case "lines": note(31, &seen); lines = try reader.readInt()
        case "frame_count": note(32, &seen); frameCount = try reader.readDouble()
        case "first_fps": note(33, &seen); firstFPS = try reader.readDouble()
        case "fps_min": note(34, &seen); minFPS = try reader.readDouble()
        case "fps_max": note(35, &seen); maxFPS = try reader.readDouble()
        case "hitch_ms": note(36, &seen); hitchMS = try reader.readDouble()
        case "hang_ms": note(37, &seen); hangMS = try reader.readDouble()
        case "metric": note(38, &seen); metric = try reader.readText()
        case "unit": note(39, &seen); unit = try reader.readText()
        case "better": note(40, &seen); isHigherBetter = try reader.readText() == "higher"
        case "values": note(41, &seen); values = try Self.doubles(&reader)
        default: try readContextField(named: key, &reader, &seen)
        }
    }

    private mutating func readContextField(
        named key: JSONKey, _ reader: inout JSONReader, _ seen: inout JSONFieldSet
    ) throws(JSONError) {
        guard let name = ContextNames.index(of: key) else { return try reader.skipValue() }
        note(42 + name, &seen)
        let start = reader.offset
        try reader.skipValue()
        context.removeAll { $0.name == name }
        context.append(ContextField(name: name, range: start..<reader.offset))
    }

    private mutating func readType(_ reader: inout JSONReader) throws(JSONError) {
        let text = try reader.readText()
        type =
            switch text {
            case "pps": .pps
            case "frame": .frame
            case "frames": .frames
            case "frame_drop": .frameDrop
            case "scroll": .scroll
            case "screen": .screen
            case "metric": .metric
            case "run": .run
            case "end": .end
            case "state": .state
            default: .unknown
            }
        if type == .unknown { typeName = text }
    }

    private mutating func readTimestamp(_ reader: inout JSONReader) throws(JSONError) {
        timestamps.removeAll(keepingCapacity: true)
        timestamps.append(try reader.readUInt64())
        hasTimestamps = true
    }
}

/// The names of context fields, found by their bytes.
enum ContextNames {
    /// The index in `Context.names`; `nil` for another key.
    static func index(of key: JSONKey) -> Int? {
        switch key {
        case "app": 0
        case "app_version": 1
        case "build": 2
        case "commit": 3
        case "device": 4
        case "device_id": 5
        case "simulator": 6
        case "os": 7
        case "max_fps": 8
        case "low_power_mode": 9
        case "thermal_state": 10
        case "network": 11
        case "started_at": 12
        case "pair": 13
        default: nil
        }
    }
}
