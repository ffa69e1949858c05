import PagePerformance
import PerfgateJSON
import PerfgateModel

extension LogLine {
    /// Reads a line; unknown parts are validated and ignored.
    mutating func read(_ bytes: UnsafeRawBufferPointer, from offset: Int) throws(LineError) {
        reset()
        do throws(JSONError) {
            var reader = JSONReader(bytes, from: offset)
            try reader.enterObject()
            try readMembers(&reader)
            try reader.finish()
        } catch {
            throw .syntax(error, key: wrongKey?.rawValue)
        }
        if fields.type == nil { throw .lacks("type") }
    }

    private mutating func readMembers(_ reader: inout JSONReader) throws(JSONError) {
        var seen = JSONFieldSet()
        order.begin()
        while let key = try next(&reader) {
            if key != .unknown, !seen.insert(key.number) { fields.hasDuplicateKey = true }
            let bookmark = reader
            do throws(JSONError) {
                try readValue(of: key, &reader)
                if key == .type, let type = fields.type { order.begin(shape: type.number + 1) }
            } catch {
                reader = bookmark
                if key != .unknown { wrongKey = key }
                switch error.kind {
                case .mismatch(_, .null):
                    try reader.skipValue()
                    forgetList(of: key)
                case .mismatch(.number, .string): try readNumber(of: key, writtenAsText: &reader, or: error)
                default: throw error
                }
                wrongKey = nil
            }
        }
    }

    /// The next key; `nil` at the end of the object.
    @inline(__always) private mutating func next(_ reader: inout JSONReader) throws(JSONError) -> LogKey? {
        if let key = order.take(&reader) { return key }
        guard let found = try reader.nextKey() else { return nil }
        let key = LogKey(found)
        if key == .unknown { unknownKeys.append(found.string) } else { order.learn(found, key) }
        return key
    }

    /// Reads a quoted number and records that; text that isn't a number gives the original error.
    private mutating func readNumber(
        of key: LogKey, writtenAsText reader: inout JSONReader, or error: JSONError
    ) throws(JSONError) {
        var number = JSONReader(try reader.readText().rawBytes)
        guard (try? number.peekKind()) == .number else { throw error }
        do throws(JSONError) {
            try readValue(of: key, &number)
            try number.finish()
        } catch _ {
            throw error
        }
        hasNumberAsText = true
    }

    @inline(__always) mutating func readValue(of key: LogKey, _ reader: inout JSONReader) throws(JSONError) {
        switch key {
        case .type: try readType(&reader)
        case .page: fields.page = try reader.readName()
        case .iteration: fields.iteration = try reader.readInt()
        case .scroll: fields.scroll = try reader.readInt()
        case .segment: fields.segment = try reader.readInt()
        case .timestamp: fields.timestamp = try reader.readUInt64()
        case .target: fields.target = try reader.readUInt64()
        case .duration: fields.duration = try reader.readUInt64()
        case .durationMS: fields.durationMS = try reader.readDouble()
        case .candidates: try readCandidates(&reader)
        case .formula: fields.formula = try reader.readName()
        case .timestamps: fields.timestamps = try readTimes(&reader)
        case .targets: fields.targets = try readTimes(&reader)
        case .test: fields.test = try reader.readName()
        case .visitID: visit.id = try reader.readName()
        case .start: visit.start = try reader.readUInt64()
        case .outcome:
            visit.outcome = try Self.outcome(&reader)
            visit.saysOutcome = true
        case .ttfl: visit.ttfl = try reader.readDouble()
        case .ttil: visit.ttil = try reader.readDouble()
        case .scrollThreadHang: visit.threadHang = try sum(&reader)
        case .mainThreadHang: visit.mainThreadHang = try sum(&reader)
        case .additionalLoads: visit.additionalLoads = try loads(&reader)
        case .richContent: visit.richContentLoads = try richContent(&reader)
        case .framesDropped: rare.framesDropped = try reader.readInt()
        case .cumulativeEvents: rare.cumulativeEvents = try reader.readInt()
        case .counting: rare.counting = try reader.readText() == "published" ? .published : .exact
        case .clock: rare.isOtherClock = try reader.readText() == "other"
        case .runID: rare.runID = try reader.readName()
        case .part: rare.part = try reader.readName()
        case .parts: rare.parts = try reader.readInt()
        case .shard: rare.shard = try reader.readName()
        case .iterations: rare.iterations = try reader.readInt()
        case .schema: rare.schema = try reader.readInt()
        case .expectsEnd: rare.expectsEnd = try reader.readBool()
        case .lines: rare.lines = try reader.readInt()
        case .frameCount: rare.frameCount = try reader.readDouble()
        case .firstFPS: rare.firstFPS = try reader.readDouble()
        case .minFPS: rare.minFPS = try reader.readDouble()
        case .maxShownFPS: rare.maxFPS = try reader.readDouble()
        case .hitch: rare.hitchMS = try reader.readDouble()
        case .hang: rare.hangMS = try reader.readDouble()
        case .frames: rare.frames = try reader.readInt()
        case .framesMS: rare.framesMS = try reader.readDouble()
        case .checkpoint: rare.isCheckpoint = try reader.readBool()
        case .inactive: rare.isInactive = try reader.readBool()
        case .moreAdditionalLoads: rare.moreAdditionalLoads = try summedLoads(&reader)
        case .moreRichContent: rare.moreRichContent = try summedLoads(&reader)
        case .hangThreshold: rare.hangThreshold = try reader.readDouble()
        case .metric: rare.metric = try reader.readName()
        case .unit: rare.unit = try reader.readName()
        case .better: rare.better = try reader.readText()
        case .values: try readValues(&reader)
        case .cpuPercent: rare.state.cpuPercent = try reader.readDouble()
        case .threads: rare.state.threads = try reader.readInt()
        case .memoryBytes: rare.state.memoryBytes = try reader.readInt()
        case .charging: rare.state.isCharging = try reader.readBool()
        case .app, .appVersion, .build, .commit, .device, .deviceID, .simulator, .os, .maxFPS, .lowPowerMode,
            .thermalState, .network, .startedAt, .pair, .profiled, .tags:
            try readContextField(key, &reader)
        case .at, .user, .continued, .eventsLost, .cumulativeFrames, .additionalLoadCount, .richContentLoads,
            .richContentCount,
            .ms, .url, .count, .shown, .unknown:
            try reader.skipValue()
        }
    }

    /// Clears the list of a key with a `null` in it, which makes the whole list absent.
    private mutating func forgetList(of key: LogKey) {
        if key == .timestamps, fields.timestamps != nil { fields.timestamps = 0..<0 }
        if key == .targets { fields.targets = 0..<0 }
        if key == .values { values = [] }
        if key == .candidates { candidates = [] }
    }

    private mutating func readContextField(_ key: LogKey, _ reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        if key == .maxFPS, try reader.peekKind() == .string { hasNumberAsText = true }
        try reader.skipValue()
        if fields.hasDuplicateKey { context.removeAll { $0.key == key } }
        context.append(ContextField(key: key, range: start..<reader.offset))
    }

    private mutating func readType(_ reader: inout JSONReader) throws(JSONError) {
        let text = try reader.readText()
        let type = LogLineType(text)
        if type == .unknown { rare.typeName = text }
        fields.type = type
    }

    /// Why a measurement of a type isn't valid; `nil`: it is.
    @inline(__always) func problem(as type: LogLineType, _ known: KnownMetrics) -> LineError? {
        if fields.iteration < 0 { return .invalid("iteration", "is negative") }
        return switch type {
        case .frame: fields.timestamp == nil ? .lacks("timestamp_ns") : nil
        case .frames: problemOfFrames
        case .frameDrop: problemOfDrop
        case .scroll: problemOfScroll
        case .visit: problemOfVisit
        case .screen: problemOfScreen
        case .metric: problemOfMetric(known)
        case .run, .state, .end, .unknown: nil
        }
    }

    private var problemOfFrames: LineError? {
        guard let count = fields.timestamps?.count else { return .lacks("timestamps_ns") }
        guard !fields.targets.isEmpty, fields.targets.count != count else { return nil }
        return .invalid("targets_ns", "has \(fields.targets.count) entries for \(count) timestamps")
    }

    private var problemOfDrop: LineError? {
        if fields.scroll == nil { return .lacks("scroll") }
        guard let frames = rare.framesDropped else { return .lacks("frames_dropped") }
        return impossible("frames_dropped", Double(frames))
    }

    private var problemOfScroll: LineError? {
        if fields.scroll == nil { return .lacks("scroll") }
        if visit.hasNegativeTime { return .invalid("sth_ms", "is negative") }
        if rare.hitchMS != nil, rare.framesMS == nil { return .lacks("frames_ms") }
        return impossible("duration_ms", fields.durationMS) ?? impossible("frames", rare.frames.map(Double.init))
            ?? impossible("frames_ms", rare.framesMS) ?? impossible("hitch_ms", rare.hitchMS)
    }

    private var problemOfVisit: LineError? {
        if visit.outcome == nil { return .invalid("outcome", "must be loaded, error or abandoned") }
        if visit.hasUnknownOutcome { return .invalid("rclt", "has an outcome other than loaded, hidden or error") }
        if visit.lacksLoadTime { return .invalid("rclt", "has an entry that loaded and lacks its \"ms\"") }
        if visit.hasNegativeTime { return .invalid("sth_ms, mth_ms, alt_ms or rclt", "holds a negative time") }
        if visit.hasWrongCount { return .invalid("alt_more or rclt_more", "holds an impossible number of loads") }
        return impossible("duration_ms", fields.durationMS) ?? impossible("ttfl_ms", visit.ttfl)
            ?? impossible("ttil_ms", visit.ttil)
    }

    private var problemOfScreen: LineError? {
        guard let duration = fields.durationMS else { return .lacks("duration_ms") }
        if duration <= 0 { return .invalid("duration_ms", "is not above 0") }
        return impossible("hitch_ms", rare.hitchMS) ?? impossible("hang_ms", rare.hangMS)
            ?? impossible("first_fps", rare.firstFPS) ?? impossible("hang_threshold_ms", rare.hangThreshold)
    }

    private func problemOfMetric(_ knownMetrics: KnownMetrics) -> LineError? {
        guard let id = rare.metric?.string else { return .lacks("metric") }
        guard rare.hasValues else { return .lacks("values") }
        let conversion = UnitConversion(from: rare.unit?.string ?? "")
        if values.contains(where: { !conversion.convert($0).isFinite }) {
            return .invalid("values", "holds a value that is too large in \(conversion.unit)")
        }
        let facts = knownMetrics.facts(of: id)
        if let problem = problemOfDirection(id, facts?.better) ?? problemOfUnit(id, facts?.unit) { return problem }
        // An unknown metric may be a margin, such as the time by which frames missed their deadline.
        guard MetricCatalog.definition(of: id)?.metric.unit == .milliseconds, values.contains(where: { $0 < 0 }) else {
            return nil
        }
        return .invalid("values", "holds a negative time")
    }

    private func problemOfDirection(_ id: String, _ known: Better?) -> LineError? {
        guard let text = rare.better?.string else { return nil }
        guard let better = Better(rawValue: text) else { return .invalid("better", "must be lower or higher") }
        guard let known, better != known else { return nil }
        return .invalid("better", "is \(text), and of \(id) \(known.rawValue) values are better")
    }

    /// A known metric in an incompatible unit would be another metric, which isn't gated.
    private func problemOfUnit(_ id: String, _ known: Unit?) -> LineError? {
        guard let known else { return nil }
        guard let unit = rare.unit?.string else { return .lacks("unit") }
        guard UnitConversion(from: unit).unit != known else { return nil }
        return .invalid("unit", "is \"\(unit)\", and \(id) needs a unit that converts to \(known)")
    }

    private func impossible(_ field: String, _ number: Double?) -> LineError? {
        guard let number, !(0...1e12).contains(number) else { return nil }
        return .invalid(field, number < 0 ? "is negative" : "is above 10^12, like a time since 1970")
    }
}

extension LogLineType {
    /// The type with a name; compares words, because each line of field data comes here.
    package init(_ name: JSONText) {
        switch name {
        case "pps": self = .visit
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
}

extension LogKey {
    /// The keys that change what the gate reads, which a misspelt key may mean.
    private static let ofGate = allCases.prefix { $0 != .at }
    static let suggestions = ofGate.map(\.rawValue)
    private static let named = Dictionary(uniqueKeysWithValues: ofGate.map { ($0.rawValue, $0) })
    /// The names of the other keys that a line of the gate may have.
    static let ignored = Set(allCases.drop { $0 != .at }.prefix { $0 != .additionalLoadCount }.map(\.rawValue))

    @inline(never) init(_ key: JSONKey) { self = Self.named[key.string] ?? .unknown }
}

enum LineError: Error {
    /// It isn't JSON, or the value of a key has the wrong type.
    case syntax(JSONError, key: String?)
    case lacks(String)
    case invalid(String, String)

    /// Whether the line isn't JSON, for example because it is truncated.
    var isSyntax: Bool { if case .syntax = self { true } else { false } }

    var message: String {
        switch self {
        case .syntax(let error, let key?): "The line's \"\(key)\" can't be read: \(error.kind)."
        case .syntax(let error, nil): "The line can't be read: \(error)."
        case .lacks(let field): "The line has no \"\(field)\", which its type needs."
        case .invalid(let field, let problem): "\"\(field)\" \(problem)."
        }
    }
}

/// Whether an unreadable line is a `run` line: then it isn't known whose samples follow.
enum RunLineMark: Hashable {
    /// It is: its key `type` has the value `run`.
    case runLine
    /// It is truncated before its type, and may be one.
    case perhaps
    case other

    /// Examines a complete line that breaks a rule.
    init(_ bytes: UnsafeRawBufferPointer) {
        self = Self.types(in: bytes).contains { $0.starts(with: "\"run\"".utf8) } ? .runLine : .other
    }

    /// Examines a line that isn't JSON, such as a truncated one.
    init(cut bytes: UnsafeRawBufferPointer) {
        self.init(bytes)
        guard self == .other else { return }
        let types = Self.types(in: bytes)
        let isCut =
            types.isEmpty ? Self.namesRun(bytes) : types.allSatisfy { $0.count > 1 && "\"run\"".utf8.starts(with: $0) }
        if isCut { self = .perhaps }
    }

    /// The fault of a stream that such a line opens; `nil` if it opens none.
    func fault(atLine number: Int) -> String? {
        switch self {
        case .runLine: "Its run line, line \(number), is unreadable."
        case .perhaps: "Line \(number) is unreadable and cut before its type: it may be a run line."
        case .other: nil
        }
    }

    /// The text after each key `type` and its colon, up to the end of the line.
    private static func types(in bytes: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>] {
        let key = "\"type\"".utf8
        return bytes.indices.compactMap { start in
            guard bytes[start...].starts(with: key) else { return nil }
            let rest = bytes[start...].dropFirst(key.count).drop(while: isBlank)
            return rest.first == UInt8(ascii: ":") ? rest.dropFirst().drop(while: isBlank) : nil
        }
    }

    /// Whether the line contains the key `run_id`, which only `run` and `end` lines have.
    private static func namesRun(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let key = "\"run_id\"".utf8
        return bytes.indices.contains { bytes[$0...].starts(with: key) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
