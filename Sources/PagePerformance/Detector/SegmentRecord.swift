/// Ticks that followed each other without an interruption: the values of a log's `frames` line.
///
/// A stretch longer than the detector keeps comes as several records, of which each begins with the last tick of the
/// one before. So no interval is lost, and none is counted twice.
public struct SegmentRecord: Hashable, Sendable {
    /// The number of the scroll that the ticks belong to; `nil` for ticks outside of scrolls.
    public let scroll: Int?

    /// The number of the segment, from 0, never given twice by one detector.
    public let segment: Int

    /// When each frame began, in nanoseconds; at least 2.
    public let timestamps: [UInt64]

    /// When the frame after each was due, in nanoseconds; `nil` if that was one `duration` later every time.
    ///
    /// A frame whose end the display link didn't tell is due when it begins, so that readers leave its pair out.
    public let targets: [UInt64]?

    /// The interval at the display's highest rate, at the first tick; `nil` where it wasn't told.
    public let duration: Nanoseconds?

    /// What the timestamps are taken from.
    public let clock: FrameClock
}
