/// A string or key as it stands in the input, already validated, not yet copied.
///
/// It borrows the reader's bytes: use it before they go away. Comparing it with a literal costs one comparison of a
/// word, and `switch key { case "page": … }` works.
public struct JSONText {
    /// The bytes between the quotes.
    @usableFromInline let bytes: JSONBytes
    /// The first eight bytes of the decoded text, filled up with 0xFF.
    @usableFromInline let head: UInt64
    /// Whether the bytes hold escape sequences, so that the text is another than `rawBytes`.
    public let isEscaped: Bool

    /// The text whose validated bytes stand at `start ..< end`.
    @inlinable @inline(__always)
    init(_ input: JSONBytes, _ start: Int, _ end: Int, isEscaped: Bool) {
        bytes = input.slice(start, end)
        head = isEscaped ? bytes.decodedHead() : input.head(start, end)
        self.isEscaped = isEscaped
    }

    /// The bytes between the quotes; they are the text itself unless `isEscaped`.
    @inlinable @inline(__always)
    public var rawBytes: UnsafeRawBufferPointer { bytes.buffer }

    /// The text, decoded.
    public var string: String {
        guard isEscaped else { return bytes.string }
        var decoded: [UInt8] = []
        appendDecoded(to: &decoded)
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Appends the decoded text as UTF-8 to a buffer that the caller keeps for it.
    public func appendDecoded(to buffer: inout [UInt8]) {
        if isEscaped { bytes.appendUnescaped(to: &buffer) } else { bytes.append(to: &buffer) }
    }

    /// The number of bytes before the text in the input that it was read from.
    func start(in input: JSONBytes) -> Int { bytes.base - input.base }

    /// Whether the decoded text is the literal, byte for byte.
    @inlinable @inline(__always)
    public static func == (text: JSONText, literal: StaticString) -> Bool {
        text.head == JSONBytes(literal).head() && (literal.utf8CodeUnitCount < 8 || text.isWhole(JSONBytes(literal)))
    }

    /// Whether the decoded text isn't the literal.
    @inlinable @inline(__always)
    public static func != (text: JSONText, literal: StaticString) -> Bool { !(text == literal) }

    /// Lets a literal be a pattern of a `switch` over a text.
    @inlinable @inline(__always)
    public static func ~= (literal: StaticString, text: JSONText) -> Bool { text == literal }

    /// Whether the decoded text is a literal of eight bytes or more, the first eight being known to be equal.
    @inlinable @inline(__always)
    func isWhole(_ literal: JSONBytes) -> Bool {
        if isEscaped { return isWholeUnescaped(literal) }
        return bytes.count == literal.count && bytes.isEqual(to: literal, from: 8)
    }

    /// `isWhole` for a text that has to be decoded first.
    @usableFromInline @inline(never)
    func isWholeUnescaped(_ literal: JSONBytes) -> Bool {
        var decoded: [UInt8] = []
        bytes.appendUnescaped(to: &decoded)
        return decoded.elementsEqual(literal.buffer)
    }
}

extension JSONBytes {
    /// The first eight of the bytes `start ..< end`, filled up with 0xFF.
    @inlinable @inline(__always)
    func head(_ start: Int, _ end: Int) -> UInt64 {
        hasWord(at: start) ? JSONWord.prefix(end &- start, of: word(at: start)) : slice(start, end).head()
    }

    /// The first eight bytes, filled up with 0xFF; a constant where the bytes are a literal's.
    @inlinable @inline(__always)
    func head() -> UInt64 {
        if count >= 8 { return word(at: 0) }
        var head = UInt64.max
        var position = count
        while position > 0 {
            position &-= 1
            head = head &<< 8 | UInt64(self[position])
        }
        return head
    }

    /// `head()` of the text that these bytes are the escaped form of.
    @usableFromInline @inline(never)
    func decodedHead() -> UInt64 {
        var decoded: [UInt8] = []
        appendUnescaped(to: &decoded)
        return JSONBytes.with(decoded) { $0.head() }
    }
}
