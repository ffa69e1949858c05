import PerfgateJSON

/// What any line says in single values; `nil` where it says nothing. It owns no memory, so forgetting it is cheap.
struct LineFields {
    var type: LineType?
    var page: JSONText?
    var test: JSONText?
    var iteration = 0
    var scroll: Int?
    var segment = 0
    var formula: JSONText?
    /// How long it lasted, in ms.
    var durationMS: Double?

    /// When the line's only tick began.
    var timestamp: UInt64?
    /// When the frame after the line's only tick is due.
    var target: UInt64?
    /// The interval at the display's highest rate.
    var duration: UInt64?
    /// Whether the line says its ticks as a list, if only that there are none.
    var hasTimestamps = false

    /// Whether a key stood in the line twice.
    var hasDuplicateKey = false
}
