import LibC

/// A borrowed run of bytes; the only file of this target that touches memory by address. Each primitive is one line,
/// and each read asserts its positions, so the grammar above it is written and reviewed as safe code. The
/// buffer's creator owns the memory, which must outlive this value.
@usableFromInline struct JSONBytes {
    /// The first byte; valid to read for `count` bytes.
    @usableFromInline let base: UnsafeRawPointer
    @usableFromInline let count: Int

    @inlinable @inline(__always) init(base: UnsafeRawPointer, count: Int) { (self.base, self.count) = (base, count) }

    /// Borrows a buffer, which may be empty.
    @inlinable @inline(__always) init(_ buffer: UnsafeRawBufferPointer) {
        self.init(base: buffer.baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start), count: buffer.count)
    }

    /// Borrows the UTF-8 of a literal, which lives as long as the program.
    @inlinable @inline(__always) init(_ literal: StaticString) {
        self.init(base: UnsafeRawPointer(literal.utf8Start), count: literal.utf8CodeUnitCount)
    }

    static func with<Result, Failure: Error>(
        _ array: [UInt8], _ body: (JSONBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try array.withUnsafeBufferPointer { buffer throws(Failure) in
            try body(JSONBytes(UnsafeRawBufferPointer(buffer)))
        }
    }

    /// The bytes as a buffer pointer, for callers of the public interface.
    @inlinable @inline(__always)
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    @inlinable @inline(__always) subscript(position: Int) -> UInt8 {
        assert(position >= 0 && position < count)
        return base.load(fromByteOffset: position, as: UInt8.self)
    }

    /// The byte at a position, or at the end of the input 0, which JSON's grammar never accepts.
    @inlinable @inline(__always) func byteOrZero(at position: Int) -> UInt8 { position < count ? self[position] : 0 }

    @inlinable @inline(__always) func hasWord(at position: Int) -> Bool { position &+ 8 <= count }

    /// The eight bytes at `position`, the first in the lowest bits.
    @inlinable @inline(__always) func word(at position: Int) -> UInt64 {
        assert(position >= 0 && hasWord(at: position))
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// The two bytes at `position`, the first in the lowest bits.
    @inlinable @inline(__always) func pair(at position: Int) -> UInt16 {
        assert(position >= 0 && position &+ 2 <= count)
        return UInt16(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt16.self))
    }

    /// The bytes of a range within these, borrowed from the same memory.
    @inlinable @inline(__always) func slice(_ start: Int, _ end: Int) -> JSONBytes {
        assert(start >= 0 && start <= end && end <= count)
        return JSONBytes(base: base + start, count: end &- start)
    }

    /// Whether the bytes from `start` on equal those of `other` from `start` on; both have the same count.
    @inlinable @inline(__always) func isEqual(to other: JSONBytes, from start: Int) -> Bool {
        assert(count == other.count && start <= count)
        return memcmp(base + start, other.base + start, count &- start) == 0
    }

    func lineFeed(from start: Int) -> Int? {
        memchr(base + start, 0x0A, count - start).map { UnsafeRawPointer($0) - base }
    }

    /// The bytes as text; they are known to be valid UTF-8.
    var string: String { String(decoding: buffer, as: UTF8.self) }

    /// The first eight bytes, padded with 0xFF; a constant for a literal.
    @inlinable @inline(__always) func head() -> UInt64 {
        if count >= 8 { return word(at: 0) }
        var head = UInt64.max
        var position = count
        while position > 0 {
            position &-= 1
            head = head &<< 8 | UInt64(self[position])
        }
        return head
    }

    /// `head()` of the unescaped text of these bytes.
    @usableFromInline @inline(never) func unescapedHead() -> UInt64 { JSONBytes.with(unescaped) { $0.head() } }
}

/// The whole grammar of containers, for cases that the reader's fast paths don't handle: white space, first and last
/// items, unusual keys, and errors.
extension JSONBytes {
    /// Whether there are a comma and a quote at `position`, eight bytes or more before the end.
    @inlinable @inline(__always)
    func isCommaAndQuote(at position: Int) -> Bool { hasWord(at: position) && pair(at: position) == 0x222C }

    /// Steps to an object's next member; returns its key and the position after the colon, or `nil` and its end.
    @usableFromInline @inline(never)
    func nextKey(from start: Int, needsComma: Bool) throws(JSONError) -> (key: JSONKey?, end: Int) {
        let item = try nextItem(
            from: start, needsComma: needsComma, closing: JSONByte.closeBrace, else: .expectedCommaOrBrace)
        guard item.isThere else { return (nil, item.end) }
        let key = try key(from: item.end)
        return (key.key, key.end)
    }

    @usableFromInline @inline(never)
    func nextElement(from start: Int, needsComma: Bool) throws(JSONError) -> (isThere: Bool, end: Int) {
        try nextItem(from: start, needsComma: needsComma, closing: JSONByte.closeBracket, else: .expectedCommaOrBracket)
    }

    /// Reads a key and returns the position after its colon.
    func key(from start: Int) throws(JSONError) -> (key: JSONKey, end: Int) {
        guard byteOrZero(at: start) == JSONByte.quote else { throw unexpected(.expectedKey, at: start) }
        let end = try stringEnd(from: start + 1)
        let colon = spaceEnd(from: end.position + 1)
        guard byteOrZero(at: colon) == JSONByte.colon else { throw unexpected(.expectedColon, at: colon) }
        return (JSONKey(self, start + 1, end.position, isEscaped: end.isEscaped), colon + 1)
    }

    /// Reads a string and returns the position after it.
    @usableFromInline @inline(never) func text(from start: Int) throws(JSONError) -> (text: JSONText, end: Int) {
        let start = spaceEnd(from: start)
        guard byteOrZero(at: start) == JSONByte.quote else { throw mismatch(.string, at: start) }
        let end = try stringEnd(from: start + 1)
        return (JSONText(slice(start + 1, end.position), isEscaped: end.isEscaped), end.position + 1)
    }

    /// An error at `position`, or that of an input that ends there.
    @usableFromInline @inline(never) func unexpected(_ kind: JSONError.Kind, at position: Int) -> JSONError {
        JSONError(position < count ? kind : .unexpectedEnd, at: position)
    }

    @usableFromInline @inline(never) func mismatch(_ expected: JSONKind, at position: Int) -> JSONError {
        guard let found = JSONKind(firstByte: byteOrZero(at: position)) else {
            return unexpected(.expectedValue, at: position)
        }
        return JSONError(.mismatch(expected: expected, found: found), at: position)
    }

    /// Steps over the comma before an item, or over the closing byte.
    private func nextItem(
        from start: Int, needsComma: Bool, closing: UInt8, else kind: JSONError.Kind
    ) throws(JSONError) -> (isThere: Bool, end: Int) {
        let start = spaceEnd(from: start)
        let byte = byteOrZero(at: start)
        if byte == closing { return (false, start + 1) }
        guard needsComma else { return (true, start) }
        guard byte == JSONByte.comma else { throw unexpected(kind, at: start) }
        return (true, spaceEnd(from: start + 1))
    }
}

/// The bytes that have a meaning in JSON's grammar.
@usableFromInline enum JSONByte {
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

    @inlinable @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Whether a byte directly after a number's integer digits continues the number.
    @inlinable @inline(__always)
    static func continuesInteger(_ byte: UInt8) -> Bool { byte == point || byte | 0x20 == lowerE }
}
