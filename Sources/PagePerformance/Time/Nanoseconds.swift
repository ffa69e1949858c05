import LibC

/// A length of time, or a point on a clock that counts from a fixed start, in nanoseconds. Clock readings stay in this
/// type until they are reported: integers add up to the same sum in any order, and sums of `Double` don't. Conversion
/// to `Milliseconds` is always explicit.
public struct Nanoseconds: Hashable, Comparable, Sendable {
    /// The number of nanoseconds, from 0 to about 584 years.
    public var count: UInt64

    /// Makes a time of `count` nanoseconds.
    @inlinable public init(_ count: UInt64) { self.count = count }

    /// A time of `count` milliseconds; the longest representable time if that is longer.
    @inlinable
    public static func milliseconds(_ count: UInt64) -> Nanoseconds { Nanoseconds(count.saturatingProduct(1_000_000)) }

    /// A time of `count` seconds; the longest representable time if that is longer.
    @inlinable
    public static func seconds(_ count: UInt64) -> Nanoseconds { Nanoseconds(count.saturatingProduct(1_000_000_000)) }

    /// Converts a reported time to the nearest nanosecond, halves upwards. `nil` if it is negative, not a number, or
    /// longer than the type can hold.
    @inlinable public init?(_ time: Milliseconds) {
        let nanoseconds = time.value * 1_000_000 + 0.5
        guard nanoseconds >= 0.5, nanoseconds < 18_446_744_073_709_551_616 else { return nil }
        count = UInt64(nanoseconds)
    }

    /// Whether the first time is shorter.
    @inlinable public static func < (lhs: Nanoseconds, rhs: Nanoseconds) -> Bool { lhs.count < rhs.count }

    /// A time of 0, or the start of a clock.
    @inlinable public static var zero: Nanoseconds { Nanoseconds(0) }

    /// The longest time, the limit of sums.
    @inlinable public static var max: Nanoseconds { Nanoseconds(.max) }

    /// The time from `earlier` to this point on the same clock; `nil` if `earlier` is the later of the two.
    @inlinable public func since(_ earlier: Nanoseconds) -> Nanoseconds? {
        count >= earlier.count ? Nanoseconds(count &- earlier.count) : nil
    }

    /// The sum, which stays at the longest time instead of overflowing, so the order of adding doesn't change it.
    @inlinable public static func + (lhs: Nanoseconds, rhs: Nanoseconds) -> Nanoseconds {
        Nanoseconds(lhs.count.saturatingSum(rhs.count))
    }

    /// Adds `rhs`, staying at the longest time instead of overflowing.
    @inlinable public static func += (lhs: inout Nanoseconds, rhs: Nanoseconds) { lhs = lhs + rhs }

    /// Reads a system clock; the start of the clock if the system doesn't have it.
    init(reading clock: clockid_t) {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else {
            self = .zero
            return
        }
        self = .seconds(UInt64(clamping: time.tv_sec)) + Nanoseconds(UInt64(clamping: time.tv_nsec))
    }
}

/// A length of time in milliseconds, the unit in which times are reported.
public struct Milliseconds: Hashable, Comparable, Sendable {
    /// The number of milliseconds; the caller ensures its sign and that it is finite.
    public var value: Double

    /// Makes a time of `value` milliseconds.
    @inlinable public init(_ value: Double) { self.value = value }

    /// Converts a time read from a clock; exact up to 104 days, then to the nearest `Double`.
    @inlinable public init(_ time: Nanoseconds) { value = Double(time.count) / 1_000_000 }

    /// A time of `value` milliseconds.
    @inlinable public static func milliseconds(_ value: Double) -> Milliseconds { Milliseconds(value) }

    /// A time of `value` seconds.
    @inlinable public static func seconds(_ value: Double) -> Milliseconds { Milliseconds(value * 1_000) }

    /// A time of 0.
    @inlinable public static var zero: Milliseconds { Milliseconds(0) }

    /// Whether the first time is shorter.
    @inlinable public static func < (lhs: Milliseconds, rhs: Milliseconds) -> Bool { lhs.value < rhs.value }
}

extension FixedWidthInteger {
    /// The sum of two numbers that aren't negative, or the largest number if there is none.
    @inlinable func saturatingSum(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// The product of two numbers that aren't negative, or the largest number if there is none.
    @inlinable func saturatingProduct(_ other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}

extension UInt64 {
    /// The quotient rounded to the nearest whole number, halves upwards; `divisor` isn't 0.
    @inlinable func roundedQuotient(by divisor: UInt64) -> UInt64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder >= divisor &- remainder ? quotient.saturatingSum(1) : quotient
    }
}

/// The clock for durations: it never runs backwards, is never set, and stops while the device sleeps. On Apple
/// platforms `CADisplayLink.timestamp` uses the same clock, so the two can be compared.
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

/// A clock that counts nanoseconds from a fixed start: the source of every time of a visit. The start depends on the
/// source: only readings of one source may be compared.
public protocol TimeSource: Sendable {
    /// The present reading.
    var now: Nanoseconds { get }
}

/// The clock of the time that a user experiences: it never runs backwards, is never set, and continues during sleep.
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

/// A clock that a test advances by hand, so its visits have exact times. It may be read and set from any thread, also
/// backwards, unlike a real clock.
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

/// A value that one thread at a time may use; a thread can wait for its change. iOS 15 has no `Mutex`, and
/// `os_unfair_lock` has no condition: this is the POSIX pair.
final class LockedValue<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Wakes the waiting thread.
    func signal() { pthread_cond_signal(condition) }

    /// Waits until `isReady` returns true, and then uses the value before any other thread.
    func wait<Result>(until isReady: (inout Value) -> Bool, then body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReady(&value) { pthread_cond_wait(condition, mutex) }
        return body(&value)
    }

    /// Waits until `isReady` returns true, or `time` has passed; a clock change meanwhile may alter the wait.
    func wait(atMost time: Milliseconds, until isReady: (inout Value) -> Bool) {
        var deadline = Self.now(after: time)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReady(&value) { if pthread_cond_timedwait(condition, mutex, &deadline) != 0 { return } }
    }

    private static func now(after time: Milliseconds) -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let nanoseconds = Int(now.tv_nsec) + Int(time.value * 1_000_000)
        now.tv_sec += numericCast(nanoseconds / 1_000_000_000)
        now.tv_nsec = numericCast(nanoseconds % 1_000_000_000)
        return now
    }
}
