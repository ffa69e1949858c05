/// A value without parts, as it is written.
public enum JSONScalar: Hashable, Sendable {
    /// A string.
    case string(String)
    /// A number, written with as few digits as give it back; `null` where it isn't finite, which JSON can't say.
    case number(Double)
    /// A whole number.
    case integer(Int64)
    /// A whole number that may be beyond 2^63.
    case unsigned(UInt64)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
}

/// A type that is written as one JSON value without parts.
public protocol JSONScalarConvertible {
    /// The value to write.
    var jsonScalar: JSONScalar { get }
}

extension JSONScalar: JSONScalarConvertible {
    /// Itself.
    public var jsonScalar: JSONScalar { self }
}

extension String: JSONScalarConvertible {
    /// The string.
    public var jsonScalar: JSONScalar { .string(self) }
}

extension Double: JSONScalarConvertible {
    /// The number.
    public var jsonScalar: JSONScalar { .number(self) }
}

extension Int: JSONScalarConvertible {
    /// The integer.
    public var jsonScalar: JSONScalar { .integer(Int64(self)) }
}

extension Int64: JSONScalarConvertible {
    /// The integer.
    public var jsonScalar: JSONScalar { .integer(self) }
}

extension UInt64: JSONScalarConvertible {
    /// The integer.
    public var jsonScalar: JSONScalar { .unsigned(self) }
}

extension Bool: JSONScalarConvertible {
    /// The truth value.
    public var jsonScalar: JSONScalar { .bool(self) }
}
