/// A stretch of ticks without an interruption, of which only the last tick is kept.
///
/// A new one starts at each scroll, page, pause, resume and background; whoever feeds it starts it. A clock that runs
/// backwards starts one by itself. A timestamp told twice is the same vsync told twice: it makes no pair, and the
/// later telling says when the next frame is due.
public struct FrameSegment: Sendable {
    /// What a tick was to its segment.
    public enum Step: Hashable, Sendable {
        /// The first tick: nothing to compare it with yet.
        case opened

        /// It follows its neighbour.
        case pair(FramePair)

        /// It follows its neighbour, which was not due after itself: the pair is left out of every sum.
        case unmeasurable

        /// Its timestamp is that of its neighbour.
        case repeated

        /// Its clock ran backwards: it starts a new segment.
        case reversed
    }

    /// What the timestamps are taken from.
    public let clock: FrameClock

    /// The timestamp of the last tick; meaningless before the first.
    @usableFromInline var last: UInt64 = 0

    /// When the frame after the last tick is due; not after `last` where that isn't known.
    @usableFromInline var due: UInt64 = 0

    /// Whether there is a last tick.
    @usableFromInline var isOpen = false

    /// Starts a segment that has no tick yet.
    @inlinable
    public init(clock: FrameClock = .vsync) {
        self.clock = clock
    }

    /// Forgets the last tick, so that the next one starts a new segment.
    @inlinable
    public mutating func interrupt() {
        isOpen = false
    }

    /// Moves on to `tick` and says what it was.
    @inlinable
    public mutating func advance(to tick: FrameTick) -> Step {
        let now = tick.timestamp.count
        let previous = last
        let previousDue = due
        let wasOpen = isOpen
        last = now
        due = tick.due?.count ?? now
        isOpen = true
        guard wasOpen else { return .opened }
        guard now > previous else { return now == previous ? .repeated : .reversed }
        guard previousDue > previous else { return .unmeasurable }
        return .pair(
            FramePair(
                start: Nanoseconds(previous),
                interval: Nanoseconds(now &- previous),
                expected: Nanoseconds(previousDue &- previous),
                clock: clock))
    }
}
