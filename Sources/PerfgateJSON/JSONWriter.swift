/// How a JSON text is written; its bytes only depend on the values.
@usableFromInline package struct JSONWriter: Hashable, Sendable {
    package var layout: Layout
    package var keys: KeyOrder
    package var endsWithNewline: Bool

    /// Where line breaks stand.
    package enum Layout: Hashable, Sendable {
        /// None, and no white space.
        case compact
        /// Before every item, indented by two spaces per level, except in single-line containers.
        case indented
    }

    /// The order of an object's members.
    package enum KeyOrder: Hashable, Sendable {
        case given
        /// By the UTF-8 bytes of the keys, which is the order of Unicode scalars.
        case sorted
    }

    @usableFromInline package enum ContainerLayout: Hashable, Sendable {
        case lines
        /// On one line, including nested containers.
        case line
    }

    /// A writer with this layout; the default is an NDJSON line.
    package init(layout: Layout = .compact, keys: KeyOrder = .given, endsWithNewline: Bool = true) {
        (self.layout, self.keys, self.endsWithNewline) = (layout, keys, endsWithNewline)
    }

    /// A quoted and escaped string, as error messages show keys.
    static func quoted(_ text: String) -> String {
        var output = JSONOutput(JSONWriter())
        output.string(text)
        return String(decoding: output.bytes, as: UTF8.self)
    }
}

@usableFromInline package enum JSONScalar: Hashable, Sendable {
    case string(String)
    /// A number, with the fewest digits that parse to the same value; `null` if it isn't finite, which JSON lacks.
    case number(Double)
    case integer(Int64)
    /// A number as it was read, with unchanged digits.
    case digits(String)
    case bool(Bool)
    case null
}

/// The text of a writer so far, and its open containers.
@usableFromInline struct JSONOutput {
    var bytes: [UInt8] = []
    private let writer: JSONWriter
    /// The open containers, the innermost last.
    private var frames: [Frame] = []

    private struct Frame {
        var shape: Shape
        let start: Int
        /// The members written, if they must be sorted at the end.
        var members: [Member] = []
    }

    private struct Shape {
        let isObject: Bool, isOnOneLine: Bool
        var count = 0
    }

    /// The range of a member, from its key to the end of its value.
    private struct Member {
        let key: JSONKeyBytes
        let start: Int
        var end: Int
    }

    init(_ writer: JSONWriter) { self.writer = writer }

    mutating func finished() -> [UInt8] {
        if writer.endsWithNewline { bytes.append(JSONByte.lineFeed) }
        return bytes
    }

    /// Writes an object or an array, whose items a closure writes.
    mutating func container(isObject: Bool, _ layout: JSONWriter.ContainerLayout, _ items: (inout JSONOutput) -> Void) {
        let isOnOneLine = layout == .line || frames.last?.shape.isOnOneLine == true
        bytes.append(isObject ? JSONByte.openBrace : JSONByte.openBracket)
        frames.append(Frame(shape: Shape(isObject: isObject, isOnOneLine: isOnOneLine), start: bytes.count))
        items(&self)
        if writer.keys == .sorted {
            endItem()
            sortMembers()
        }
        let shape = frames.removeLast().shape
        if shape.count > 0 { breakLine(shape, isInside: false) }
        bytes.append(isObject ? JSONByte.closeBrace : JSONByte.closeBracket)
    }

    /// Writes the text before an item: comma, line break, and in an object its key.
    @usableFromInline mutating func beginItem(key: String?) {
        if writer.keys == .sorted { endItem() }
        separate()
        guard let key else { return }
        if writer.keys == .sorted {
            frames[frames.count - 1].members.append(
                Member(key: JSONKeyBytes(key), start: bytes.count, end: bytes.count))
        }
        string(key)
        bytes.append(JSONByte.colon)
        if writer.layout == .indented { bytes.append(JSONByte.space) }
    }

    /// Records where the last member ends.
    private mutating func endItem() {
        let members = frames[frames.count - 1].members.count
        if members > 0 { frames[frames.count - 1].members[members - 1].end = bytes.count }
    }

    /// Writes the separator between two items, or before the first.
    private mutating func separate() {
        let shape = frames[frames.count - 1].shape
        if shape.count > 0 { bytes.append(JSONByte.comma) }
        breakLine(shape, isInside: true)
        frames[frames.count - 1].shape.count += 1
    }

    private mutating func breakLine(_ shape: Shape, isInside: Bool) {
        guard writer.layout == .indented else { return }
        if shape.isOnOneLine {
            // Braces are separated from their content, brackets aren't.
            if shape.isObject || (isInside && shape.count > 0) { bytes.append(JSONByte.space) }
        } else {
            bytes.append(JSONByte.lineFeed)
            bytes.append(contentsOf: repeatElement(JSONByte.space, count: 2 * frames.count))
        }
    }

    private mutating func sortMembers() {
        let frame = frames[frames.count - 1]
        let sorted = frame.members.sorted { ($0.key, $0.start) < ($1.key, $1.start) }
        guard !zip(sorted, frame.members).allSatisfy({ $0.start == $1.start }) else { return }
        let unsorted = Array(bytes[frame.start...])
        bytes.removeSubrange(frame.start...)
        frames[frames.count - 1].shape.count = 0
        for member in sorted {
            separate()
            bytes.append(contentsOf: unsorted[member.start - frame.start..<member.end - frame.start])
        }
    }

    @usableFromInline mutating func scalar(_ scalar: JSONScalar) {
        switch scalar {
        case .string(let text): string(text)
        case .number(let number): self.number(number)
        case .integer(let integer): bytes.append(decimal: Int(integer))
        case .digits(let digits): bytes.append(digits)
        case .bool(let bool): bytes.append(bool ? "true" : "false")
        case .null: bytes.append("null")
        }
    }

    /// Writes a string, escaping only what JSON demands: quotes, backslashes and control characters.
    mutating func string(_ text: String) {
        bytes.append(JSONByte.quote)
        bytes.append(text, replacing: Self.isEscaped, by: Self.escape)
        bytes.append(JSONByte.quote)
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < JSONByte.space || byte == JSONByte.quote || byte == JSONByte.backslash
    }

    private static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case JSONByte.quote, JSONByte.backslash: bytes += [JSONByte.backslash, byte]
        case 0x08: bytes.append("\\b")
        case 0x0C: bytes.append("\\f")
        case JSONByte.lineFeed: bytes.append("\\n")
        case JSONByte.carriageReturn: bytes.append("\\r")
        case JSONByte.tab: bytes.append("\\t")
        default: bytes.append("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))")
        }
    }

    /// Writes the shortest text that parses to the same double, `5` instead of `5.0`; `null` if there is none.
    private mutating func number(_ number: Double) {
        // Below 2^53 every whole number is an integer, and the description has no exponent.
        if abs(number) < 9e15, number.rounded() == number, number != 0 || number.sign == .plus {
            return bytes.append(decimal: Int(number))
        }
        guard number.isFinite else { return bytes.append("null") }
        let text = number.description
        bytes.append(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }
}

extension [UInt8] {
    @inlinable package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    /// Appends a text in UTF-8, with another closure's bytes in place of some of its bytes.
    @inlinable package mutating func append(
        _ text: String, replacing isReplaced: (UInt8) -> Bool, by replace: (UInt8, inout [UInt8]) -> Void
    ) {
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            for index in bytes.indices where isReplaced(bytes[index]) {
                append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                replace(bytes[index], &self)
                start = index + 1
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
    }

    package mutating func append(decimal number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(digit)
                rest = quotient
            } while rest > 0
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
}
