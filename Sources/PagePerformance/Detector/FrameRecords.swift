/// The measurement of one scroll, from its begin to its end.
///
/// A scroll without a drop has a record too: the record makes "0 dropped" a measurement.
public struct ScrollRecord: Hashable, Sendable {
    /// The number of the scroll.
    public let number: Int

    /// How frames were counted; values of different countings aren't comparable.
    public let counting: FrameCounting

    /// The number of measured intervals, above 0.
    public let pairs: Int

    /// Σ interval: the time covered by the scroll's frames, without pauses.
    public let duration: Nanoseconds

    /// The frames reported as dropped at instants.
    public let drops: DropCounts

    /// Σ hitch; `nil` in published counting, which doesn't measure it.
    public let hitch: Nanoseconds?

    /// The scroll thread hang; in published counting as on iOS (`PublishedThreadHang.iOS`).
    public let threadHang: Nanoseconds

    /// The sums for a log's line; in published counting only those that don't depend on the counting.
    var sums: ScrollSums {
        ScrollSums(
            frames: pairs, duration: duration, hitch: hitch, threadHang: counting == .exact ? threadHang : nil)
    }

    /// Takes the sums of a scroll; `nil` if no interval was measured, because that isn't "0 dropped".
    init?(number: Int, counting: FrameCounting, frames: ScrollFrames) {
        guard frames.pairs > 0, let drops = frames.drops else { return nil }
        (self.number, self.counting) = (number, counting)
        pairs = frames.pairs
        duration = frames.duration
        self.drops = drops
        hitch = counting == .exact ? frames.hitch : nil
        threadHang = frames.threadHang
    }
}

/// Consecutive ticks without an interruption: the values of a log's `frames` line.
///
/// A stretch longer than the detector keeps is split into several records. Each begins with the last tick of the record
/// before it. So no interval is lost or counted twice.
public struct SegmentRecord: Hashable, Sendable {
    /// The number of the scroll that the ticks belong to; `nil` for ticks outside of scrolls.
    public let scroll: Int?

    /// The number of the segment, from 0, unique within a detector.
    public let segment: Int

    /// When each frame began, in nanoseconds; at least 2.
    public let timestamps: [UInt64]

    /// When the frame after each was due, in nanoseconds; `nil` if it was always one `duration` later.
    ///
    /// A frame with an unknown end is due when it begins, so readers leave out its pair.
    public let targets: [UInt64]?

    /// The interval at the display's highest rate, at the first tick; `nil` if unknown.
    public let duration: Nanoseconds?

    /// The source of the timestamps.
    public let clock: FrameClock
}
