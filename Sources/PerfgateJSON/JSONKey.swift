/// A key as it stands in the input, with its first eight bytes at hand.
///
/// `switch key { case "page": … }` compares one word a case, which the compiler turns into a search tree.
public struct JSONKey {
    /// The key as a text; it borrows the reader's bytes.
    public let text: JSONText
    /// The first eight bytes of the decoded key, filled up with 0xFF, which no UTF-8 holds.
    @usableFromInline let head: UInt64

    /// The key whose validated bytes stand at `start ..< end` of `input`.
    @inlinable @inline(__always)
    init(_ input: JSONBytes, _ start: Int, _ end: Int, isEscaped: Bool) {
        text = JSONText(input.slice(start, end), isEscaped: isEscaped)
        if isEscaped {
            head = text.bytes.unescapedHead()
        } else {
            head =
                input.hasWord(at: start) ? JSONWord.prefix(end &- start, of: input.word(at: start)) : text.bytes.head()
        }
    }

    /// The key, decoded.
    public var string: String { text.string }

    /// Whether the decoded key is the literal, byte for byte.
    @inlinable @inline(__always)
    public static func == (key: JSONKey, literal: StaticString) -> Bool {
        // Below eight bytes the filling tells where the key ends.
        key.head == JSONBytes(literal).head()
            && (literal.utf8CodeUnitCount < 8 || key.text.isEqual(to: JSONBytes(literal), from: 8))
    }

    /// Whether the decoded key isn't the literal.
    @inlinable @inline(__always)
    public static func != (key: JSONKey, literal: StaticString) -> Bool { !(key == literal) }

    /// Lets a literal be a pattern of a `switch` over a key.
    @inlinable @inline(__always)
    public static func ~= (literal: StaticString, key: JSONKey) -> Bool { key == literal }

    /// The number of bytes before the key in the input that it was read from.
    func offset(in input: JSONBytes) -> Int { text.bytes.base - input.base }
}

extension JSONBytes {
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
    func unescapedHead() -> UInt64 {
        var decoded: [UInt8] = []
        appendUnescaped(to: &decoded)
        return JSONBytes.with(decoded) { $0.head() }
    }
}
