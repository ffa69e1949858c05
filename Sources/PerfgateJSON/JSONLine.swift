/// A line that `JSONLines` found.
public struct JSONLine {
    /// The line's number in the input, from 1, blank lines counted.
    public let number: Int
    /// What the line holds.
    public let content: Content
    /// Whether a line feed ends it; the last line of an input that was cut has none.
    public let isTerminated: Bool

    /// The bytes of a line, or how many there were.
    public enum Content {
        /// The bytes without the line feed and a carriage return before it; valid only while the closure runs.
        case bytes(UnsafeRawBufferPointer)
        /// The line is longer than the limit and was dropped; the number of bytes before its line feed.
        case tooLong(byteCount: Int)
    }
}
