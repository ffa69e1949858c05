/// What a tick's timestamps are taken from, which decides how late a frame may be without being a hitch.
public enum FrameClock: String, Hashable, Sendable, CaseIterable {
    /// The vsync itself: a frame is on time within 1 ms.
    case vsync

    /// Any other clock, such as the time at which a callback ran: a frame is on time within half of its interval.
    case other

    /// ε: how late a frame may be without being a hitch, where the next one is expected after `expected`.
    @inlinable
    public func tolerance(expected: Nanoseconds) -> Nanoseconds {
        switch self {
        case .vsync: Nanoseconds(1_000_000)
        case .other: Nanoseconds(expected.count / 2)
        }
    }
}
