#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

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
