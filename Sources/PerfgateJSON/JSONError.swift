/// Why bytes aren't JSON, or aren't the JSON that was asked for, and where.
public struct JSONError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Kind: Hashable, Sendable {
        /// The input ends within a value.
        case unexpectedEnd
        /// Something other than a value stands where a value has to.
        case expectedValue
        /// Something other than a string stands where an object's key has to.
        case expectedKey
        /// No colon follows an object's key.
        case expectedColon
        /// Neither a comma nor the closing brace follows an object's member.
        case expectedCommaOrBrace
        /// Neither a comma nor the closing bracket follows an array's element.
        case expectedCommaOrBracket
        /// Something other than white space follows the whole value.
        case trailingContent
        /// The value is of another kind than the one asked for; the reader stays before it.
        case mismatch(expected: JSONKind, found: JSONKind)
        /// A number breaks the grammar: a leading zero or plus, or no digit where one has to be.
        case invalidNumber
        /// A number doesn't fit the type asked for.
        case numberOutOfRange
        /// A number with a fraction stands where an integer has to.
        case notAnInteger
        /// A control character stands unescaped in a string.
        case controlCharacter
        /// An escape sequence is none of JSON's.
        case invalidEscape
        /// An escaped surrogate lacks its other half.
        case loneSurrogate
        /// The bytes of a string aren't UTF-8.
        case invalidUTF8
        /// Containers are nested deeper than `JSONReader.depthLimit`.
        case tooDeep
    }

    /// What is wrong.
    public let kind: Kind
    /// Where: the number of bytes before the one that is wrong, from the start of the reader's bytes.
    public let offset: Int

    /// An error at a byte.
    @inlinable
    public init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension JSONBytes {
    /// An error at `position`, or that of an input that ends there.
    @usableFromInline @inline(never)
    func unexpected(_ kind: JSONError.Kind, at position: Int) -> JSONError {
        JSONError(position < count ? kind : .unexpectedEnd, at: position)
    }

    /// The error for a value at `position` that isn't of the kind asked for.
    @usableFromInline @inline(never)
    func mismatch(_ expected: JSONKind, at position: Int) -> JSONError {
        guard let found = JSONKind(firstByte: byteOrZero(at: position)) else {
            return unexpected(.expectedValue, at: position)
        }
        return JSONError(.mismatch(expected: expected, found: found), at: position)
    }
}
