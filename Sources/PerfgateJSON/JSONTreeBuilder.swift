/// Builds a document's tree with a loop, so no nesting is too deep.
struct JSONTreeBuilder {
    private(set) var duplicates: [JSONDocument.Duplicate] = []
    private let bytes: JSONBytes
    private var reader: JSONReader
    /// The position of the last value; positions are requested in text order.
    private var location = JSONLocation.start
    private var open: [Container] = []
    /// The key whose values stay as their text.
    private let raw: String?

    private struct Container {
        let location: JSONLocation
        let isObject: Bool
        var members: [JSONMember] = []
        var elements: [JSONValue] = []
        var key = ""
        /// The index of the key's member; `nil`: it is new.
        var place: Int?
        /// The indices of the members by key, for objects with more than a few.
        private var index: [JSONKeyBytes: Int] = [:]

        init(location: JSONLocation, isObject: Bool) {
            (self.location, self.isObject) = (location, isObject)
            if isObject { members.reserveCapacity(Self.fewMembers) }
        }

        mutating func enter(_ key: String) {
            let bytes = JSONKeyBytes(key)
            place =
                members.count < Self.fewMembers
                ? members.firstIndex { JSONKeyBytes($0.key) == bytes } : index[bytes]
            self.key = key
        }

        /// Adds the value of the entered member, or of the next element.
        mutating func add(_ value: JSONValue) {
            guard isObject else { return elements.append(value) }
            if let place { return members[place].value = value }
            members.append(JSONMember(key: key, value: value))
            if members.count == Self.fewMembers {
                for (place, member) in members.enumerated() { index[JSONKeyBytes(member.key)] = place }
            } else if members.count > Self.fewMembers {
                index[JSONKeyBytes(key)] = members.count - 1
            }
        }

        private static let fewMembers = 8
    }

    /// A builder for a text, after its byte order mark.
    init(_ buffer: UnsafeRawBufferPointer, raw: String? = nil) {
        self.raw = raw
        bytes = JSONBytes(buffer)
        reader = JSONReader(buffer, from: JSONReader.byteOrderMarkLength(of: buffer))
        location.offset = reader.offset
    }

    mutating func build() throws(JSONError) -> JSONValue {
        var finished = try readOrOpen()
        while true {
            if let value = finished {
                guard !open.isEmpty else {
                    try reader.finish()
                    return value
                }
                open[open.count - 1].add(value)
            }
            finished = try hasNextItem() ? try readOrOpen() : close()
        }
    }

    func positioned(_ error: JSONError) -> JSONDocumentError {
        var place = location
        place.advance(to: error.offset, in: bytes)
        return JSONDocumentError(problem: .syntax(error.kind), path: path, location: place)
    }

    /// Reads a value, or opens a container and returns `nil`.
    private mutating func readOrOpen() throws(JSONError) -> JSONValue? {
        let kind = try reader.peekKind()
        location.advance(to: reader.offset, in: bytes)
        if let raw, let last = open.last, last.isObject, last.key == raw {
            let start = reader.offset
            try reader.skipValue()
            let text = UnsafeRawBufferPointer(rebasing: bytes.buffer[start..<reader.offset])
            return JSONValue(content: .string(String(decoding: text, as: UTF8.self)), location: location)
        }
        switch kind {
        case .object, .array:
            if kind == .object { try reader.enterObject() } else { try reader.enterArray() }
            open.append(Container(location: location, isObject: kind == .object))
            return nil
        case .string: return JSONValue(content: .string(try reader.readString()), location: location)
        case .number: return JSONValue(content: .number(try reader.readNumberText()), location: location)
        case .bool: return JSONValue(content: .bool(try reader.readBool()), location: location)
        case .null:
            _ = try reader.readNull()
            return JSONValue(content: .null, location: location)
        }
    }

    /// Steps to the next item of the innermost container, or out of it.
    private mutating func hasNextItem() throws(JSONError) -> Bool {
        guard open[open.count - 1].isObject else { return try reader.nextElement() }
        guard let key = try reader.nextKey() else { return false }
        open[open.count - 1].enter(key.string)
        guard open[open.count - 1].place != nil else { return true }
        location.advance(to: key.offset(in: bytes) - 1, in: bytes)
        duplicates.append(JSONDocument.Duplicate(path: path, location: location))
        return true
    }

    private mutating func close() -> JSONValue {
        let container = open.removeLast()
        let content: JSONValue.Content = container.isObject ? .object(container.members) : .array(container.elements)
        return JSONValue(content: content, location: container.location)
    }

    private var path: JSONPath { JSONPath(open.map { $0.isObject ? .key($0.key) : .index($0.elements.count) }) }
}

/// A value of a JSON document, with its position.
package struct JSONValue: Sendable {
    package let content: Content
    /// The position of its first byte.
    package let location: JSONLocation

    package enum Content: Sendable {
        /// An object's members, in order of first appearance.
        case object([JSONMember])
        case array([JSONValue])
        case string(String)
        case number(String)
        case bool(Bool)
        case null
    }

    @usableFromInline package var kind: JSONKind {
        switch content {
        case .object: .object
        case .array: .array
        case .string: .string
        case .number: .number
        case .bool: .bool
        case .null: .null
        }
    }
}

package struct JSONMember: Sendable {
    package let key: String
    /// The value; for a repeated key the last one.
    package internal(set) var value: JSONValue
}

@usableFromInline package enum JSONKind: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case object, array, string, number, bool, null

    /// The kind of a value that starts with `byte`, or `nil` if none does.
    @usableFromInline init?(firstByte byte: UInt8) {
        switch byte {
        case JSONByte.openBrace: self = .object
        case JSONByte.openBracket: self = .array
        case JSONByte.quote: self = .string
        case JSONByte.minus, JSONByte.zero...JSONByte.nine: self = .number
        case JSONByte.lowerT, JSONByte.lowerF: self = .bool
        case JSONByte.lowerN: self = .null
        default: return nil
        }
    }

    /// The kind with its article, for error messages.
    @usableFromInline package var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .bool: "true or false"
        case .null: "null"
        }
    }
}

/// A JSON text that is made in code, with its members in order.
///
///     let bytes = JSONTree.object([("schema", 1), ("samples", .line([.number(512.9)]))]).bytes()
package enum JSONTree: Sendable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case scalar(JSONScalar)
    case list([JSONTree])
    case object([(String, JSONTree)])
    /// On one line, where other containers are indented.
    indirect case line(JSONTree)

    package static func string(_ text: String) -> JSONTree { .scalar(.string(text)) }
    package static func number(_ number: Double) -> JSONTree { .scalar(.number(number)) }
    package static func integer(_ number: Int) -> JSONTree { .scalar(.integer(Int64(number))) }
    package static func bool(_ flag: Bool) -> JSONTree { .scalar(.bool(flag)) }
    package static func strings(_ texts: [String]) -> JSONTree { .line(.list(texts.map(JSONTree.string))) }

    package init(stringLiteral text: String) { self = .string(text) }
    package init(integerLiteral number: Int) { self = .integer(number) }
    package init(booleanLiteral flag: Bool) { self = .bool(flag) }
    package init(arrayLiteral elements: JSONTree...) { self = .list(elements) }

    /// An object without its absent members.
    package init(dictionaryLiteral members: (String, JSONTree?)...) {
        self = .object(members.compactMap { key, value in value.map { (key, $0) } })
    }

    /// An object with a description; without one an empty object.
    init(about: String?) { self = ["description": about.map(JSONTree.string)] }

    var members: [(String, JSONTree)] { if case .object(let members) = self { members } else { [] } }
    var elements: [JSONTree] { if case .list(let elements) = self { elements } else { [] } }

    /// An object with more members.
    package static func + (tree: JSONTree, members: [(String, JSONTree)]) -> JSONTree {
        .object(tree.members + members)
    }

    package func bytes(_ writer: JSONWriter = JSONWriter(layout: .indented)) -> [UInt8] {
        var output = JSONOutput(writer)
        write(to: &output)
        return output.finished()
    }

    private func write(to output: inout JSONOutput, _ layout: JSONWriter.ContainerLayout = .lines) {
        switch self {
        case .scalar(let scalar): output.scalar(scalar)
        case .list(let elements):
            output.container(isObject: false, layout) { output in
                for element in elements {
                    output.beginItem(key: nil)
                    element.write(to: &output)
                }
            }
        case .object(let members):
            output.container(isObject: true, layout) { output in
                for (key, tree) in members {
                    output.beginItem(key: key)
                    tree.write(to: &output)
                }
            }
        case .line(let tree): tree.write(to: &output, .line)
        }
    }
}
