import LibC

/// The clock of durations: it never runs backwards, is never set, and stands while the device sleeps.
///
/// On Apple platforms it is the clock that `CADisplayLink.timestamp` is read from, so the two can be compared.
public struct MonotonicClock: TimeSource {
    /// Makes the clock, of which all copies read the same.
    public init() {}

    /// The time since the device started, sleep left out.
    public var now: Nanoseconds {
        #if canImport(Darwin)
        Nanoseconds(reading: CLOCK_UPTIME_RAW)
        #else
        Nanoseconds(reading: CLOCK_MONOTONIC)
        #endif
    }
}

/// A clock that counts nanoseconds from a fixed start, from which every time of a visit is taken.
///
/// The start is the source's own: only readings of one source may be compared.
public protocol TimeSource: Sendable {
    /// The present reading.
    var now: Nanoseconds { get }
}

/// The clock of what a user lived through: it never runs backwards, is never set, and goes on while the device sleeps.
///
/// What it counted more than `MonotonicClock` between two moments is how long the device slept between them.
public struct UptimeClock: TimeSource {
    /// Makes the clock, of which all copies read the same.
    public init() {}

    /// The time since the device started, sleep counted.
    public var now: Nanoseconds {
        #if canImport(Darwin)
        Nanoseconds(reading: CLOCK_MONOTONIC_RAW)
        #else
        Nanoseconds(reading: CLOCK_BOOTTIME)
        #endif
    }
}

/// A clock that a test moves by hand, so that its visits have exact times.
///
/// It may be read and moved from any thread, and set back too, which no real clock does.
public final class ManualClock: TimeSource {
    private let reading: LockedValue<Nanoseconds>

    /// Makes a clock that reads `start`.
    public init(start: Nanoseconds = .zero) {
        reading = LockedValue(start)
    }

    /// The reading that it was last moved to.
    public var now: Nanoseconds {
        reading.withLock { $0 }
    }

    /// Moves the clock on by `duration`; it stops at the longest time.
    public func advance(by duration: Nanoseconds) {
        reading.withLock { $0 += duration }
    }

    /// Sets the clock, forwards or back.
    public func set(to time: Nanoseconds) {
        reading.withLock { $0 = time }
    }
}
