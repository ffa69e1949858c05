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

/// The number of dropped frames beyond which a test fails or a debug build complains.
///
/// Limits are in frames that were really dropped, in either counting, as a gate's limits are.
public struct FrameDropLimits: Hashable, Sendable {
    /// The most frames that may be dropped at one instant, at 60 Hz.
    ///
    /// On a faster display it is multiplied by `maxFPS` / 60 to keep its duration. Exact counting compares it with the
    /// duration of the dropped frames, because such a display may run slower.
    public var framesDropped: Int

    /// The most instants with dropped frames in one scroll, or since the counts were cleared.
    public var dropEvents: Int

    /// Sets both limits; a limit of 0 allows no drop at all.
    public init(framesDropped: Int, dropEvents: Int) {
        (self.framesDropped, self.dropEvents) = (framesDropped, dropEvents)
    }

    /// At most 1 frame at an instant and at most 2 events a scroll.
    ///
    /// The published limits are 3 and 3, fail at 3 itself, and count one frame too many.
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
public struct FrameDropBreach: Hashable, Sendable {
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
}

extension FrameDropBreach: CustomStringConvertible {
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
