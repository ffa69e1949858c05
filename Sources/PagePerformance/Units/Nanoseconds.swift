/// A length of time, or a point on a clock that counts from a fixed start, in nanoseconds.
///
/// Everything that is read from a clock stays in this type until it is reported: integers add up to the same sum in
/// any order, which sums of `Double` don't. Conversion to `Milliseconds` is always written out.
public struct Nanoseconds: Hashable, Sendable {
    /// The number of nanoseconds, from 0 to about 584 years.
    public var count: UInt64

    /// Makes a time of `count` nanoseconds.
    @inlinable
    public init(_ count: UInt64) {
        self.count = count
    }

    /// A time of `count` milliseconds; the longest time there is if that is longer.
    @inlinable
    public static func milliseconds(_ count: UInt64) -> Nanoseconds {
        Nanoseconds(count.saturatingProduct(1_000_000))
    }

    /// A time of `count` seconds; the longest time there is if that is longer.
    @inlinable
    public static func seconds(_ count: UInt64) -> Nanoseconds {
        Nanoseconds(count.saturatingProduct(1_000_000_000))
    }

    /// Converts a reported time to the nearest nanosecond, halves upwards.
    ///
    /// `nil` if it is negative, not a number, or longer than the type can hold.
    @inlinable
    public init?(_ time: Milliseconds) {
        let nanoseconds = time.value * 1_000_000 + 0.5
        guard nanoseconds >= 0.5, nanoseconds < 18_446_744_073_709_551_616 else { return nil }
        count = UInt64(nanoseconds)
    }
}

extension Nanoseconds: Comparable {
    /// Whether the first time is the shorter one.
    @inlinable
    public static func < (lhs: Nanoseconds, rhs: Nanoseconds) -> Bool {
        lhs.count < rhs.count
    }
}

extension Nanoseconds {
    /// No time at all, or the start of a clock.
    public static let zero = Nanoseconds(0)

    /// The longest time, where sums stop.
    public static let max = Nanoseconds(.max)

    /// The time from `earlier` to this point on the same clock; `nil` if `earlier` is the later of the two.
    @inlinable
    public func since(_ earlier: Nanoseconds) -> Nanoseconds? {
        count >= earlier.count ? Nanoseconds(count &- earlier.count) : nil
    }

    /// The sum, which stays at the longest time instead of overflowing, so that no order of adding changes it.
    @inlinable
    public static func + (lhs: Nanoseconds, rhs: Nanoseconds) -> Nanoseconds {
        Nanoseconds(lhs.count.saturatingSum(rhs.count))
    }

    /// Adds `rhs`, staying at the longest time instead of overflowing.
    @inlinable
    public static func += (lhs: inout Nanoseconds, rhs: Nanoseconds) {
        lhs = lhs + rhs
    }
}
