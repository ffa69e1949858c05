/// Why and where bytes aren't JSON, or aren't the requested JSON.
@usableFromInline package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    @usableFromInline package enum Kind: Hashable, Sendable, CustomStringConvertible {
        case unexpectedEnd, expectedValue, expectedKey, expectedColon, expectedCommaOrBrace, expectedCommaOrBracket
        case trailingContent
        /// The value has another kind than requested; the reader stays before it.
        case mismatch(expected: JSONKind, found: JSONKind)
        case invalidNumber, numberOutOfRange, notAnInteger
        case controlCharacter, invalidEscape, loneSurrogate, invalidUTF8
        case tooDeep, nameTooLong

        /// The problem in one line that ends with advice.
        @usableFromInline package var description: String {
            switch self {
            case .unexpectedEnd: "the JSON is cut off in the middle of a value; write it again"
            case .expectedValue: "expected a value; put one here or remove the comma before"
            case .expectedKey: "expected a key; put it in double quotes, and no comma after the last member"
            case .expectedColon: "expected ':' after the key; put one"
            case .expectedCommaOrBrace: "expected ',' or '}' after the member; put one"
            case .expectedCommaOrBracket: "expected ',' or ']' after the element; put one"
            case .trailingContent: "expected nothing after the value; remove what follows"
            case .mismatch(let expected, let found): "expected \(expected), found \(found); change it to \(expected)"
            case .invalidNumber: "not a JSON number; write it like 0.5, -12 or 1e3"
            case .numberOutOfRange: "the number is out of range here; write a smaller one"
            case .notAnInteger: "expected a whole number; write it without a fraction"
            case .controlCharacter: "a control character in a string; escape it, as \\n or \\u0000"
            case .invalidEscape: "not a JSON escape sequence; write a backslash as \\\\"
            case .loneSurrogate: "half of a surrogate pair; write both \\u escapes or the character itself"
            case .invalidUTF8: "not UTF-8; save the text as UTF-8"
            case .tooDeep: "nested deeper than \(JSONReader.depthLimit) levels; flatten it"
            case .nameTooLong: "a name of more than \(JSONReader.nameLimit) bytes; give a shorter one"
            }
        }
    }

    @usableFromInline package let kind: Kind
    /// The number of bytes before the wrong one, from the start of the reader's bytes.
    @usableFromInline package let offset: Int

    @inlinable package init(_ kind: Kind, at offset: Int) { (self.kind, self.offset) = (kind, offset) }

    @usableFromInline package var description: String { "byte \(offset): \(kind)" }
}

/// A position in a text, as editors show it.
@usableFromInline package struct JSONLocation: Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1.
    package internal(set) var line: Int
    /// The column, from 1, in Unicode scalars.
    package internal(set) var column: Int
    /// The number of bytes before the position.
    package internal(set) var offset: Int

    package static let start = JSONLocation(line: 1, column: 1, offset: 0)

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

    /// `line:column`, as compilers print it after a path.
    @usableFromInline package var description: String { "\(line):\(column)" }
}

/// Why and where a document can't be read, or isn't what the caller expects.
@usableFromInline package struct JSONDocumentError: Error, Hashable, Sendable, CustomStringConvertible {
    package let problem: Problem
    /// The value that is wrong or incomplete.
    package let path: JSONPath
    package let location: JSONLocation

    package enum Problem: Hashable, Sendable, CustomStringConvertible {
        /// The text breaks JSON's grammar, or a value has the wrong kind or size.
        case syntax(JSONError.Kind)
        case missingKey(String)
        case missingElement(Int)
        /// A rule of the caller, in words that end with advice.
        case rule(String)

        package var description: String {
            switch self {
            case .syntax(let kind): kind.description
            case .missingKey(let key): "has no key \(JSONWriter.quoted(key)); add it"
            case .missingElement(let index): "has no element \(index); add it"
            case .rule(let text): text
            }
        }
    }

    /// The error as `line:column: path: problem; advice`, to be printed after the file's path.
    @usableFromInline package var description: String { "\(location): \(path): \(problem)" }
}
