/// Splits the chunks of an input at line feeds: whole lines stay in place, and a line that crosses chunks is copied.
package struct JSONLineCutter {
    package struct Crossing {
        /// Its bytes before the line feed; empty if they exceed the limit.
        package let bytes: [UInt8]
        package let count: Int
        package let isTerminated: Bool
    }

    /// The longest line that is kept, in bytes before its line feed.
    package let limit: Int
    /// The start of a line that continues in the next chunk; empty if it exceeds `limit`.
    private var carried: [UInt8] = []
    /// The length of that start, in bytes.
    private var carriedCount = 0

    package init(limit: Int = 256 << 20) { self.limit = limit }

    /// The line that a chunk completes, `nil` if the last chunk ended with a line feed, and the range of whole lines.
    package mutating func cut(_ chunk: UnsafeRawBufferPointer) -> (crossing: Crossing?, whole: Range<Int>) {
        let bytes = JSONBytes(chunk)
        var start = 0
        var crossing: Crossing?
        if carriedCount > 0 {
            guard let end = bytes.lineFeed(from: 0) else {
                carry(bytes)
                return (nil, 0..<0)
            }
            carry(bytes.slice(0, end))
            crossing = take(isTerminated: true)
            start = end + 1
        }
        var end = bytes.count
        while end > start, bytes[end - 1] != JSONByte.lineFeed { end -= 1 }
        carry(bytes.slice(end, bytes.count))
        return (crossing, start..<end)
    }

    /// The last line, if no line feed ended it.
    package mutating func finish() -> Crossing? { carriedCount > 0 ? take(isTerminated: false) : nil }

    private mutating func take(isTerminated: Bool) -> Crossing {
        defer { (carried, carriedCount) = ([], 0) }
        return Crossing(bytes: carried, count: carriedCount, isTerminated: isTerminated)
    }

    /// Keeps the start of a line, or only its length if it is too long.
    private mutating func carry(_ bytes: JSONBytes) {
        carriedCount += bytes.count
        if carriedCount <= limit { carried.append(contentsOf: bytes.buffer) } else { carried = [] }
    }
}

/// Splits a chunked input into lines and passes them to a closure. A line within a chunk is lent in place; only lines
/// that cross chunks are copied. Lines end with LF or CRLF, the last one also with the input. Blank lines are counted
/// but not passed on.
package struct JSONLines {
    /// The number of lines so far, including blank and dropped ones.
    package private(set) var count = 0
    private var cutter: JSONLineCutter

    package init(limit: Int = 256 << 20) { cutter = JSONLineCutter(limit: limit) }

    /// Passes the lines that end within a chunk to `body`.
    package mutating func append<Failure: Error>(
        _ chunk: UnsafeRawBufferPointer, _ body: (JSONLine) throws(Failure) -> Void
    ) throws(Failure) {
        let (crossing, whole) = cutter.cut(chunk)
        if let crossing { try give(crossing, body) }
        let bytes = JSONBytes(chunk)
        var start = whole.lowerBound
        while start < whole.upperBound, let end = bytes.lineFeed(from: start) {
            let rest = bytes.slice(start, end)
            start = end + 1
            try give(rest, byteCount: rest.count, isTerminated: true, body)
        }
    }

    /// Passes the last line to `body` if no line feed ended it.
    package mutating func finish<Failure: Error>(_ body: (JSONLine) throws(Failure) -> Void) throws(Failure) {
        if let crossing = cutter.finish() { try give(crossing, body) }
    }

    /// Counts lines that another reader processed.
    package mutating func skip(_ count: Int) { self.count += count }

    /// Counts a line that crosses chunks and passes it on, unless it is blank.
    package mutating func give<Failure: Error>(
        _ crossing: JSONLineCutter.Crossing, _ body: (JSONLine) throws(Failure) -> Void
    ) throws(Failure) {
        try JSONBytes.with(crossing.bytes) { bytes throws(Failure) in
            try give(bytes, byteCount: crossing.count, isTerminated: crossing.isTerminated, body)
        }
    }

    private mutating func give<Failure: Error>(
        _ bytes: JSONBytes, byteCount: Int, isTerminated: Bool, _ body: (JSONLine) throws(Failure) -> Void
    ) throws(Failure) {
        count += 1
        guard byteCount <= cutter.limit else {
            let content = JSONLine.Content.tooLong(byteCount: byteCount)
            return try body(JSONLine(number: count, content: content, isTerminated: isTerminated))
        }
        guard let text = Self.text(of: bytes.buffer) else { return }
        try body(JSONLine(number: count, content: .bytes(text), isTerminated: isTerminated))
    }

    /// A line's content before its line feed and a preceding carriage return; `nil` if it is blank.
    package static func text(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let bytes = JSONBytes(line)
        guard bytes.spaceEnd(from: 0) < bytes.count else { return nil }
        return bytes.slice(0, bytes.count - (bytes[bytes.count - 1] == JSONByte.carriageReturn ? 1 : 0)).buffer
    }
}

package struct JSONLine {
    /// The line's number in the input, from 1, including blank lines.
    package let number: Int
    package let content: Content
    /// Whether a line feed ends it; the last line of a truncated input has none.
    package let isTerminated: Bool

    package init(number: Int, content: Content, isTerminated: Bool) {
        (self.number, self.content, self.isTerminated) = (number, content, isTerminated)
    }

    package enum Content {
        /// The bytes without the line feed and a preceding carriage return; only valid while the closure runs.
        case bytes(UnsafeRawBufferPointer)
        /// The line is longer than the limit and was dropped; the number of bytes before its line feed.
        case tooLong(byteCount: Int)
    }
}
