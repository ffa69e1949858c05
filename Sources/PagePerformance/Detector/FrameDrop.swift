/// Frames dropped at one instant, with the running counts.
public struct FrameDrop: Hashable, Sendable {
    /// The frames reported as dropped at this instant, above 0; published counting reports one more than were dropped.
    public let framesDropped: Int
    /// All frames reported since the scroll began or the counts were cleared, including these.
    public let cumulativeFramesDropped: Int
    /// The instants with dropped frames since then, including this one.
    public let cumulativeFrameDropEvents: Int
    /// The number of the scroll; `nil` if none had begun.
    public let scroll: Int?
    /// How frames are counted.
    public let counting: FrameCounting
    /// The duration of the dropped frames (`FramePair.lost`); `nil` in published counting, which doesn't measure it.
    public let lost: Nanoseconds?

    /// The frames that were really dropped at this instant: equal in both countings.
    public var exactFramesDropped: Int { counting.dropped(reported: framesDropped) }

    /// The duration of the dropped frames in frames of a display of at most `maxFPS`, rounded up; their number if the
    /// duration is unknown. A tenth of a frame is the usual variation between displays' intervals.
    func frames(maxFPS: Int) -> Int {
        guard let lost else { return exactFramesDropped }
        let frames = lost.framesAtSixtyHertz * Double(max(60, maxFPS)) / 60
        return Int(exactly: max(0, frames - 0.1).rounded(.up)) ?? .max
    }
}

/// The number of dropped frames beyond which a test fails or a debug build complains. Limits are in frames that were
/// really dropped, in either counting, as a gate's limits are.
public struct FrameDropLimits: Hashable, Sendable {
    /// The most frames that may be dropped at one instant, at 60 Hz. On a faster display it is multiplied by `maxFPS` /
    /// 60 to keep its duration. Exact counting compares it with the duration of the dropped frames, because such a
    /// display may run slower.
    public var framesDropped: Int
    /// The most instants with dropped frames in one scroll, or since the counts were cleared.
    public var dropEvents: Int

    /// Sets both limits; a limit of 0 allows no drop at all.
    public init(framesDropped: Int, dropEvents: Int) {
        (self.framesDropped, self.dropEvents) = (framesDropped, dropEvents)
    }

    /// At most 1 frame at an instant and at most 2 events a scroll. The published limits are 3 and 3, fail at 3 itself,
    /// and count one frame too many.
    public static let standard = FrameDropLimits(framesDropped: 1, dropEvents: 2)

    /// The limits that `drop` exceeds on a display of at most `maxFPS`; empty if none.
    public func breaches(by drop: FrameDrop, maxFPS: Int) -> [FrameDropBreach] {
        var breaches: [FrameDropBreach] = []
        let allowed = framesAllowed(maxFPS: maxFPS)
        let frames = drop.frames(maxFPS: maxFPS)
        if frames > allowed {
            breaches.append(FrameDropBreach(limit: .framesDropped, allowed: allowed, frames: frames, drop: drop))
        }
        if drop.cumulativeFrameDropEvents > dropEvents {
            breaches.append(FrameDropBreach(limit: .dropEvents, allowed: dropEvents, frames: frames, drop: drop))
        }
        return breaches
    }

    /// The most frames that may be dropped at one instant on a display of at most `maxFPS`.
    public func framesAllowed(maxFPS: Int) -> Int {
        guard framesDropped > 0, maxFPS > 60 else { return framesDropped }
        let (product, overflow) = framesDropped.multipliedReportingOverflow(by: maxFPS)
        return overflow ? .max : product / 60
    }
}

/// A limit that dropped frames exceeded.
public struct FrameDropBreach: Hashable, Sendable, CustomStringConvertible {
    /// The kind of limit.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// The frames dropped at one instant.
        case framesDropped
        /// The instants with dropped frames in one scroll.
        case dropEvents
    }

    /// The exceeded limit.
    public let limit: Kind
    /// The limit's value on this display.
    public let allowed: Int
    /// The frames dropped at the instant, as the limit counts them: in frames of the display's highest rate.
    public let frames: Int
    /// The drop that exceeded it.
    public let drop: FrameDrop

    /// The message of a failing test or a debug build.
    public var description: String {
        let place = drop.scroll.map { "scroll \($0)" } ?? "no scroll"
        switch limit {
        case .framesDropped:
            let dropped = drop.exactFramesDropped
            let time = frames == dropped ? "" : " (as long as \(frames) at the display's highest rate)"
            return "dropped frames at one instant: \(dropped)\(time), at most \(allowed) allowed (\(place))"
        case .dropEvents:
            return "frame drop events: \(drop.cumulativeFrameDropEvents), at most \(allowed) allowed (\(place))"
        }
    }
}

/// The measurement of one scroll, from its begin to its end. A scroll without a drop has a record too: the record makes
/// "0 dropped" a measurement.
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
        ScrollSums(frames: pairs, duration: duration, hitch: hitch, threadHang: counting == .exact ? threadHang : nil)
    }

    /// Takes the sums of a scroll; `nil` if no interval was measured, because that isn't "0 dropped".
    init?(number: Int, counting: FrameCounting, frames: ScrollFrames) {
        guard frames.pairs > 0, let drops = frames.drops else { return nil }
        (self.number, self.counting, self.drops) = (number, counting, drops)
        (pairs, duration) = (frames.pairs, frames.duration)
        hitch = counting == .exact ? frames.hitch : nil
        threadHang = frames.threadHang
    }
}

/// Consecutive ticks without an interruption: the values of a log's `frames` line. A stretch longer than the detector
/// keeps is split into several records. Each begins with the last tick of the record before it. So no interval is lost
/// or counted twice.
public struct SegmentRecord: Hashable, Sendable {
    /// The number of the scroll that the ticks belong to; `nil` for ticks outside of scrolls.
    public let scroll: Int?
    /// The number of the segment, from 0, unique within a detector.
    public let segment: Int
    /// When each frame began, in nanoseconds; at least 2.
    public let timestamps: [UInt64]
    /// When the frame after each was due, in nanoseconds; `nil` if it was always one `duration` later. A frame with an
    /// unknown end is due when it begins, so readers leave out its pair.
    public let targets: [UInt64]?
    /// The interval at the display's highest rate, at the first tick; `nil` if unknown.
    public let duration: Nanoseconds?
    /// The source of the timestamps.
    public let clock: FrameClock
}
