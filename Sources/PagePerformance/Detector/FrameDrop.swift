/// Frames dropped at one instant, and what has been dropped until then.
public struct FrameDrop: Hashable, Sendable {
    /// The frames reported as dropped at this instant, above 0; in published counting one more than were dropped.
    public let framesDropped: Int

    /// All frames reported since the scroll began or the counts were cleared, these included.
    public let cumulativeFramesDropped: Int

    /// The instants at which frames were dropped since then, this one included.
    public let cumulativeFrameDropEvents: Int

    /// The number of the scroll; `nil` where none had begun.
    public let scroll: Int?

    /// How frames are counted.
    public let counting: FrameCounting

    /// The frames that were really dropped at this instant: the same in both countings.
    public var exactFramesDropped: Int { counting.dropped(reported: framesDropped) }
}
