extension JSONReader {
    /// Reads a string as it stands, without copying it.
    @inlinable @inline(__always)
    public mutating func readText() throws(JSONError) -> JSONText {
        guard nextByte() == JSONByte.quote else { throw mismatch(.string) }
        return try text()
    }

    /// Reads a string.
    public mutating func readString() throws(JSONError) -> String { try readText().string }

    /// Reads `true` or `false`.
    @inlinable
    public mutating func readBool() throws(JSONError) -> Bool {
        let byte = nextByte()
        guard byte == JSONByte.lowerT || byte == JSONByte.lowerF else { throw mismatch(.bool) }
        position = try bytes.wordEnd(from: position)
        return byte == JSONByte.lowerT
    }

    /// Steps over `null` where it stands, and says whether it did; any other value stays unread.
    @inlinable
    public mutating func readNull() throws(JSONError) -> Bool {
        guard nextByte() == JSONByte.lowerN else { return false }
        position = try bytes.wordEnd(from: position)
        return true
    }

    /// Reads a number as the nearest double; one beyond the range of doubles is an error.
    @inlinable @inline(__always)
    public mutating func readDouble() throws(JSONError) -> Double {
        _ = nextByte()
        guard let short = bytes.shortDouble(from: position) else { return try readLongDouble() }
        position = short.end
        return short.value
    }

    /// Reads an integer from 0 to 2^64 − 1; `5.0` and `1e3` are integers too.
    @inlinable @inline(__always)
    public mutating func readUInt64() throws(JSONError) -> UInt64 {
        _ = nextByte()
        guard let short = bytes.shortInteger(from: position) else { return try readLongInteger(UInt64.self) }
        position = short.end
        return short.value
    }

    /// Reads an integer from −2^63 to 2^63 − 1; `5.0` and `1e3` are integers too.
    @inlinable @inline(__always)
    public mutating func readInt64() throws(JSONError) -> Int64 {
        _ = nextByte()
        guard let short = bytes.shortInteger(from: position), let value = Int64(exactly: short.value) else {
            return try readLongInteger(Int64.self)
        }
        position = short.end
        return value
    }

    /// Reads an integer that fits the machine's word.
    @inlinable @inline(__always)
    public mutating func readInt() throws(JSONError) -> Int { Int(truncatingIfNeeded: try readInt64()) }

    /// Reads a number as its text, which keeps every digit.
    public mutating func readNumberText() throws(JSONError) -> String {
        let start = try numberStart()
        position = try bytes.numberEnd(from: start)
        return bytes.slice(start, position).string
    }

    /// The text of the string whose opening quote is the next byte.
    @inlinable @inline(__always)
    mutating func text() throws(JSONError) -> JSONText {
        let start = position &+ 1
        let end = try bytes.stringEnd(from: start)
        position = end.position &+ 1
        return JSONText(bytes, start, end.position, isEscaped: end.isEscaped)
    }

    /// Reads a number of any length and form.
    @usableFromInline @inline(never)
    mutating func readLongDouble() throws(JSONError) -> Double {
        let syntax = try JSONNumberSyntax(bytes, from: try numberStart())
        let value = try JSONDecimal(bytes, syntax).double()
        position = syntax.end
        return value
    }

    /// Reads an integer of any length and form.
    @usableFromInline @inline(never)
    mutating func readLongInteger<Integer: FixedWidthInteger>(_: Integer.Type) throws(JSONError) -> Integer {
        let syntax = try JSONNumberSyntax(bytes, from: try numberStart())
        let magnitude = try JSONDecimal(bytes, syntax).magnitude()
        let limit = syntax.isNegative ? UInt64(Integer.min.magnitude) : UInt64(Integer.max.magnitude)
        guard magnitude <= limit else { throw JSONError(.numberOutOfRange, at: syntax.start) }
        position = syntax.end
        return Integer(truncatingIfNeeded: syntax.isNegative ? 0 &- magnitude : magnitude)
    }

    /// The position of the number that comes next.
    private mutating func numberStart() throws(JSONError) -> Int {
        let byte = nextByte()
        guard byte == JSONByte.minus || JSONByte.isDigit(byte) else { throw mismatch(.number) }
        return position
    }
}
