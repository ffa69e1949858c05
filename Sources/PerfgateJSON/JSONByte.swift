/// The bytes that have a meaning in JSON's grammar.
@usableFromInline
enum JSONByte {
    @inlinable static var space: UInt8 { 0x20 }
    @inlinable static var tab: UInt8 { 0x09 }
    @inlinable static var lineFeed: UInt8 { 0x0A }
    @inlinable static var carriageReturn: UInt8 { 0x0D }
    @inlinable static var quote: UInt8 { 0x22 }
    @inlinable static var backslash: UInt8 { 0x5C }
    @inlinable static var comma: UInt8 { 0x2C }
    @inlinable static var colon: UInt8 { 0x3A }
    @inlinable static var openBrace: UInt8 { 0x7B }
    @inlinable static var closeBrace: UInt8 { 0x7D }
    @inlinable static var openBracket: UInt8 { 0x5B }
    @inlinable static var closeBracket: UInt8 { 0x5D }
    @inlinable static var plus: UInt8 { 0x2B }
    @inlinable static var minus: UInt8 { 0x2D }
    @inlinable static var point: UInt8 { 0x2E }
    @inlinable static var zero: UInt8 { 0x30 }
    @inlinable static var nine: UInt8 { 0x39 }
    @inlinable static var lowerE: UInt8 { 0x65 }
    @inlinable static var lowerF: UInt8 { 0x66 }
    @inlinable static var lowerN: UInt8 { 0x6E }
    @inlinable static var lowerT: UInt8 { 0x74 }
    @inlinable static var lowerU: UInt8 { 0x75 }

    /// Whether a byte is one of the ten decimal digits.
    @inlinable @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

    /// Whether a byte is a letter of ASCII.
    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Whether a byte, right behind a number's integer digits, says that the number goes on.
    @inlinable @inline(__always)
    static func continuesInteger(_ byte: UInt8) -> Bool { byte == point || byte | 0x20 == lowerE }
}
