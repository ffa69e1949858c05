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

    /// The time that the dropped frames took (`FramePair.lost`); `nil` in published counting, which doesn't know it.
    public let lost: Nanoseconds?

    /// The frames that were really dropped at this instant: the same in both countings.
    public var exactFramesDropped: Int { counting.dropped(reported: framesDropped) }

    /// How many frames of a display of at most `maxFPS` are as long as those that were dropped, rounded up; their number
    /// where their time isn't known. A tenth of a frame is what the intervals of displays differ by.
    func frames(maxFPS: Int) -> Int {
        guard let lost else { return exactFramesDropped }
        let frames = lost.framesAtSixtyHertz * Double(max(60, maxFPS)) / 60
        return Int(exactly: max(0, frames - 0.1).rounded(.up)) ?? .max
    }
}

/// How many frames may be dropped before a test fails or a debug build complains.
///
/// Limits are given in frames that were really dropped, whatever the counting, and mean what a gate's limits mean.
public struct FrameDropLimits: Hashable, Sendable {
    /// The most frames that may be dropped at one instant, at 60 Hz.
    ///
    /// On a faster display it is multiplied by `maxFPS` / 60, so that it means the same time. Exact counting holds the
    /// time that the frames took against it, since such a display may run slower.
    public var framesDropped: Int

    /// The most instants with dropped frames in one scroll, or since the counts were cleared.
    public var dropEvents: Int

    /// Sets both limits; a limit of 0 allows no drop at all.
    public init(framesDropped: Int, dropEvents: Int) {
        self.framesDropped = framesDropped
        self.dropEvents = dropEvents
    }

    /// At most 1 frame at an instant and at most 2 events a scroll.
    ///
    /// The published limits are 3 and 3, where 3 itself fails, and count a frame too many.
    public static let standard = FrameDropLimits(framesDropped: 1, dropEvents: 2)

    /// The limits that `drop` breaks on a display of at most `maxFPS`; empty if none.
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

/// A limit that dropped frames broke.
public struct FrameDropBreach: Hashable, Sendable {
    /// Which of the two limits.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// The frames dropped at one instant.
        case framesDropped

        /// The instants with dropped frames in one scroll.
        case dropEvents
    }

    /// The limit that was broken.
    public let limit: Kind

    /// The most that it allows, on this display.
    public let allowed: Int

    /// The frames dropped at the instant as the limit counts them: in frames of the display's highest rate.
    public let frames: Int

    /// The drop that broke it.
    public let drop: FrameDrop
}

extension FrameDropBreach: CustomStringConvertible {
    /// What a failing test or a debug build says.
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
