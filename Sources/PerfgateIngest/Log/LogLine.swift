import PagePerformance
import PerfgateJSON

/// The fields of one line, read and not yet understood. One value is used for all lines, so that none allocates.
struct LogLine {
    /// A field of a run's header that a line carries, as raw JSON.
    struct ContextField {
        /// The index of its name in `Context.names`.
        let name: Int
        /// Where its value stands in the line.
        let range: Range<Int>
    }

    var type: LineType?
    var page: JSONText?
    var test: JSONText?
    var iteration = 0
    var scroll: Int?
    var segment = 0
    var isOtherClock = false
    var isPublished = false
    var formula: JSONText?

    var runID: JSONText?
    var part: JSONText?
    var shard: JSONText?
    var schema: Int?
    var expectsEnd = false
    var lines: Int?
    var context: [ContextField] = []

    var timestamps: [UInt64] = []
    var targets: [UInt64] = []
    var duration: UInt64?
    /// Whether the line says its ticks, if only that there are none.
    var hasTimestamps = false
    /// Whether a time in a list is negative.
    var hasNegativeTime = false

    var framesDropped: Int?
    var cumulativeEvents = 0

    var durationMS: Double?
    var visitID: JSONText?
    /// How the visit ended; `nil` for a word that is none of the outcomes.
    var outcome: PageVisit.Outcome? = .loaded
    var ttfl: Double?
    var ttil: Double?
    var threadHang: Double?
    var mainThreadHang: Double?
    var additionalLoads: LoadTimes?
    var richContentLoads: LoadTimes?
    var candidates: [(name: String, value: Double)] = []

    var frameCount: Double?
    var firstFPS: Double?
    var minFPS: Double?
    var maxFPS: Double?
    var hitchMS: Double?
    var hangMS: Double?

    var metric: JSONText?
    var unit: JSONText?
    /// Which values are good; `nil` where the line does not say.
    var isHigherBetter: Bool?
    var values: [Double]?

    /// The type's own name, where the type is unknown.
    var typeName: JSONText?
    /// Whether a key stood in the line twice.
    var hasDuplicateKey = false

    /// Forgets the last line, and keeps the memory of its lists.
    mutating func reset() {
        var fresh = LogLine()
        swap(&fresh.context, &context)
        swap(&fresh.timestamps, &timestamps)
        swap(&fresh.targets, &targets)
        fresh.context.removeAll(keepingCapacity: true)
        fresh.timestamps.removeAll(keepingCapacity: true)
        fresh.targets.removeAll(keepingCapacity: true)
        self = fresh
    }
}
