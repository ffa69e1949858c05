/// A strict (RFC 8259), fast reader that returns one value at a time.
///
/// It borrows its bytes, usually one line, and is a plain value of five words: a copy is a bookmark to return to. It
/// only allocates for keys with escape sequences, numbers of 20 digits or more, and for skipping containers nested
/// deeper than 64 levels.
///
/// Each kind of value has its own read function. `JSONError.Kind.mismatch` leaves the reader before a value of another
/// kind, so it can still be skipped; after any other error nothing more can be read. Unread values must be skipped,
/// and only `finish()` confirms that all of the input is valid.
///
///     var reader = JSONReader(line)
///     try reader.enterObject()
///     while let key = try reader.nextKey() {
///         switch key {
///         case "page": page = try reader.readText()
///         case "ttfl_ms": ttfl = try reader.readDouble()
///         default: try reader.skipValue()
///         }
///     }
///     try reader.finish()
@usableFromInline package struct JSONReader {
    @usableFromInline let bytes: JSONBytes
    @usableFromInline var position: Int
    @usableFromInline var depth = 0
    /// Whether the open container has had an item, so a comma must precede the next.
    @usableFromInline var needsComma = false

    @inlinable package static var depthLimit: Int { 512 }

    /// A reader of a whole JSON text; the bytes must outlive it and every `JSONText` it returns.
    /// - Parameter offset: The start of the text, for example after a byte order mark.
    @inlinable @inline(__always) package init(_ buffer: UnsafeRawBufferPointer, from offset: Int = 0) {
        bytes = JSONBytes(buffer)
        position = min(max(offset, 0), buffer.count)
    }

    /// The length of the byte order mark at the start of an input: 3 or 0.
    package static func byteOrderMarkLength(of buffer: UnsafeRawBufferPointer) -> Int {
        buffer.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    @inlinable @inline(__always) package var offset: Int { position }

    /// The kind of the next value, which stays unread.
    @inlinable package mutating func peekKind() throws(JSONError) -> JSONKind {
        guard let kind = JSONKind(firstByte: nextByte()) else { throw bytes.unexpected(.expectedValue, at: position) }
        return kind
    }

    /// Validates the next value, of any kind and depth, without reading it; numbers of any size are valid.
    @inlinable @inline(__always) package mutating func skipValue() throws(JSONError) {
        if bytes.byteOrZero(at: position) == JSONByte.quote, let end = bytes.plainStringEnd(from: position &+ 1) {
            position = end &+ 1
        } else {
            position = try bytes.valueEnd(from: position, depth: depth)
        }
    }

    /// Throws unless only white space follows and every container is closed.
    @inlinable @inline(__always) package mutating func finish() throws(JSONError) {
        _ = nextByte()
        guard depth == 0 else { throw JSONError(.unexpectedEnd, at: position) }
        guard position == bytes.count else { throw JSONError(.trailingContent, at: position) }
    }

    /// Skips white space and returns the next byte; 0 at the end.
    @inlinable @inline(__always) mutating func nextByte() -> UInt8 {
        position = bytes.spaceEnd(from: position)
        return bytes.byteOrZero(at: position)
    }

    /// Enters an object; `nextKey()` returns its members.
    @inlinable @inline(__always) package mutating func enterObject() throws(JSONError) {
        guard nextByte() == JSONByte.openBrace else { throw bytes.mismatch(.object, at: position) }
        try enter()
    }

    /// Enters an array; `nextElement()` steps through its elements.
    @inlinable @inline(__always) package mutating func enterArray() throws(JSONError) {
        guard nextByte() == JSONByte.openBracket else { throw bytes.mismatch(.array, at: position) }
        try enter()
    }

    /// Steps to the next member and returns its key, or leaves the object and returns `nil`. A repeated key is returned
    /// again; `JSONFieldSet` detects it.
    @inlinable @inline(__always) package mutating func nextKey() throws(JSONError) -> JSONKey? {
        if needsComma, bytes.isCommaAndQuote(at: position), let end = bytes.plainStringEnd(from: position &+ 2),
            bytes.byteOrZero(at: end &+ 1) == JSONByte.colon
        {
            let start = position &+ 2
            position = end &+ 2
            return JSONKey(bytes, start, end, isEscaped: false)
        }
        if bytes.byteOrZero(at: position) == JSONByte.closeBrace {
            step(to: position &+ 1, isInside: false)
            return nil
        }
        let next = try bytes.nextKey(from: position, needsComma: needsComma)
        step(to: next.end, isInside: next.key != nil)
        return next.key
    }

    /// Steps to the next element, or leaves the array and returns `false`.
    @inlinable @inline(__always) package mutating func nextElement() throws(JSONError) -> Bool {
        let byte = bytes.byteOrZero(at: position)
        if needsComma, byte == JSONByte.comma {
            position &+= 1
            return true
        }
        if byte == JSONByte.closeBracket {
            step(to: position &+ 1, isInside: false)
            return false
        }
        if !needsComma, byte > JSONByte.space {
            needsComma = true
            return true
        }
        let next = try bytes.nextElement(from: position, needsComma: needsComma)
        step(to: next.end, isInside: next.isThere)
        return next.isThere
    }

    @inlinable @inline(__always) mutating func enter() throws(JSONError) {
        guard depth < Self.depthLimit else { throw JSONError(.tooDeep, at: position) }
        depth &+= 1
        position &+= 1
        needsComma = false
    }

    /// Steps to an item, or out of the container; either way a comma must precede the next.
    @inlinable @inline(__always) mutating func step(to end: Int, isInside: Bool) {
        position = end
        needsComma = true
        if !isInside { depth &-= 1 }
    }

    /// Reads a string without copying it.
    @inlinable @inline(__always) package mutating func readText() throws(JSONError) -> JSONText {
        if bytes.byteOrZero(at: position) == JSONByte.quote, let end = bytes.plainStringEnd(from: position &+ 1) {
            let start = position &+ 1
            position = end &+ 1
            return JSONText(bytes.slice(start, end), isEscaped: false)
        }
        let long = try bytes.text(from: position)
        position = long.end
        return long.text
    }

    @inlinable package static var nameLimit: Int { 1_000 }

    /// Reads a string that is a name: it is used in reports, plots and file names.
    @inlinable @inline(__always) package mutating func readName() throws(JSONError) -> JSONText {
        let start = position
        let text = try readText()
        guard text.rawBytes.count <= Self.nameLimit else { throw Self.tooLongName(at: start) }
        return text
    }

    @usableFromInline @inline(never)
    static func tooLongName(at position: Int) -> JSONError { JSONError(.nameTooLong, at: position) }

    package mutating func readString() throws(JSONError) -> String { try readText().string }

    @inlinable @inline(__always) package mutating func readBool() throws(JSONError) -> Bool {
        let byte = nextByte()
        guard byte == JSONByte.lowerT || byte == JSONByte.lowerF else { throw bytes.mismatch(.bool, at: position) }
        position = try bytes.wordEnd(from: position)
        return byte == JSONByte.lowerT
    }

    /// Steps over `null` and returns whether it was there; any other value stays unread.
    @inlinable @inline(__always) package mutating func readNull() throws(JSONError) -> Bool {
        guard nextByte() == JSONByte.lowerN else { return false }
        position = try bytes.wordEnd(from: position)
        return true
    }

    /// Reads a number as the nearest double; one beyond the range of doubles is an error.
    @inlinable @inline(__always) package mutating func readDouble() throws(JSONError) -> Double {
        let number = try bytes.double(from: position)
        position = number.end
        return number.value
    }

    /// Reads an integer from 0 to 2^64 − 1; `5.0` and `1e3` are integers too.
    @inlinable @inline(__always) package mutating func readUInt64() throws(JSONError) -> UInt64 {
        if let short = bytes.shortInteger(from: position) {
            position = short.end
            return short.value
        }
        let long = try bytes.longUInt64(from: position)
        position = long.end
        return long.value
    }

    /// Appends an array of integers from 0 to 2^64 − 1 to a list.
    package mutating func readUInt64s(into list: inout [UInt64]) throws(JSONError) {
        try enterArray()
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 128) { buffer in
            var count = 0
            repeat {
                count = readListed(into: buffer)
                list.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
            } while count == buffer.count
        }
        // The general path handles integers that aren't directly followed by a comma, including the last one.
        while try nextElement() { list.append(try readUInt64()) }
    }

    /// Reads integers that are directly followed by commas, as many as fit, and returns their number.
    @inline(__always) private mutating func readListed(into buffer: UnsafeMutableBufferPointer<UInt64>) -> Int {
        var start = needsComma ? position &+ 1 : position
        var count = 0
        // Neighbours mostly have equally many digits, so the next number's start is known early.
        var length = 0
        while count < buffer.count {
            if let value = bytes.listedInteger(from: start, length: length) {
                buffer.initializeElement(at: count, to: value)
            } else if let (value, end) = bytes.shortInteger(from: start), bytes.byteOrZero(at: end) == JSONByte.comma {
                buffer.initializeElement(at: count, to: value)
                length = end &- start
            } else {
                break
            }
            count &+= 1
            start = start &+ length &+ 1
        }
        if count > 0 {
            position = start &- 1
            needsComma = true
        }
        return count
    }

    /// Reads an integer from −2^63 to 2^63 − 1; `5.0` and `1e3` are integers too.
    @inlinable @inline(__always) package mutating func readInt64() throws(JSONError) -> Int64 {
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
    package mutating func readInt() throws(JSONError) -> Int { Int(truncatingIfNeeded: try readInt64()) }

    package mutating func readNumberText() throws(JSONError) -> String {
        let byte = nextByte()
        guard byte == JSONByte.minus || JSONByte.isDigit(byte) else { throw bytes.mismatch(.number, at: position) }
        let start = position
        position = try JSONNumberSyntax(bytes, from: start).end
        return bytes.slice(start, position).string
    }
}
