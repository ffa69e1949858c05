/// A string as it stands in the input, already validated, not yet copied.
///
/// It borrows the reader's bytes: use it before they go away.
@usableFromInline
package struct JSONText {
    /// The bytes between the quotes.
    @usableFromInline let bytes: JSONBytes
    /// Whether the bytes hold escape sequences, so that the text is another than `rawBytes`.
    @usableFromInline package let isEscaped: Bool

    /// The text of validated bytes.
    @inlinable @inline(__always)
    init(_ bytes: JSONBytes, isEscaped: Bool) {
        self.bytes = bytes
        self.isEscaped = isEscaped
    }

    /// The bytes between the quotes; they are the text itself unless `isEscaped`.
    @inlinable @inline(__always)
    package var rawBytes: UnsafeRawBufferPointer { bytes.buffer }

    /// The text, decoded.
    package var string: String {
        guard isEscaped else { return bytes.string }
        var decoded: [UInt8] = []
        bytes.appendUnescaped(to: &decoded)
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Appends the decoded text as UTF-8 to a buffer that the caller keeps for it.
    package func appendDecoded(to buffer: inout [UInt8]) {
        if isEscaped { bytes.appendUnescaped(to: &buffer) } else { bytes.append(to: &buffer) }
    }

    /// Whether the decoded text is the literal, byte for byte.
    @inlinable @inline(__always)
    package static func == (text: JSONText, literal: StaticString) -> Bool {
        text.isEqual(to: JSONBytes(literal), from: 0)
    }

    /// Whether the decoded text isn't the literal.
    @inlinable @inline(__always)
    package static func != (text: JSONText, literal: StaticString) -> Bool { !(text == literal) }

    /// Lets a literal be a pattern of a `switch` over a text.
    @inlinable @inline(__always)
    package static func ~= (literal: StaticString, text: JSONText) -> Bool { text == literal }

    /// Whether the decoded text is the literal, what stands before `start` being known to be equal.
    @inlinable @inline(__always)
    func isEqual(to literal: JSONBytes, from start: Int) -> Bool {
        if isEscaped { return isEqualUnescaped(to: literal) }
        return bytes.count == literal.count && bytes.isEqual(to: literal, from: start)
    }

    /// `isEqual` for a text that has to be decoded first.
    @usableFromInline @inline(never)
    func isEqualUnescaped(to literal: JSONBytes) -> Bool {
        var decoded: [UInt8] = []
        bytes.appendUnescaped(to: &decoded)
        return decoded.elementsEqual(literal.buffer)
    }
}
