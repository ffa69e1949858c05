import PagePerformance
import PerfgateJSON
import PerfgateModel

/// A line that is parsed but not yet interpreted. One value is reused for all lines to avoid allocations.
struct LogLine: ~Copyable {
    /// A field of a run's header in a line, as raw JSON.
    struct ContextField {
        let key: LogKey
        let range: Range<Int>
    }

    var fields = LineFields()
    var visit = VisitFields() { didSet { hasVisit = true } }
    var rare = RareFields() { didSet { hasRare = true } }
    private var hasVisit = false, hasRare = false
    var hasNumberAsText = false
    var wrongKey: LogKey?
    var unknownKeys: [String] = []
    var context: [ContextField] = []
    /// The candidates, with their values in the key's unit.
    var candidates: [(name: JSONText, value: Double)] = []
    var values: [Double] = []
    /// The times of this line and of earlier ones that were kept.
    var times: [UInt64] = []
    private var keptTimes = 0
    /// The key order of the last line of each type, which the next one usually shares.
    var order = JSONKeyOrder(shapes: LogLineType.allCases.count + 1, filler: LogKey.unknown)

    /// Clears the last line and keeps the memory of its lists.
    mutating func reset() {
        fields = LineFields()
        hasNumberAsText = false
        wrongKey = nil
        if hasVisit {
            visit = VisitFields()
            hasVisit = false
        }
        if hasRare {
            rare = RareFields()
            hasRare = false
        }
        if !unknownKeys.isEmpty { unknownKeys.removeAll() }
        if !context.isEmpty { context.removeAll(keepingCapacity: true) }
        if !candidates.isEmpty { candidates.removeAll(keepingCapacity: true) }
        if times.count > keptTimes { times.removeLast(times.count - keptTimes) }
        if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    }

    mutating func keepTimes() { keptTimes = times.count }

    /// Reads a list of whole nanoseconds; returns its place in `times`.
    mutating func readTimes(_ reader: inout JSONReader) throws(JSONError) -> Range<Int> {
        let start = times.count
        try reader.readUInt64s(into: &times)
        return start..<times.count
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

    /// Reads the sums of the loads after those that are listed.
    mutating func summedLoads(_ reader: inout JSONReader) throws(JSONError) -> LoadTimes {
        var (count, shown, sum) = (0, 0, 0.0)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "count": count = try reader.readInt()
            case "shown": shown = try reader.readInt()
            case "ms": sum = try readTime(&reader)
            default: try reader.skipValue()
            }
        }
        if shown < 0 || shown > count { visit.hasWrongCount = true }
        return LoadTimes(count: count, shownCount: shown, sum: .milliseconds(sum))
    }

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

    mutating func readCandidates(_ reader: inout JSONReader) throws(JSONError) {
        candidates.removeAll(keepingCapacity: true)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            candidates.append((key.text, try reader.readDouble()))
        }
    }
}

/// The single values of any line; `nil` if absent. It owns no memory, so clearing it is cheap.
struct LineFields {
    var type: LogLineType?
    var page: JSONText?, test: JSONText?
    var iteration = 0
    var scroll: Int?
    var segment = 0
    var formula: JSONText?
    var durationMS: Double?
    /// The start of the line's only tick.
    var timestamp: UInt64?
    /// The due time of the frame after the line's only tick.
    var target: UInt64?
    /// The interval at the display's highest rate.
    var duration: UInt64?
    /// The places of the line's ticks in the list of all; `nil` without a tick list, which may be empty.
    var timestamps: Range<Int>?
    var targets = 0..<0
    var hasDuplicateKey = false
}

struct VisitFields {
    var id: JSONText?
    /// When it began, in ns on the clock of the frames' timestamps; the gate doesn't use it.
    var start: UInt64?
    /// `nil` for an invalid word.
    var outcome: PageVisit.Outcome? = .loaded
    var saysOutcome = false
    var ttfl: Double?, ttil: Double?, threadHang: Double?, mainThreadHang: Double?
    var additionalLoads: LoadTimes?, richContentLoads: LoadTimes?
    /// Whether rich content has an invalid outcome.
    var hasUnknownOutcome = false
    /// Whether loaded rich content lacks its duration.
    var lacksLoadTime = false
    var hasNegativeTime = false
    /// Whether sums of loads have a negative number, or more loads with a wait than loads.
    var hasWrongCount = false
}

/// The single values that few lines have; `nil` if absent.
struct RareFields {
    var isOtherClock = false
    var counting = Counting.exact
    var runID: JSONText?, part: JSONText?
    var parts: Int?
    var shard: JSONText?
    var iterations: Int?, schema: Int?
    var expectsEnd = false
    var lines: Int?, framesDropped: Int?
    var cumulativeEvents = 0
    var frameCount: Double?, firstFPS: Double?, minFPS: Double?, maxFPS: Double?, hitchMS: Double?
    var hangMS: Double?
    var frames: Int?
    /// The sum of a scroll's intervals.
    var framesMS: Double?
    /// Whether the visit hadn't ended when the line was written.
    var isCheckpoint = false
    /// Whether the app was inactive when the visit began or loaded: then users didn't wait, and it has no load times.
    var isInactive = false
    /// The sums of the loads after those that are listed.
    var moreAdditionalLoads: LoadTimes?, moreRichContent: LoadTimes?
    /// The hang threshold, if it isn't the default.
    var hangThreshold: Double?
    var metric: JSONText?, unit: JSONText?
    /// The direction, in the line's own word; `nil` if absent.
    var better: JSONText?
    /// Whether the line has values, possibly an empty list.
    var hasValues = false
    /// The line's facts about the device, except conditions of a measurement.
    var state = RunState()
    var typeName: JSONText?

    static let screenMetrics: [FrameMetric] = [
        .hitchRatioScreen, .hangRate, .fpsMean, .firstFPS, .firstFrame, .fpsMin, .fpsMax,
    ]

    /// A screen line's values in the order of `screenMetrics`, for a screen of `duration` ms.
    func screenValues(duration: Double) -> [Double?] {
        let first = firstFPS.flatMap { $0 > 0 ? $0 : nil }
        return [
            hitchMS.map { 1_000 * $0 / duration }, hangMS.map { 3_600 * $0 / duration },
            frameCount.map { 1_000 * $0 / duration }, first, first.map { 1_000 / $0 }, minFPS, maxFPS,
        ]
    }
}

extension LogLine {
    /// The hash of the visit's identifier; `nil` without one.
    var visitIdentity: ContentHash? { visit.id.flatMap { $0.rawBytes.isEmpty ? nil : ContentHash(of: $0.rawBytes) } }

    var scroll: LineChunk.Scroll {
        LineChunk.Scroll(
            number: fields.scroll ?? 0, durationMS: fields.durationMS ?? 0,
            sums: ScrollSums(
                frames: rare.frames, duration: rare.framesMS.flatMap { Nanoseconds(Milliseconds($0)) },
                hitch: rare.hitchMS.flatMap { Nanoseconds(Milliseconds($0)) },
                threadHang: visit.threadHang.flatMap { Nanoseconds(Milliseconds($0)) }))
    }

    var pageVisit: PageVisit {
        var result = PageVisit(outcome: visit.outcome ?? .loaded)
        result.scrollThreadHang = visit.threadHang.map { Milliseconds($0) }
        guard !rare.isInactive else { return result }
        result.firstLayout = visit.ttfl.map { Milliseconds($0) }
        result.initialLoad = visit.ttil.map { Milliseconds($0) }
        result.additionalLoads = visit.additionalLoads
        result.richContentLoads = visit.richContentLoads
        if let more = rare.moreAdditionalLoads { result.additionalLoads?.add(more) }
        if let more = rare.moreRichContent { result.richContentLoads?.add(more) }
        return result
    }
}
