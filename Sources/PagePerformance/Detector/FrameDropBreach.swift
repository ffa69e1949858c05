/// A limit that dropped frames broke.
public struct FrameDropBreach: Hashable, Sendable {
    /// Which of the two limits.
    public enum Limit: Hashable, Sendable, CaseIterable {
        /// The frames dropped at one instant.
        case framesDropped

        /// The instants with dropped frames in one scroll.
        case dropEvents
    }

    /// The limit that was broken.
    public let limit: Limit

    /// The most that it allows, on this display.
    public let allowed: Int

    /// The drop that broke it.
    public let drop: FrameDrop
}

extension FrameDropBreach: CustomStringConvertible {
    /// What a failing test or a debug build says.
    public var description: String {
        let place = drop.scroll.map { "scroll \($0)" } ?? "no scroll"
        switch limit {
        case .framesDropped:
            return "dropped frames at one instant: \(drop.exactFramesDropped), at most \(allowed) allowed (\(place))"
        case .dropEvents:
            return "frame drop events: \(drop.cumulativeFrameDropEvents), at most \(allowed) allowed (\(place))"
        }
    }
}
