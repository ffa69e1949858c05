import PerfgateJSON
import PerfgateModel

/// A message in trace_processor's metrics output: in protobuf's text format, or as JSON.
struct PerfettoMessage: Sendable {
    enum Value: Sendable {
        case message(PerfettoMessage)
        /// A string, a number, a Boolean or an enum case, as written in the text.
        case scalar(String)
    }

    let line: Int
    /// The values by field name, in the order of the text; a repeated field has several.
    fileprivate(set) var fields: [String: [Value]] = [:]

    /// The messages of a field; empty if it is absent.
    func messages(_ name: String) throws(UnusedRecord) -> [PerfettoMessage] {
        var messages: [PerfettoMessage] = []
        for value in fields[name] ?? [] {
            guard case .message(let message) = value else { throw error("\(name) isn't a message") }
            messages.append(message)
        }
        return messages
    }

    func message(_ name: String) throws(UnusedRecord) -> PerfettoMessage? { try messages(name).first }

    func text(_ name: String) throws(UnusedRecord) -> String? {
        guard let value = fields[name]?.first else { return nil }
        guard case .scalar(let text) = value else { throw error("\(name) isn't text") }
        return text
    }

    /// The number of a field, 0 or greater; `nil` if it is absent.
    func number(_ name: String) throws(UnusedRecord) -> Double? {
        guard let text = try text(name) else { return nil }
        guard let number = Double(text), number.isFinite, number >= 0, !text.contains("x") else {
            throw error("\(name) isn't a number of at least 0")
        }
        return number
    }

    private func error(_ problem: String) -> UnusedRecord { .failed(problem, line: line) }
}

extension PerfettoMessage {
    /// Reads a JSON object; `null` means absent.
    init(_ node: JSONNode) throws(JSONDocumentError) {
        line = node.line
        for (name, member) in try node.members() where !member.isNull {
            var values = [member]
            if case .array = member.value.content { values = try member.elements() }
            for value in values { fields[name, default: []].append(try Self.value(value)) }
        }
    }

    private static func value(_ node: JSONNode) throws(JSONDocumentError) -> Value {
        switch node.value.content {
        case .object: .message(try PerfettoMessage(node))
        case .string: .scalar(try node.string())
        case .bool: .scalar(try node.bool() ? "true" : "false")
        default: .scalar("\(try node.double())")
        }
    }

    /// Reads protobuf's text format.
    init(text: [UInt8]) throws(IngestError) {
        var parser = ProtoTextParser(text)
        self = try parser.message(depth: 0)
    }
}

/// Reads protobuf's text format as trace_processor writes it: a field has a message in braces, or a colon and a value.
private struct ProtoTextParser {
    /// The maximum depth of nested messages; trace_processor's messages have eight levels.
    private static let depthLimit = 64

    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var count = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The fields up to the closing brace; for the outermost message, up to the end.
    mutating func message(depth: Int) throws(IngestError) -> PerfettoMessage {
        var message = PerfettoMessage(line: line)
        guard depth <= Self.depthLimit else { throw error("messages nest deeper than \(Self.depthLimit)") }
        while let byte = next() {
            if byte == UInt8(ascii: "}") {
                guard depth > 0 else { throw error("a brace closes no message") }
                offset += 1
                return message
            }
            let name = try word("the name of a field")
            if next() == UInt8(ascii: ":") { offset += 1 }
            message.fields[name, default: []].append(try value(depth: depth))
            count += 1
            guard count <= JSONValueCount.limit else { throw JSONValueCount.refusal }
        }
        guard depth == 0 else { throw error("a message has no end") }
        return message
    }

    private mutating func value(depth: Int) throws(IngestError) -> PerfettoMessage.Value {
        guard let byte = next() else { throw error("a field has no value") }
        if byte == UInt8(ascii: "{") {
            offset += 1
            return .message(try message(depth: depth + 1))
        }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return .scalar(try string(until: byte)) }
        return .scalar(try word("a value"))
    }

    /// The next byte after white space, field separators and comments.
    private mutating func next() -> UInt8? {
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "#") {
                while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") { offset += 1 }
                continue
            }
            guard Self.separators.contains(byte) else { return byte }
            if byte == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
        return nil
    }

    private mutating func word(_ what: String) throws(IngestError) -> String {
        let start = offset
        while offset < bytes.count, Self.isPartOfWord(bytes[offset]) { offset += 1 }
        guard offset > start else { throw error("\(what) is missing") }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func string(until quote: UInt8) throws(IngestError) -> String {
        offset += 1
        var text: [UInt8] = []
        while offset < bytes.count, bytes[offset] != quote, bytes[offset] != UInt8(ascii: "\n") {
            text.append(bytes[offset] == UInt8(ascii: "\\") ? try escaped() : bytes[offset])
            offset += 1
        }
        guard offset < bytes.count, bytes[offset] == quote else { throw error("a string has no end") }
        offset += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// The byte of an escape sequence; the offset moves to the last byte of the sequence.
    private mutating func escaped() throws(IngestError) -> UInt8 {
        offset += 1
        guard offset < bytes.count else { throw error("a string has no end") }
        let byte = bytes[offset]
        if let known = Self.escapes[byte] { return known }
        var code = 0
        var digits = 0
        while digits < 3, offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(bytes[offset]) {
            code = code * 8 + Int(bytes[offset] - UInt8(ascii: "0"))
            offset += 1
            digits += 1
        }
        guard digits > 0 else { throw error("a string has an escape that isn't known") }
        offset -= 1
        return UInt8(truncatingIfNeeded: code)
    }

    private func error(_ problem: String) -> IngestError { .malformed(line: line, problem: problem) }

    private static let separators = Set(" \t\r\n,;".utf8)
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "t"): 0x09, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "\\"): 0x5C,
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "'"): 0x27,
    ]

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "_.+-[]/".utf8.contains(byte)
    }
}
