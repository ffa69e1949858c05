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
            throw .syntax(error, key: wrongField?.key)
        }
    }

    private mutating func readMembers(_ reader: inout JSONReader) throws(JSONError) {
        var seen = JSONFieldSet()
        order.begin()
        while let field = try order.next(&reader) {
            if field != .unknown, !seen.insert(Int(field.rawValue)) { fields.hasDuplicateKey = true }
            let bookmark = reader
            do throws(JSONError) {
                try readValue(of: field, &reader)
            } catch {
                reader = bookmark
                wrongField = field
                switch error.kind {
                case .mismatch(_, .null):
                    try reader.skipValue()
                    forgetList(of: field)
                case .mismatch(.number, .string): try readNumber(of: field, writtenAsText: &reader, or: error)
                default: throw error
                }
                wrongField = nil
            }
        }
    }

    /// Reads a quoted number and records that; text that isn't a number gives the original error.
    private mutating func readNumber(
        of field: LineField, writtenAsText reader: inout JSONReader, or error: JSONError
    ) throws(JSONError) {
        var number = JSONReader(try reader.readText().rawBytes)
        guard (try? number.peekKind()) == .number else { throw error }
        do throws(JSONError) {
            try readValue(of: field, &number)
            try number.finish()
        } catch _ {
            throw error
        }
        hasNumberAsText = true
    }

    @inline(__always)
    mutating func readValue(of field: LineField, _ reader: inout JSONReader) throws(JSONError) {
        if field.isOfVisit { hasVisit = true }
        if field.isRare { hasRare = true }
        switch field {
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
        case .timestamps: try readTimestamps(&reader)
        case .targets: try Self.readList(&reader, into: &targets)
        case .test: fields.test = try reader.readName()
        case .unknown: try reader.skipValue()
        case .visitID: visit.id = try reader.readName()
        case .outcome:
            visit.outcome = try Self.outcome(&reader)
            visit.saysOutcome = true
        case .ttfl: visit.ttfl = try reader.readDouble()
        case .ttil: visit.ttil = try reader.readDouble()
        case .threadHang: visit.threadHang = try sum(&reader)
        case .mainThreadHang: visit.mainThreadHang = try sum(&reader)
        case .additionalLoads: visit.additionalLoads = try loads(&reader)
        case .richContent: visit.richContentLoads = try richContent(&reader)
        case .framesDropped: rare.framesDropped = try reader.readInt()
        case .cumulativeEvents: rare.cumulativeEvents = try reader.readInt()
        case .counting: rare.isPublished = try reader.readText() == "published"
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
        case .maxFPS: rare.maxFPS = try reader.readDouble()
        case .hitchMS: rare.hitchMS = try reader.readDouble()
        case .hangMS: rare.hangMS = try reader.readDouble()
        case .frames: rare.frames = try reader.readInt()
        case .framesMS: rare.framesMS = try reader.readDouble()
        case .isCheckpoint: rare.isCheckpoint = try reader.readBool()
        case .hangThreshold: rare.hangThreshold = try reader.readDouble()
        case .metric: rare.metric = try reader.readName()
        case .unit: rare.unit = try reader.readName()
        case .better: rare.better = try reader.readText()
        case .values: try readValues(&reader)
        case .cpuPercent: rare.cpuPercent = try reader.readDouble()
        case .threads: rare.threads = try reader.readInt()
        case .memory: rare.memoryBytes = try reader.readInt()
        case .isCharging: rare.isCharging = try reader.readBool()
        case .app, .appVersion, .build, .commit, .device, .deviceID, .simulator, .os, .maxRate, .lowPowerMode,
            .thermalState, .network, .startedAt, .pair:
            try readContextField(field, &reader)
        }
    }

    /// Clears the list of a field with a `null` in it, which makes the whole list absent.
    private mutating func forgetList(of field: LineField) {
        if field == .timestamps { timestamps = [] }
        if field == .targets { targets = [] }
        if field == .values { values = [] }
        if field == .candidates { candidates = [] }
    }

    private mutating func readContextField(_ field: LineField, _ reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        if field == .maxRate, try reader.peekKind() == .string { hasNumberAsText = true }
        try reader.skipValue()
        let name = field.contextName
        if fields.hasDuplicateKey { context.removeAll { $0.name == name } }
        context.append(ContextField(name: name, range: start..<reader.offset))
    }

    private mutating func readType(_ reader: inout JSONReader) throws(JSONError) {
        let text = try reader.readText()
        let type = LineType(text)
        if type == .unknown {
            hasRare = true
            rare.typeName = text
        }
        fields.type = type
        order.turn(to: type)
    }
}

extension LogLine {
    /// Why a line of a type isn't a valid measurement; `nil`: it is.
    @inline(__always)
    func problem(as type: LineType) -> LineError? {
        switch type {
        case .frame: fields.timestamp == nil ? .lacks("timestamp_ns") : nil
        case .frames: problemOfFrames
        case .frameDrop: problemOfDrop
        case .scroll: problemOfScroll
        case .pps: problemOfVisit
        case .screen: problemOfScreen
        case .metric, .run, .state, .end, .unknown: nil
        }
    }

    private var problemOfFrames: LineError? {
        if !fields.hasTimestamps { return .lacks("timestamps_ns") }
        guard !targets.isEmpty, targets.count != timestamps.count else { return nil }
        return .invalid("targets_ns", "has \(targets.count) entries for \(timestamps.count) timestamps")
    }

    private var problemOfDrop: LineError? {
        if fields.scroll == nil { return .lacks("scroll") }
        guard let frames = rare.framesDropped else { return .lacks("frames_dropped") }
        return frames < 0 ? .invalid("frames_dropped", "is negative") : nil
    }

    private var problemOfScroll: LineError? {
        if fields.scroll == nil { return .lacks("scroll") }
        if visit.hasNegativeTime { return .invalid("sth_ms", "is negative") }
        if rare.hitchMS != nil, rare.framesMS == nil { return .lacks("frames_ms") }
        return negative("duration_ms", fields.durationMS) ?? negative("frames", rare.frames.map(Double.init))
            ?? negative("frames_ms", rare.framesMS) ?? negative("hitch_ms", rare.hitchMS)
    }

    private var problemOfVisit: LineError? {
        if visit.outcome == nil { return .invalid("outcome", "must be loaded, error or abandoned") }
        if visit.hasUnknownOutcome { return .invalid("rclt", "has an outcome other than loaded, hidden or error") }
        if visit.lacksLoadTime { return .invalid("rclt", "has an entry that loaded and lacks its \"ms\"") }
        if visit.hasNegativeTime { return .invalid("sth_ms, mth_ms, alt_ms or rclt", "holds a negative time") }
        return negative("duration_ms", fields.durationMS) ?? negative("ttfl_ms", visit.ttfl)
            ?? negative("ttil_ms", visit.ttil)
    }

    private var problemOfScreen: LineError? {
        guard let duration = fields.durationMS else { return .lacks("duration_ms") }
        if duration <= 0 { return .invalid("duration_ms", "is not above 0") }
        return negative("hitch_ms", rare.hitchMS) ?? negative("hang_ms", rare.hangMS)
            ?? negative("first_fps", rare.firstFPS) ?? negative("hang_threshold_ms", rare.hangThreshold)
    }

    /// Why a `metric` line isn't a valid measurement; `nil`: it is.
    func problemOfMetric(_ knownMetrics: KnownMetrics) -> LineError? {
        guard let id = rare.metric?.string else { return .lacks("metric") }
        guard rare.hasValues else { return .lacks("values") }
        let conversion = UnitConversion(from: rare.unit?.string ?? "")
        if values.contains(where: { !conversion.convert($0).isFinite }) {
            return .invalid("values", "holds a value that is too large in \(conversion.unit)")
        }
        let facts = knownMetrics.facts(of: id)
        if let problem = problemOfDirection(id, facts?.better) ?? problemOfUnit(id, facts?.unit) { return problem }
        return MetricCatalog.definition(of: id).flatMap { problemOfValues($0.metric) }
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

    /// An unknown metric may be a margin, such as the time by which frames missed their deadline.
    private func problemOfValues(_ known: Metric) -> LineError? {
        guard known.unit == .milliseconds, values.contains(where: { $0 < 0 }) else { return nil }
        return .invalid("values", "holds a negative time")
    }

    private func negative(_ field: String, _ time: Double?) -> LineError? {
        guard let time, time < 0 else { return nil }
        return .invalid(field, "is negative")
    }
}
