import PerfgateJSON

/// What few lines say in single values; `nil` where a line says nothing.
struct RareFields {
    var isOtherClock = false
    var isPublished = false

    var runID: JSONText?
    var part: JSONText?
    var shard: JSONText?
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
