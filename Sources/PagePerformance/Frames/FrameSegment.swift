/// A stretch of ticks without an interruption; it only keeps the last tick.
///
/// The caller starts a new segment at each scroll, page, pause, resume and background. A clock that runs backwards also
/// starts one. A repeated timestamp is the same vsync again: it makes no pair, and the later tick defines when the next
/// frame is due.
public struct FrameSegment: Sendable {
    /// The role of a tick in its segment.
    public enum Step: Hashable, Sendable {
        /// The first tick: it has no neighbour yet.
        case opened

        /// It follows its neighbour.
        case pair(FramePair)

        /// It follows its neighbour, which had no due time after itself: every sum leaves out the pair.
        case unmeasurable

        /// Its timestamp is that of its neighbour.
        case repeated

        /// Its clock ran backwards: it starts a new segment.
        case reversed
    }

    /// The source of the timestamps.
    public let clock: FrameClock

    /// The timestamp of the last tick; meaningless before the first.
    @usableFromInline var last: UInt64 = 0

    /// When the frame after the last tick is due; not after `last` if unknown.
    @usableFromInline var due: UInt64 = 0

    @usableFromInline var isOpen = false

    /// Starts a segment without a tick.
    @inlinable
    public init(clock: FrameClock = .vsync) { self.clock = clock }

    /// Discards the last tick, so the next one starts a new segment.
    @inlinable
    public mutating func interrupt() { isOpen = false }

    /// Advances to `tick` and returns its role.
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

/// The sums over frames without a hitch, hang or thread hang.
///
/// Nearly all frames are on time. Only four sums depend on them, which are added to a screen and a scroll at once.
@usableFromInline
package struct OnTimeFrames {
    @usableFromInline var pairs = 0

    @usableFromInline var duration = Nanoseconds.zero

    /// The longest interval; 0 without pairs.
    @usableFromInline var longest = Nanoseconds.zero

    /// The shortest time that a frame was shown; the longest time without pairs.
    @usableFromInline var shortest = Nanoseconds.max

    @inlinable
    package init() {}

    /// Adds a pair; false, without a change, if it wasn't on time.
    @inlinable @inline(__always)
    package mutating func take(_ pair: FramePair) -> Bool {
        guard pair.late <= pair.tolerance, pair.interval <= .hangThreshold, pair.threadHang == .zero else {
            return false
        }
        pairs &+= 1
        duration += pair.interval
        longest = max(longest, pair.interval)
        shortest = min(shortest, max(pair.interval, pair.expected))
        return true
    }
}
