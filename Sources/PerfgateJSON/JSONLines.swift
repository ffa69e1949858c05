/// Splits an input that comes in chunks into lines, which it gives to a closure.
///
/// A line within a chunk is lent as it lies there; only one that crosses chunks is copied. Lines end in LF or CRLF,
/// the last also with the input. Lines of white space are counted and not given.
@usableFromInline
package struct JSONLines {
    /// The longest line that is given, in bytes before its line feed.
    package let limit: Int
    /// The number of lines that ended so far, blank and dropped ones included.
    package private(set) var count = 0
    /// The number of lines so far that hold nothing but white space.
    package private(set) var blankCount = 0
    /// The start of a line that goes on in the next chunk; empty where it is longer than `limit`.
    private var carried: [UInt8] = []
    /// The length of that start, in bytes.
    private var carriedCount = 0

    /// A splitter at the start of an input.
    package init(limit: Int = 256 << 20) { self.limit = limit }

    /// Gives the lines that end within a chunk to `body`.
    package mutating func append<Failure: Error>(
        _ chunk: UnsafeRawBufferPointer, _ body: (JSONLine) throws(Failure) -> Void
    ) throws(Failure) {
        let bytes = JSONBytes(chunk)
        var start = 0
        while let end = bytes.lineFeed(from: start) {
            let rest = bytes.slice(start, end)
            start = end + 1
            if carriedCount == 0 {
                try give(rest, byteCount: rest.count, isTerminated: true, body)
            } else {
                carry(rest)
                try giveCarried(isTerminated: true, body)
            }
        }
        carry(bytes.slice(start, bytes.count))
    }

    /// Gives the last line to `body` where no line feed ended it.
    package mutating func finish<Failure: Error>(_ body: (JSONLine) throws(Failure) -> Void) throws(Failure) {
        if carriedCount > 0 { try giveCarried(isTerminated: false, body) }
    }

    /// Keeps the start of a line, or only its length where it is too long.
    private mutating func carry(_ bytes: JSONBytes) {
        carriedCount += bytes.count
        if carriedCount <= limit { bytes.append(to: &carried) } else { carried = [] }
    }

    /// Gives the line that was kept, and keeps its memory for the next.
    private mutating func giveCarried<Failure: Error>(
        isTerminated: Bool, _ body: (JSONLine) throws(Failure) -> Void
    ) throws(Failure) {
        var line: [UInt8] = []
        swap(&line, &carried)
        let byteCount = carriedCount
        carriedCount = 0
        try JSONBytes.with(line) { bytes throws(Failure) in
            try give(bytes, byteCount: byteCount, isTerminated: isTerminated, body)
        }
        line.removeAll(keepingCapacity: true)
        swap(&line, &carried)
    }

    /// Counts a line and gives it, unless it is blank.
    private mutating func give<Failure: Error>(
        _ bytes: JSONBytes, byteCount: Int, isTerminated: Bool, _ body: (JSONLine) throws(Failure) -> Void
    ) throws(Failure) {
        count += 1
        guard byteCount <= limit else {
            let content = JSONLine.Content.tooLong(byteCount: byteCount)
            return try body(JSONLine(number: count, content: content, isTerminated: isTerminated))
        }
        guard bytes.spaceEnd(from: 0) < bytes.count else {
            blankCount += 1
            return
        }
        let hasReturn = bytes[bytes.count - 1] == JSONByte.carriageReturn
        let text = bytes.slice(0, bytes.count - (hasReturn ? 1 : 0))
        try body(JSONLine(number: count, content: .bytes(text.buffer), isTerminated: isTerminated))
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

    /// The bytes of a line, or how many there were.
    package enum Content {
        /// The bytes without the line feed and a carriage return before it; valid only while the closure runs.
        case bytes(UnsafeRawBufferPointer)
        /// The line is longer than the limit and was dropped; the number of bytes before its line feed.
        case tooLong(byteCount: Int)
    }
}
