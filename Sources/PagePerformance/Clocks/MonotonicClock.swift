#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

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
