/// What one scroll dropped.
public struct ScrollTrace: Sendable, Hashable {
    /// Its number in the iteration.
    public let number: Int
    /// At how many instants frames were dropped.
    public let dropEvents: Int
    /// The most frames dropped at one instant.
    public let worstDrop: Int
    /// All dropped frames.
    public let droppedFrames: Int
    /// How long it lasted, in ms; `nil` where the log doesn't say.
    public let durationMS: Double?
    /// Its frames over time; `nil` without ticks, and where milder scrolls of the iteration gave way to worse ones.
    public let timeline: FrameTimeline?

    /// Makes a scroll of its parts.
    public init(
        number: Int, dropEvents: Int, worstDrop: Int, droppedFrames: Int, durationMS: Double? = nil,
        timeline: FrameTimeline? = nil
    ) {
        self.number = number
        self.dropEvents = dropEvents
        self.worstDrop = worstDrop
        self.droppedFrames = droppedFrames
        self.durationMS = durationMS
        self.timeline = timeline
    }
}
