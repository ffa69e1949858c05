/// One call of a display link: a frame began at a vsync, and the next one is due.
public struct FrameTick: Hashable, Sendable {
    /// When the frame began, on a clock that counts from a fixed start (`CADisplayLink.timestamp`).
    public var timestamp: Nanoseconds
    /// When the next frame is due (`CADisplayLink.targetTimestamp`); `nil` if the source doesn't provide it.
    public var target: Nanoseconds?
    /// The interval at the display's highest rate (`CADisplayLink.duration`); `nil` if the source doesn't provide it.
    public var duration: Nanoseconds?

    /// Makes a tick; without `target` the next frame is due one `duration` later.
    @inlinable public init(timestamp: Nanoseconds, target: Nanoseconds? = nil, duration: Nanoseconds? = nil) {
        (self.timestamp, self.target, self.duration) = (timestamp, target, duration)
    }

    /// When the next frame is due: `target`, else one `duration` after `timestamp`, else `nil`.
    @inlinable public var due: Nanoseconds? {
        if let target { return target }
        if let duration { return timestamp + duration }
        return nil
    }
}

extension Nanoseconds {
    /// The default threshold for a hang: 250 ms, as in Apple's definition.
    @inlinable public static var hangThreshold: Nanoseconds { Nanoseconds(250_000_000) }
}

/// The source of a tick's timestamps; it decides how late a frame may be without being a hitch.
public enum FrameClock: String, Hashable, Sendable, CaseIterable {
    /// The vsync itself: a frame is on time within 1 ms.
    case vsync
    /// Any other clock, such as the time when a callback ran: a frame is on time within half of its interval.
    case other

    /// ε: how late a frame may be without being a hitch, if the next one is expected after `expected`.
    @inlinable public func tolerance(expected: Nanoseconds) -> Nanoseconds {
        switch self {
        case .vsync: Nanoseconds(1_000_000)
        case .other: Nanoseconds(expected.count / 2)
        }
    }
}

/// Two neighbouring ticks of one segment: the actual and the expected duration of the first frame. With timestamps t
/// and due times g, for neighbours i−1 and i:
///
///     interval = t[i] − t[i−1]
///     expected = g[i−1] − t[i−1]
///     late     = t[i] − g[i−1] = interval − expected
///
/// `expected` comes from the frame's own due time, so a 120 Hz panel that runs at 60 or 10 Hz isn't late for that.
public struct FramePair: Hashable, Sendable {
    /// t[i−1], when the first frame began.
    public let start: Nanoseconds
    /// The actual duration of the first frame, above 0.
    public let interval: Nanoseconds
    /// Its expected duration, above 0.
    public let expected: Nanoseconds
    /// ε: how late the second frame may be without being a hitch.
    public let tolerance: Nanoseconds

    /// Evaluates two neighbours; `nil` unless the clock moved forwards and the second frame was due after the first.
    @inlinable public init?(from first: FrameTick, to second: FrameTick, clock: FrameClock = .vsync) {
        guard second.timestamp > first.timestamp, let due = first.due, due > first.timestamp else { return nil }
        self.init(
            start: first.timestamp, interval: Nanoseconds(second.timestamp.count &- first.timestamp.count),
            expected: Nanoseconds(due.count &- first.timestamp.count), clock: clock)
    }

    @inlinable init(start: Nanoseconds, interval: Nanoseconds, expected: Nanoseconds, clock: FrameClock) {
        (self.start, self.interval, self.expected) = (start, interval, expected)
        tolerance = clock.tolerance(expected: expected)
    }

    /// The delay of the second frame: 0 if it was on time or early.
    @inlinable public var late: Nanoseconds { Nanoseconds(interval > expected ? interval.count &- expected.count : 0) }

    /// `late` if it exceeds the tolerance, else 0.
    @inlinable public var hitch: Nanoseconds {
        let late = late
        return late > tolerance ? late : .zero
    }

    /// The dropped frames: 0 without a hitch, else `late / expected` rounded, and at least 1.
    @inlinable public var dropped: Int {
        let late = late
        guard late > tolerance else { return 0 }
        return max(1, Int(clamping: late.count.roundedQuotient(by: expected.count)))
    }

    /// The duration of the dropped frames: `dropped · expected`, 0 without a hitch. If a frame was expected for longer
    /// than 1/60 s, it is at most `late` in whole frames of 60 Hz, rounded up within the tolerance: a frame of 30 Hz
    /// that comes 16.7 ms late has lost one frame of 60 Hz, and not two.
    @inlinable public var lost: Nanoseconds {
        let dropped = dropped
        guard dropped > 0 else { return .zero }
        let frame: UInt64 = 16_666_667
        let started = (late.count &- min(tolerance.count, late.count &- 1) &- 1) / frame &+ 1
        let whole = started.saturatingProduct(frame)
        let full = expected.count.saturatingProduct(UInt64(dropped))
        return Nanoseconds(expected.count > frame ? min(full, whole) : full)
    }

    /// The whole interval if it exceeds a threshold, else 0; Apple counts a hang from 250 ms on.
    @inlinable public func hang(from threshold: Nanoseconds = .hangThreshold) -> Nanoseconds {
        interval > threshold ? interval : .zero
    }

    /// `interval − expected` if the frame stayed twice its expected duration, within the tolerance, else 0. Its sum
    /// over the intervals of a scroll is the scroll thread hang.
    @inlinable public var threadHang: Nanoseconds {
        let late = late
        let isTwice = late >= expected || expected.count &- late.count <= tolerance.count
        return isTwice ? late : .zero
    }
}

/// A stretch of ticks without an interruption; it only keeps the last tick. The caller starts a new segment at each
/// scroll, page, pause, resume and background. A clock that runs backwards also starts one. A repeated timestamp is the
/// same vsync again: it makes no pair, and the later tick defines when the next frame is due.
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
    @inlinable public init(clock: FrameClock = .vsync) { self.clock = clock }

    /// Discards the last tick, so the next one starts a new segment.
    @inlinable public mutating func interrupt() { isOpen = false }

    /// Advances to `tick` and returns its role.
    @inlinable public mutating func advance(to tick: FrameTick) -> Step {
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
                start: Nanoseconds(previous), interval: Nanoseconds(now &- previous),
                expected: Nanoseconds(previousDue &- previous), clock: clock))
    }
}

/// The sums over frames without a hitch, hang or thread hang. Nearly all frames are on time. Only four sums depend on
/// them, which are added to a screen and a scroll at once.
@usableFromInline package struct OnTimeFrames {
    @usableFromInline var pairs = 0
    @usableFromInline var duration = Nanoseconds.zero
    /// The longest interval; 0 without pairs.
    @usableFromInline var longest = Nanoseconds.zero
    /// The shortest time that a frame was shown; the longest time without pairs.
    @usableFromInline var shortest = Nanoseconds.max

    @inlinable package init() {}

    /// Adds a pair; false, without a change, if it wasn't on time.
    @inlinable @inline(__always) package mutating func take(_ pair: FramePair) -> Bool {
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
