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
            try readMembers(&reader)
            try reader.finish()
        } catch {
            throw .syntax(error)
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
                guard case .mismatch(_, .null) = error.kind else { throw error }
                reader = bookmark
                try reader.skipValue()
                forgetList(of: field)
            }
        }
    }

    @inline(__always)
    private mutating func readValue(of field: LineField, _ reader: inout JSONReader) throws(JSONError) {
        switch field {
        case .type: try readType(&reader)
        case .page: fields.page = try reader.readText()
        case .iteration: fields.iteration = try reader.readInt()
        case .scroll: fields.scroll = try reader.readInt()
        case .segment: fields.segment = try reader.readInt()
        case .timestamp: fields.timestamp = try reader.readUInt64()
        case .target: fields.target = try reader.readUInt64()
        case .duration: fields.duration = try reader.readUInt64()
        case .durationMS: fields.durationMS = try reader.readDouble()
        case .candidates: try readCandidates(&reader)
        case .formula: fields.formula = try reader.readText()
        case .timestamps: try readTimestamps(&reader)
        case .targets: try Self.readList(&reader, into: &targets)
        case .test: fields.test = try reader.readText()
        case .unknown: try reader.skipValue()
        case .visitID, .outcome, .ttfl, .ttil, .threadHang, .mainThreadHang, .additionalLoads, .richContent:
            hasVisit = true
            try readVisitValue(of: field, &reader)
        default:
            hasRare = true
            try readRareValue(of: field, &reader)
        }
    }

    @inline(__always)
    private mutating func readVisitValue(of field: LineField, _ reader: inout JSONReader) throws(JSONError) {
        switch field {
        case .visitID: visit.id = try reader.readText()
        case .outcome: visit.outcome = try Self.outcome(&reader)
        case .ttfl: visit.ttfl = try reader.readDouble()
        case .ttil: visit.ttil = try reader.readDouble()
        case .threadHang: visit.threadHang = try sum(&reader)
        case .mainThreadHang: visit.mainThreadHang = try sum(&reader)
        case .additionalLoads: visit.additionalLoads = try loads(&reader)
        default: visit.richContentLoads = try richContent(&reader)
        }
    }

    private mutating func readRareValue(of field: LineField, _ reader: inout JSONReader) throws(JSONError) {
        switch field {
        case .framesDropped: rare.framesDropped = try reader.readInt()
        case .cumulativeEvents: rare.cumulativeEvents = try reader.readInt()
        case .counting: rare.isPublished = try reader.readText() == "published"
        case .clock: rare.isOtherClock = try reader.readText() == "other"
        case .runID: rare.runID = try reader.readText()
        case .part: rare.part = try reader.readText()
        case .shard: rare.shard = try reader.readText()
        case .schema: rare.schema = try reader.readInt()
        case .expectsEnd: rare.expectsEnd = try reader.readBool()
        case .lines: rare.lines = try reader.readInt()
        case .frameCount: rare.frameCount = try reader.readDouble()
        case .firstFPS: rare.firstFPS = try reader.readDouble()
        case .minFPS: rare.minFPS = try reader.readDouble()
        case .maxFPS: rare.maxFPS = try reader.readDouble()
        case .hitchMS: rare.hitchMS = try reader.readDouble()
        case .hangMS: rare.hangMS = try reader.readDouble()
        case .metric: rare.metric = try reader.readText()
        case .unit: rare.unit = try reader.readText()
        case .better: rare.better = try reader.readText()
        case .values: try readValues(&reader)
        case .cpuPercent: rare.cpuPercent = try reader.readDouble()
        case .threads: rare.threads = try reader.readInt()
        case .memory: rare.memoryBytes = try reader.readInt()
        case .isCharging: rare.isCharging = try reader.readBool()
        default: try readContextField(field, &reader)
        }
    }

    /// Forgets the list of a field that holds a `null`, which makes all of it absent.
    private mutating func forgetList(of field: LineField) {
        switch field {
        case .timestamps: timestamps = []
        case .targets: targets = []
        case .values: values = []
        case .candidates: candidates = []
        default: break
        }
    }

    private mutating func readContextField(_ field: LineField, _ reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        try reader.skipValue()
        let name = field.contextName
        if fields.hasDuplicateKey { context.removeAll { $0.name == name } }
        context.append(ContextField(name: name, range: start..<reader.offset))
    }

    private mutating func readType(_ reader: inout JSONReader) throws(JSONError) {
        let text = try reader.readText()
        let type: LineType =
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
        if type == .unknown {
            hasRare = true
            rare.typeName = text
        }
        fields.type = type
        order.turn(to: type)
    }
}
