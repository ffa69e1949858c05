/// Cuts the chunks of an input at line feeds: whole lines stay where they lie, and one that crosses chunks is copied.
@usableFromInline
package struct JSONLineCutter {
    /// A line that crosses chunks.
    package struct Crossing {
        /// Its bytes before the line feed; empty where they are more than the limit.
        package let bytes: [UInt8]
        /// How many they are.
        package let count: Int
        /// Whether a line feed ends it.
        package let isTerminated: Bool
    }

    /// The longest line that is kept, in bytes before its line feed.
    package let limit: Int
    /// The start of a line that goes on in the next chunk; empty where it is longer than `limit`.
    private var carried: [UInt8] = []
    /// The length of that start, in bytes.
    private var carriedCount = 0

    /// A cutter at the start of an input.
    package init(limit: Int = 256 << 20) { self.limit = limit }

    /// The line that a chunk ends, `nil` where the one before it ended in a line feed, and where whole lines lie in it.
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

    /// The last line, where no line feed ended it.
    package mutating func finish() -> Crossing? {
        carriedCount > 0 ? take(isTerminated: false) : nil
    }

    private mutating func take(isTerminated: Bool) -> Crossing {
        defer { (carried, carriedCount) = ([], 0) }
        return Crossing(bytes: carried, count: carriedCount, isTerminated: isTerminated)
    }

    /// Keeps the start of a line, or only its length where it is too long.
    private mutating func carry(_ bytes: JSONBytes) {
        carriedCount += bytes.count
        if carriedCount <= limit { bytes.append(to: &carried) } else { carried = [] }
    }
}

/// Splits an input that comes in chunks into lines, which it gives to a closure.
///
/// A line within a chunk is lent as it lies there; only one that crosses chunks is copied. Lines end in LF or CRLF,
/// the last also with the input. Lines of white space are counted and not given.
@usableFromInline
package struct JSONLines {
    /// The number of lines that ended so far, blank and dropped ones included.
    package private(set) var count = 0
    /// The number of lines so far that hold nothing but white space.
    package private(set) var blankCount = 0
    private var cutter: JSONLineCutter

    /// A splitter at the start of an input.
    package init(limit: Int = 256 << 20) { cutter = JSONLineCutter(limit: limit) }

    /// Gives the lines that end within a chunk to `body`.
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

    /// Gives the last line to `body` where no line feed ended it.
    package mutating func finish<Failure: Error>(_ body: (JSONLine) throws(Failure) -> Void) throws(Failure) {
        if let crossing = cutter.finish() { try give(crossing, body) }
    }

    /// Counts lines that another reader has taken.
    package mutating func skip(_ count: Int) { self.count += count }

    /// Counts a line that crosses chunks and gives it, unless it is blank.
    package mutating func give<Failure: Error>(
        _ crossing: JSONLineCutter.Crossing, _ body: (JSONLine) throws(Failure) -> Void
    ) throws(Failure) {
        try JSONBytes.with(crossing.bytes) { bytes throws(Failure) in
            try give(bytes, byteCount: crossing.count, isTerminated: crossing.isTerminated, body)
        }
    }

    /// Counts a line and gives it, unless it is blank.
    private mutating func give<Failure: Error>(
        _ bytes: JSONBytes, byteCount: Int, isTerminated: Bool, _ body: (JSONLine) throws(Failure) -> Void
    ) throws(Failure) {
        count += 1
        guard byteCount <= cutter.limit else {
            let content = JSONLine.Content.tooLong(byteCount: byteCount)
            return try body(JSONLine(number: count, content: content, isTerminated: isTerminated))
        }
        guard let text = Self.text(of: bytes.buffer) else {
            blankCount += 1
            return
        }
        try body(JSONLine(number: count, content: .bytes(text), isTerminated: isTerminated))
    }

    /// What a line holds before its line feed and a carriage return before that; `nil` where it is blank.
    package static func text(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let bytes = JSONBytes(line)
        guard bytes.spaceEnd(from: 0) < bytes.count else { return nil }
        return bytes.slice(0, bytes.count - (bytes[bytes.count - 1] == JSONByte.carriageReturn ? 1 : 0)).buffer
    }
}

/// A line that `JSONLines` found.
@usableFromInline
package struct JSONLine {
    /// The line's number in the input, from 1, blank lines counted.
    package let number: Int
    /// What the line holds.
    package let content: Content
    /// Whether a line feed ends it; the last line of an input that was cut has none.
    package let isTerminated: Bool

    /// Makes a line of its parts.
    package init(number: Int, content: Content, isTerminated: Bool) {
        self.number = number
        self.content = content
        self.isTerminated = isTerminated
    }

    /// The bytes of a line, or how many there were.
    package enum Content {
        /// The bytes without the line feed and a carriage return before it; valid only while the closure runs.
        case bytes(UnsafeRawBufferPointer)
        /// The line is longer than the limit and was dropped; the number of bytes before its line feed.
        case tooLong(byteCount: Int)
    }
}
