import PagePerformance
import PerfgateJSON

/// One line, read and not yet understood. One value is used for all lines, so that none allocates.
struct LogLine: ~Copyable {
    /// A field of a run's header that a line carries, as raw JSON.
    struct ContextField {
        /// The index of its name in `Context.names`.
        let name: Int
        /// Where its value stands in the line.
        let range: Range<Int>
    }

    /// A value of a formula that is only tried.
    struct Candidate {
        /// Its key.
        let name: JSONText
        /// Its value, in the unit that the key ends in.
        let value: Double
    }

    var fields = LineFields()
    var visit = VisitFields()
    var rare = RareFields()
    /// Whether anything was read into `visit`.
    var hasVisit = false
    /// Whether anything was read into `rare`.
    var hasRare = false
    /// Whether a number stood in quotes.
    var hasNumberAsText = false
    var context: [ContextField] = []
    var candidates: [Candidate] = []
    var timestamps: [UInt64] = []
    var targets: [UInt64] = []
    var values: [Double] = []
    /// The order of the keys in the last line of each type, which the next one mostly has too.
    var order = KeyOrder()

    /// Forgets the last line, and keeps the memory of its lists.
    mutating func reset() {
        fields = LineFields()
        hasNumberAsText = false
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

    /// Reads the values of a metric.
    mutating func readValues(_ reader: inout JSONReader) throws(JSONError) {
        values.removeAll(keepingCapacity: true)
        try reader.enterArray()
        while try reader.nextElement() { values.append(try reader.readDouble()) }
        rare.hasValues = true
    }

    /// Reads a list of times, or their sum as one number, and gives their sum, 0 for an empty one.
    mutating func sum(_ reader: inout JSONReader) throws(JSONError) -> Double {
        if try reader.peekKind() == .number { return try readTime(&reader) }
        var sum = 0.0
        try reader.enterArray()
        while try reader.nextElement() { sum += try readTime(&reader) }
        return sum
    }

    /// Reads a list of load times.
    mutating func loads(_ reader: inout JSONReader) throws(JSONError) -> LoadTimes {
        var loads = LoadTimes()
        try reader.enterArray()
        while try reader.nextElement() { loads.add(.milliseconds(try readTime(&reader))) }
        return loads
    }

    /// Reads the entries of rich content and keeps the times of those that loaded.
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

    /// Reads how the wait for rich content ended, and remembers where that is no outcome.
    private mutating func hasLoaded(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch try reader.readText() {
        case "loaded": return true
        case "hidden", "error": return false
        default:
            visit.hasUnknownOutcome = true
            return false
        }
    }

    /// Reads a time, and remembers where one is negative.
    private mutating func readTime(_ reader: inout JSONReader) throws(JSONError) -> Double {
        let time = try reader.readDouble()
        if time < 0 { visit.hasNegativeTime = true }
        return time
    }

    /// Reads how a visit ended; `nil` for a word that is none of the outcomes.
    static func outcome(_ reader: inout JSONReader) throws(JSONError) -> PageVisit.Outcome? {
        switch try reader.readText() {
        case "loaded": .loaded
        case "error": .error
        case "abandoned": .abandoned
        default: nil
        }
    }

    /// Reads the values of formulas that are only tried.
    mutating func readCandidates(_ reader: inout JSONReader) throws(JSONError) {
        candidates.removeAll(keepingCapacity: true)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            candidates.append(Candidate(name: key.text, value: try reader.readDouble()))
        }
    }
}

/// What a visit's line says in single values.
struct VisitFields {
    var id: JSONText?
    /// How the visit ended; `nil` for a word that is none of the outcomes.
    var outcome: PageVisit.Outcome? = .loaded
    /// Whether the line says how it ended.
    var saysOutcome = false
    var ttfl: Double?
    var ttil: Double?
    var threadHang: Double?
    var mainThreadHang: Double?
    var additionalLoads: LoadTimes?
    var richContentLoads: LoadTimes?
    /// Whether rich content has an outcome that is none.
    var hasUnknownOutcome = false
    /// Whether rich content that loaded doesn't say how long that took.
    var lacksLoadTime = false
    /// Whether a time in a list is negative.
    var hasNegativeTime = false
}

/// What few lines say in single values; `nil` where a line says nothing.
struct RareFields {
    var isOtherClock = false
    var isPublished = false

    var runID: JSONText?
    var part: JSONText?
    /// How many parts the shard has.
    var parts: Int?
    var shard: JSONText?
    /// How many iterations the run has.
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

    /// How many intervals a scroll had.
    var frames: Int?
    /// The sum of a scroll's intervals.
    var framesMS: Double?
    /// Whether the visit went on when the line was written.
    var isCheckpoint = false
    /// From which length on a frame counted as a hang, where that isn't the default.
    var hangThreshold: Double?

    var metric: JSONText?
    var unit: JSONText?
    /// Which values are good, in the line's own word; `nil` where it does not say.
    var better: JSONText?
    /// Whether the line says its values, if only that there are none.
    var hasValues = false

    var cpuPercent: Double?
    var threads: Int?
    var memoryBytes: Int?
    var isCharging: Bool?

    /// The type's own name, where the type is unknown.
    var typeName: JSONText?
}
