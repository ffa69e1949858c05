extension JSONReader {
    /// Reads a string as it stands, without copying it.
    @inlinable @inline(__always)
    public mutating func readText() throws(JSONError) -> JSONText {
        if bytes.byteOrZero(at: position) == JSONByte.quote, let end = bytes.plainStringEnd(from: position &+ 1) {
            let start = position &+ 1
            position = end &+ 1
            return JSONText(bytes.slice(start, end), isEscaped: false)
        }
        let long = try bytes.text(from: position)
        position = long.end
        return long.text
    }

    /// Reads a string.
    public mutating func readString() throws(JSONError) -> String { try readText().string }

    /// Reads `true` or `false`.
    @inlinable @inline(__always)
    public mutating func readBool() throws(JSONError) -> Bool {
        let byte = nextByte()
        guard byte == JSONByte.lowerT || byte == JSONByte.lowerF else { throw bytes.mismatch(.bool, at: position) }
        position = try bytes.wordEnd(from: position)
        return byte == JSONByte.lowerT
    }

    /// Steps over `null` where it stands, and says whether it did; any other value stays unread.
    @inlinable @inline(__always)
    public mutating func readNull() throws(JSONError) -> Bool {
        guard nextByte() == JSONByte.lowerN else { return false }
        position = try bytes.wordEnd(from: position)
        return true
    }

    /// Reads a number as the nearest double; one beyond the range of doubles is an error.
    @inlinable @inline(__always)
    public mutating func readDouble() throws(JSONError) -> Double {
        let number = try bytes.double(from: position)
        position = number.end
        return number.value
    }

    /// Reads an integer from 0 to 2^64 − 1; `5.0` and `1e3` are integers too.
    @inlinable @inline(__always)
    public mutating func readUInt64() throws(JSONError) -> UInt64 {
        if let short = bytes.shortInteger(from: position) {
            position = short.end
            return short.value
        }
        let long = try bytes.longUInt64(from: position)
        position = long.end
        return long.value
    }

    /// Reads an integer from −2^63 to 2^63 − 1; `5.0` and `1e3` are integers too.
    @inlinable @inline(__always)
    public mutating func readInt64() throws(JSONError) -> Int64 {
        if let short = bytes.shortInteger(from: position), let value = Int64(exactly: short.value) {
            position = short.end
            return value
        }
        let long = try bytes.longInt64(from: position)
        position = long.end
        return long.value
    }

    /// Reads an integer that fits the machine's word.
    @inlinable @inline(__always)
    public mutating func readInt() throws(JSONError) -> Int { Int(truncatingIfNeeded: try readInt64()) }

    /// Reads a number as its text, which keeps every digit.
    public mutating func readNumberText() throws(JSONError) -> String {
        let byte = nextByte()
        guard byte == JSONByte.minus || JSONByte.isDigit(byte) else { throw bytes.mismatch(.number, at: position) }
        let start = position
        position = try JSONNumberSyntax(bytes, from: start).end
        return bytes.slice(start, position).string
    }
}
