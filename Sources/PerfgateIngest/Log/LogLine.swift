import PagePerformance
import PerfgateJSON

/// A line that is parsed but not yet interpreted. One value is reused for all lines to avoid allocations.
struct LogLine: ~Copyable {
    /// A field of a run's header in a line, as raw JSON.
    struct ContextField {
        /// The index of its name in `Context.names`.
        let name: Int
        let range: Range<Int>
    }

    struct Candidate {
        let name: JSONText
        /// Its value, in the key's unit.
        let value: Double
    }

    var fields = LineFields()
    var visit = VisitFields()
    var rare = RareFields()
    /// Whether `visit` was filled.
    var hasVisit = false
    /// Whether `rare` was filled.
    var hasRare = false
    /// Whether a number was quoted.
    var hasNumberAsText = false
    /// The field whose value couldn't be read.
    var wrongField: LineField?
    var context: [ContextField] = []
    var candidates: [Candidate] = []
    var timestamps: [UInt64] = []
    var targets: [UInt64] = []
    var values: [Double] = []
    /// The key order of the last line of each type, which the next one usually shares.
    var order = KeyOrder()

    /// Clears the last line and keeps the memory of its lists.
    mutating func reset() {
        fields = LineFields()
        hasNumberAsText = false
        wrongField = nil
        if hasVisit {
            visit = VisitFields()
            hasVisit = false
        }
        if hasRare {
            rare = RareFields()
            hasRare = false
        }
        if !context.isEmpty { context.removeAll(keepingCapacity: true) }
        if !candidates.isEmpty { candidates.removeAll(keepingCapacity: true) }
        if !timestamps.isEmpty { timestamps.removeAll(keepingCapacity: true) }
        if !targets.isEmpty { targets.removeAll(keepingCapacity: true) }
        if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    }
}

extension LogLine {
    /// Reads a list of whole nanoseconds.
    static func readList(_ reader: inout JSONReader, into list: inout [UInt64]) throws(JSONError) {
        list.removeAll(keepingCapacity: true)
        try reader.readUInt64s(into: &list)
    }

    /// Reads the timestamps of a line's ticks.
    mutating func readTimestamps(_ reader: inout JSONReader) throws(JSONError) {
        try Self.readList(&reader, into: &timestamps)
        fields.hasTimestamps = true
    }

    mutating func readValues(_ reader: inout JSONReader) throws(JSONError) {
        values.removeAll(keepingCapacity: true)
        try reader.enterArray()
        while try reader.nextElement() { values.append(try reader.readDouble()) }
        rare.hasValues = true
    }

    /// Reads a list of times, or their sum, and returns the sum; 0 for an empty list.
    mutating func sum(_ reader: inout JSONReader) throws(JSONError) -> Double {
        if try reader.peekKind() == .number { return try readTime(&reader) }
        var sum = 0.0
        try reader.enterArray()
        while try reader.nextElement() { sum += try readTime(&reader) }
        return sum
    }

    mutating func loads(_ reader: inout JSONReader) throws(JSONError) -> LoadTimes {
        var loads = LoadTimes()
        try reader.enterArray()
        while try reader.nextElement() { loads.add(.milliseconds(try readTime(&reader))) }
        return loads
    }

    /// Reads the entries of rich content and keeps the times of the loaded ones.
    mutating func richContent(_ reader: inout JSONReader) throws(JSONError) -> LoadTimes {
        var loads = LoadTimes()
        try reader.enterArray()
        while try reader.nextElement() {
            var duration: Double?
            var isLoaded = true
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key {
                case "ms" where try reader.peekKind() != .null: duration = try readTime(&reader)
                case "outcome": isLoaded = try hasLoaded(&reader)
                default: try reader.skipValue()
                }
            }
            guard isLoaded else { continue }
            if let duration { loads.add(.milliseconds(duration)) } else { visit.lacksLoadTime = true }
        }
        return loads
    }

    /// Reads the outcome of a rich content load, and records an invalid one.
    private mutating func hasLoaded(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch try reader.readText() {
        case "loaded": return true
        case "hidden", "error": return false
        default:
            visit.hasUnknownOutcome = true
            return false
        }
    }

    /// Reads a time, and records a negative one.
    private mutating func readTime(_ reader: inout JSONReader) throws(JSONError) -> Double {
        let time = try reader.readDouble()
        if time < 0 { visit.hasNegativeTime = true }
        return time
    }

    /// Reads the outcome of a visit; `nil` for an invalid word.
    static func outcome(_ reader: inout JSONReader) throws(JSONError) -> PageVisit.Outcome? {
        switch try reader.readText() {
        case "loaded": .loaded
        case "error": .error
        case "abandoned": .abandoned
        default: nil
        }
    }

    /// Reads the values of candidate formulas.
    mutating func readCandidates(_ reader: inout JSONReader) throws(JSONError) {
        candidates.removeAll(keepingCapacity: true)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            candidates.append(Candidate(name: key.text, value: try reader.readDouble()))
        }
    }
}

/// The single values of a visit's line.
struct VisitFields {
    var id: JSONText?
    /// The outcome of the visit; `nil` for an invalid word.
    var outcome: PageVisit.Outcome? = .loaded
    var saysOutcome = false
    var ttfl: Double?
    var ttil: Double?
    var threadHang: Double?
    var mainThreadHang: Double?
    var additionalLoads: LoadTimes?
    var richContentLoads: LoadTimes?
    /// Whether rich content has an invalid outcome.
    var hasUnknownOutcome = false
    /// Whether loaded rich content lacks its duration.
    var lacksLoadTime = false
    var hasNegativeTime = false
}

/// The single values that few lines have; `nil` if absent.
struct RareFields {
    var isOtherClock = false
    var isPublished = false

    var runID: JSONText?
    var part: JSONText?
    /// The number of the shard's parts.
    var parts: Int?
    var shard: JSONText?
    /// The number of the run's iterations.
    var iterations: Int?
    var schema: Int?
    var expectsEnd = false
    var lines: Int?

    var framesDropped: Int?
    var cumulativeEvents = 0

    var frameCount: Double?
    var firstFPS: Double?
    var minFPS: Double?
    var maxFPS: Double?
    var hitchMS: Double?
    var hangMS: Double?

    /// The number of a scroll's intervals.
    var frames: Int?
    /// The sum of a scroll's intervals.
    var framesMS: Double?
    /// Whether the visit hadn't ended when the line was written.
    var isCheckpoint = false
    /// The hang threshold, if it isn't the default.
    var hangThreshold: Double?

    var metric: JSONText?
    var unit: JSONText?
    /// The direction, in the line's own word; `nil` if absent.
    var better: JSONText?
    /// Whether the line has values, possibly an empty list.
    var hasValues = false

    var cpuPercent: Double?
    var threads: Int?
    var memoryBytes: Int?
    var isCharging: Bool?

    /// The name of an unknown type.
    var typeName: JSONText?
}
