/// Why bytes aren't JSON, or aren't the JSON that was asked for, and where.
@usableFromInline
package struct JSONError: Error, Hashable, Sendable {
    /// What is wrong.
    @usableFromInline
    package enum Kind: Hashable, Sendable {
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
        /// A name has more bytes than `JSONReader.nameLimit`.
        case nameTooLong
    }

    /// What is wrong.
    @usableFromInline package let kind: Kind
    /// Where: the number of bytes before the one that is wrong, from the start of the reader's bytes.
    @usableFromInline package let offset: Int

    /// An error at a byte.
    @inlinable
    package init(_ kind: Kind, at offset: Int) {
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

extension JSONError: CustomStringConvertible {
    /// The error as one line that ends in what to do.
    @usableFromInline package var description: String { "byte \(offset): \(kind)" }
}

extension JSONError.Kind: CustomStringConvertible {
    /// What is wrong and what to do, without the place.
    @usableFromInline package var description: String {
        switch self {
        case .unexpectedEnd: "the JSON ends in the middle of a value; write it again, it was cut"
        case .expectedValue: "expected a value; put one here or remove the comma before"
        case .expectedKey: "expected a key; put it in double quotes, and no comma after the last member"
        case .expectedColon: "expected ':' after the key; put one"
        case .expectedCommaOrBrace: "expected ',' or '}' after the member; put one"
        case .expectedCommaOrBracket: "expected ',' or ']' after the element; put one"
        case .trailingContent: "expected nothing after the value; remove what follows"
        case .mismatch(let expected, let found): "expected \(expected), found \(found); change it to \(expected)"
        case .invalidNumber: "not a number of JSON; write it like 0.5, -12 or 1e3"
        case .numberOutOfRange: "the number is out of range here; write a smaller one"
        case .notAnInteger: "expected a whole number; write it without a fraction"
        case .controlCharacter: "a control character in a string; escape it, as \\n or \\u0000"
        case .invalidEscape: "not an escape sequence of JSON; write a backslash as \\\\"
        case .loneSurrogate: "half of a surrogate pair; write both \\u escapes or the character itself"
        case .invalidUTF8: "not UTF-8; save the text as UTF-8"
        case .tooDeep: "nested deeper than \(JSONReader.depthLimit) levels; flatten it"
        case .nameTooLong: "a name of more than \(JSONReader.nameLimit) bytes; give a shorter one"
        }
    }
}

/// A place in a text, as an editor shows it.
@usableFromInline
package struct JSONLocation: Hashable, Sendable {
    /// The line, from 1.
    package internal(set) var line: Int
    /// The column, from 1, in Unicode scalars.
    package internal(set) var column: Int
    /// The number of bytes before the place.
    package internal(set) var offset: Int

    /// The start of a text.
    package static let start = JSONLocation(line: 1, column: 1, offset: 0)

    /// Moves on to a later offset of the text.
    mutating func advance(to end: Int, in bytes: JSONBytes) {
        while offset < end {
            if bytes[offset] == JSONByte.lineFeed {
                line += 1
                column = 1
            } else if bytes[offset] & 0xC0 != 0x80 {
                column += 1
            }
            offset += 1
        }
    }
}

extension JSONLocation: CustomStringConvertible {
    /// `line:column`, as compilers print it behind a path.
    @usableFromInline package var description: String { "\(line):\(column)" }
}

/// Why a document can't be read, or isn't what the caller expects, and where.
package struct JSONDocumentError: Error, Hashable, Sendable {
    /// What is wrong.
    package let problem: Problem
    /// The value that is wrong, or lacks something.
    package let path: JSONPath
    /// Where it stands.
    package let location: JSONLocation

    /// What can be wrong.
    package enum Problem: Hashable, Sendable {
        /// The text breaks JSON's grammar, or a value is of another kind or size than the one asked for.
        case syntax(JSONError.Kind)
        /// An object lacks a key.
        case missingKey(String)
        /// An array is too short for an index.
        case missingElement(Int)
        /// A rule of the caller's, in words that end in what to do.
        case rule(String)
    }
}

extension JSONDocumentError: CustomStringConvertible {
    /// The error as `line:column: path: what is wrong; what to do`, to be put behind the file's path.
    package var description: String { "\(location): \(path): \(problem)" }
}

extension JSONDocumentError.Problem: CustomStringConvertible {
    /// What is wrong and what to do, without the place.
    package var description: String {
        switch self {
        case .syntax(let kind): kind.description
        case .missingKey(let key): "has no key \(JSONWriter.quoted(key)); add it"
        case .missingElement(let index): "has no element \(index); add it"
        case .rule(let text): text
        }
    }
}
