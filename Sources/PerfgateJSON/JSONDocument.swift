/// A JSON text read as a whole, for files that are small or edited by hand.
package struct JSONDocument: Sendable {
    package let root: JSONNode
    /// The repeated keys in their objects, in text order; the last value is kept.
    package let duplicates: [Duplicate]

    package struct Duplicate: Hashable, Sendable {
        package let path: JSONPath
        package let location: JSONLocation
    }

    /// Throws at the first repeated key, with a rule's words.
    package func refuseDuplicates(_ rule: String) throws(JSONDocumentError) {
        guard let first = duplicates.first else { return }
        throw JSONDocumentError(problem: .rule(rule), path: first.path, location: first.location)
    }

    /// Reads a UTF-8 text, optionally with a byte order mark.
    /// - Parameter raw: The key of large values that are only sought in: each stays its JSON text, as a string.
    package init(_ bytes: [UInt8], raw: String? = nil) throws(JSONDocumentError) {
        self = try JSONBytes.with(bytes) { input throws(JSONDocumentError) in
            try JSONDocument(input.buffer, raw: raw)
        }
    }

    package init(_ buffer: UnsafeRawBufferPointer, raw: String? = nil) throws(JSONDocumentError) {
        var builder = JSONTreeBuilder(buffer, raw: raw)
        do throws(JSONError) {
            root = JSONNode(value: try builder.build(), path: .root)
        } catch {
            throw builder.positioned(error)
        }
        duplicates = builder.duplicates
    }
}

/// A value with its path, so every error can give both path and position.
///
///     let unit = try document.root["metrics"]["ttil"]["unit"].string()
@usableFromInline package struct JSONNode: Sendable {
    package let value: JSONValue
    package let path: JSONPath

    /// The member with a key, which must exist.
    @usableFromInline package subscript(key: String) -> JSONNode {
        get throws(JSONDocumentError) {
            guard let node = try find(key) else { throw error(.missingKey(key)) }
            return node
        }
    }

    /// The element at an index, which must exist.
    package subscript(index: Int) -> JSONNode {
        get throws(JSONDocumentError) {
            let elements = try elements()
            guard elements.indices.contains(index) else { throw error(.missingElement(index)) }
            return elements[index]
        }
    }

    /// The member with a key, or `nil` if there is none; a `null` member exists.
    package func find(_ key: String) throws(JSONDocumentError) -> JSONNode? {
        guard case .object(let members) = value.content else { throw mismatch(.object) }
        guard let member = members.first(where: { JSONKeyBytes($0.key) == JSONKeyBytes(key) }) else { return nil }
        return JSONNode(value: member.value, path: path.appending(.key(key)))
    }

    /// The member with a key, or `nil` if there is none or it is `null`.
    @usableFromInline package func optional(_ key: String) throws(JSONDocumentError) -> JSONNode? {
        try find(key).flatMap { $0.isNull ? nil : $0 }
    }

    /// The keys and values of an object, in the order of the text.
    package func members() throws(JSONDocumentError) -> [(key: String, node: JSONNode)] {
        guard case .object(let members) = value.content else { throw mismatch(.object) }
        return members.map { ($0.key, JSONNode(value: $0.value, path: path.appending(.key($0.key)))) }
    }

    package func elements() throws(JSONDocumentError) -> [JSONNode] {
        guard case .array(let elements) = value.content else { throw mismatch(.array) }
        return elements.enumerated().map { JSONNode(value: $1, path: path.appending(.index($0))) }
    }

    package func doubles() throws(JSONDocumentError) -> [Double] {
        guard case .array(let elements) = value.content else { throw mismatch(.array) }
        var numbers: [Double] = []
        numbers.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            // Only an error needs the element's path.
            if case .number(let text) = element.content, let number = try? Self.number(text, Self.readDouble).get() {
                numbers.append(number)
            } else {
                numbers.append(try JSONNode(value: element, path: path.appending(.index(index))).double())
            }
        }
        return numbers
    }

    /// An error about this value, such as a `.rule` of the caller's.
    package func error(_ problem: JSONDocumentError.Problem) -> JSONDocumentError {
        JSONDocumentError(problem: problem, path: path, location: value.location)
    }

    func mismatch(_ expected: JSONKind) -> JSONDocumentError {
        error(.syntax(.mismatch(expected: expected, found: value.kind)))
    }

    package var isNull: Bool { value.kind == .null }

    package func string() throws(JSONDocumentError) -> String {
        guard case .string(let string) = value.content else { throw mismatch(.string) }
        return string
    }

    package func bool() throws(JSONDocumentError) -> Bool {
        guard case .bool(let bool) = value.content else { throw mismatch(.bool) }
        return bool
    }

    package func double() throws(JSONDocumentError) -> Double { try number(Self.readDouble) }

    private static func readDouble(_ reader: inout JSONReader) throws(JSONError) -> Double { try reader.readDouble() }

    /// The value as an integer that fits the machine's word.
    package func int() throws(JSONDocumentError) -> Int {
        try number { reader throws(JSONError) in try reader.readInt() }
    }

    package func int64() throws(JSONDocumentError) -> Int64 {
        try number { reader throws(JSONError) in try reader.readInt64() }
    }

    /// Converts the text of a number like the streaming reader.
    private func number<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONDocumentError) -> Value {
        guard case .number(let text) = value.content else { throw mismatch(.number) }
        switch Self.number(text, read) {
        case .success(let value): return value
        case .failure(let error): throw self.error(.syntax(error.kind))
        }
    }

    private static func number<Value>(
        _ text: String, _ read: (inout JSONReader) throws(JSONError) -> Value
    ) -> Result<Value, JSONError> {
        var text = text
        return text.withUTF8 { bytes in
            var reader = JSONReader(UnsafeRawBufferPointer(bytes))
            do throws(JSONError) { return .success(try read(&reader)) } catch { return .failure(error) }
        }
    }
}

/// The path from a document's root to a value.
package indirect enum JSONPath: Hashable, Sendable, CustomStringConvertible {
    case root
    /// A step after a path, which all paths through it share.
    case step(Step, after: JSONPath)

    package enum Step: Hashable, Sendable {
        case key(String)
        /// Into an array's element, from 0.
        case index(Int)
    }

    package init(_ steps: [Step]) { self = steps.reduce(.root) { .step($1, after: $0) } }

    /// The steps, outermost first; none for the root.
    package var steps: [Step] { if case .step(let step, let path) = self { path.steps + [step] } else { [] } }

    package func appending(_ step: Step) -> JSONPath { .step(step, after: self) }

    /// The path as `metrics.ttil.samples["r-8f2"][0]`; the root is `the document`.
    package var description: String {
        guard !steps.isEmpty else { return "the document" }
        return steps.reduce(into: "") { text, step in
            switch step {
            case .key(let key) where Self.isPlain(key): text += text.isEmpty ? key : ".\(key)"
            case .key(let key): text += "[\(JSONWriter.quoted(key))]"
            case .index(let index): text += "[\(index)]"
            }
        }
    }

    private static func isPlain(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.allSatisfy { $0 == UInt8(ascii: "_") || JSONByte.isDigit($0) || JSONByte.isLetter($0) }
    }
}

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
