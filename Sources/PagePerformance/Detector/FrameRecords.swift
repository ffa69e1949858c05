/// What was measured of one scroll, from its begin to its end.
///
/// A scroll without a drop has a record too: it is what makes "0 dropped" a measurement.
public struct ScrollRecord: Hashable, Sendable {
    /// The number of the scroll.
    public let number: Int

    /// How frames were counted; values of different countings aren't comparable.
    public let counting: FrameCounting

    /// The intervals that the sums are over, above 0.
    public let pairs: Int

    /// Σ interval: the time that the scroll's frames covered, pauses left out.
    public let duration: Nanoseconds

    /// The frames that were reported as dropped at instants.
    public let drops: DropCounts

    /// Σ hitch; `nil` in published counting, which doesn't know it.
    public let hitch: Nanoseconds?

    /// The scroll thread hang; in published counting as on iOS (`PublishedThreadHang.iOS`).
    public let threadHang: Nanoseconds

    /// The sums as a log's line says them; of published counting only those that don't depend on it.
    var sums: ScrollSums {
        ScrollSums(
            frames: pairs, duration: duration, hitch: hitch, threadHang: counting == .exact ? threadHang : nil)
    }

    /// Takes the sums of a scroll; `nil` where no interval was measured, because that isn't "0 dropped".
    init?(number: Int, counting: FrameCounting, frames: ScrollFrames) {
        guard frames.pairs > 0, let drops = frames.drops else { return nil }
        self.number = number
        self.counting = counting
        pairs = frames.pairs
        duration = frames.duration
        self.drops = drops
        hitch = counting == .exact ? frames.hitch : nil
        threadHang = frames.threadHang
    }
}

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
