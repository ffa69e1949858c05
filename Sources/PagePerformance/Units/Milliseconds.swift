/// A length of time in milliseconds, the unit in which times are reported.
public struct Milliseconds: Hashable, Sendable {
    /// The number of milliseconds; whoever makes the value answers for its sign and for its being finite.
    public var value: Double

    /// Makes a time of `value` milliseconds.
    @inlinable
    public init(_ value: Double) {
        self.value = value
    }

    /// Converts a time read from a clock; exact up to 104 days, then to the nearest `Double`.
    @inlinable
    public init(_ time: Nanoseconds) {
        value = Double(time.count) / 1_000_000
    }

    /// A time of `value` milliseconds.
    @inlinable
    public static func milliseconds(_ value: Double) -> Milliseconds {
        Milliseconds(value)
    }

    /// A time of `value` seconds.
    @inlinable
    public static func seconds(_ value: Double) -> Milliseconds {
        Milliseconds(value * 1_000)
    }

    /// No time at all.
    public static let zero = Milliseconds(0)
}

extension Milliseconds: Comparable {
    /// Whether the first time is the shorter one.
    @inlinable
    public static func < (lhs: Milliseconds, rhs: Milliseconds) -> Bool {
        lhs.value < rhs.value
    }
}
