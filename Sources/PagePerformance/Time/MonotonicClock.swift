import LibC

/// The clock for durations: it never runs backwards, is never set, and stops while the device sleeps.
///
/// On Apple platforms `CADisplayLink.timestamp` uses the same clock, so the two can be compared.
public struct MonotonicClock: TimeSource {
    /// Makes the clock; all copies have the same reading.
    public init() {}

    /// The time since the device started, without sleep.
    public var now: Nanoseconds {
        #if canImport(Darwin)
        Nanoseconds(reading: CLOCK_UPTIME_RAW)
        #else
        Nanoseconds(reading: CLOCK_MONOTONIC)
        #endif
    }
}

/// A clock that counts nanoseconds from a fixed start: the source of every time of a visit.
///
/// The start depends on the source: only readings of one source may be compared.
public protocol TimeSource: Sendable {
    /// The present reading.
    var now: Nanoseconds { get }
}

/// The clock of the time that a user experiences: it never runs backwards, is never set, and continues during sleep.
///
/// Its excess over `MonotonicClock` between two moments is the time that the device slept in between.
public struct UptimeClock: TimeSource {
    /// Makes the clock; all copies have the same reading.
    public init() {}

    /// The time since the device started, including sleep.
    public var now: Nanoseconds {
        #if canImport(Darwin)
        Nanoseconds(reading: CLOCK_MONOTONIC_RAW)
        #else
        Nanoseconds(reading: CLOCK_BOOTTIME)
        #endif
    }
}

/// A clock that a test advances by hand, so its visits have exact times.
///
/// It may be read and set from any thread, also backwards, unlike a real clock.
public final class ManualClock: TimeSource {
    private let reading: LockedValue<Nanoseconds>

    /// Makes a clock with the reading `start`.
    public init(start: Nanoseconds = .zero) { reading = LockedValue(start) }

    /// The present reading.
    public var now: Nanoseconds { reading.withLock { $0 } }

    /// Advances the clock by `duration`; it stops at the longest time.
    public func advance(by duration: Nanoseconds) { reading.withLock { $0 += duration } }

    /// Sets the clock, forwards or back.
    public func set(to time: Nanoseconds) { reading.withLock { $0 = time } }
}
