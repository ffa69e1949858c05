import PerfgateJSON
import PerfgateModel

/// The available text of an input, from which its format is detected: in UTF-8, without a byte order mark.
struct ForeignHead {
    /// The number of bytes after which a log or a binary is recognised; other formats need the whole input.
    static let size = 1 << 16

    let bytes: [UInt8]
    /// Whether they are the whole input.
    let isWhole: Bool
    /// The keys of a JSON text, or of JSON lines; `nil` if it is neither.
    let outline: JSONOutline?
    /// The name of an XML text's root element, with its prefix; `nil` if it isn't XML.
    let rootElement: String?
    let isBinary: Bool

    /// The outline of a JSON object; `nil` for any other text.
    var object: JSONOutline? { outline.flatMap { $0.isArray ? nil : $0 } }

    init(_ text: [UInt8], isWhole: Bool) {
        let start = text.withUnsafeBytes { JSONReader.byteOrderMarkLength(of: $0) }
        bytes = start == 0 ? text : Array(text[start...])
        self.isWhole = isWhole
        outline = bytes.withUnsafeBytes { JSONOutline($0) }
        rootElement = XMLProlog.rootElement(of: bytes.prefix(Self.size))
        isBinary = bytes.prefix(Self.size).contains(0)
    }

    /// The lines without their ends; the last one may be incomplete.
    var lines: some Sequence<ArraySlice<UInt8>> { bytes.lines }

    static func contains(_ text: String, in bytes: some RandomAccessCollection<UInt8>) -> Bool {
        let text = Array(text.utf8)
        guard let first = text.first else { return true }
        var rest = bytes[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: text) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

/// Finds the root element of an XML text without parsing it.
package enum XMLProlog {
    /// The name of the first element; `nil` if the text doesn't start like XML.
    package static func rootElement(of bytes: ArraySlice<UInt8>) -> String? {
        var rest = bytes
        while true {
            rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard rest.first == UInt8(ascii: "<") else { return nil }
            let skipped = [("<?", "?>"), ("<!--", "-->"), ("<!", ">")].first { rest.starts(with: $0.0.utf8) }
            guard let (_, end) = skipped else {
                let name = rest.dropFirst().prefix(while: isPartOfName)
                return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
            }
            while !rest.isEmpty, !rest.starts(with: end.utf8) { rest.removeFirst() }
            rest = rest.dropFirst(end.utf8.count)
        }
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte >= 0x80 || "_:-.".utf8.contains(byte)
    }
}

/// The keys near the top of a JSON text, anywhere in it: enough to tell formats apart, even in truncated text or lines.
struct JSONOutline {
    private static let depthLimit = 5
    /// The most keys collected, which limits memory; supported files have far fewer.
    private static let keyLimit = 100_000

    /// Whether the (first) text is an array or an object.
    let isArray: Bool
    /// The key paths, such as `testRuns`, `[].testIdentifier` or `benchmarks[].name`.
    private(set) var keys: Set<String> = []
    /// Whether it is one valid JSON text.
    private(set) var isOneValue = true
    /// Whether it is a valid sequence of JSON texts.
    private(set) var isSequence = false

    /// The outline of objects or arrays; `nil` for anything else.
    init?(_ text: UnsafeRawBufferPointer) {
        var reader = JSONReader(text)
        guard let kind = try? reader.peekKind(), kind == .object || kind == .array else { return nil }
        isArray = kind == .array
        do throws(JSONError) {
            try gather("", depth: 0, from: &reader)
            var rest = reader
            while (try? rest.finish()) == nil {
                isOneValue = false
                reader = JSONReader(text, from: reader.offset)
                try gather("", depth: 0, from: &reader)
                rest = reader
            }
            isSequence = !isOneValue
        } catch {
            isOneValue = false
        }
    }

    func has(_ paths: String...) -> Bool { keys.isSuperset(of: paths) }

    /// The keys of the object, or of the array's elements, sorted by UTF-8 bytes.
    var outermostKeys: [String] {
        let prefix = isArray ? "[]." : ""
        let outermost = keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        return outermost.filter { !$0.contains(".") && !$0.contains("[") }.sorted { $0.precedesInUTF8($1) }
    }

    /// The keys of every object, by path: the root's is empty, or `[]` for an array's elements.
    var objects: [String: [String]] {
        let parts = keys.map { key in
            let dot = key.lastIndex(of: ".")
            return (path: dot.map { String(key[..<$0]) } ?? "", key: dot.map { String(key[$0...].dropFirst()) } ?? key)
        }
        return Dictionary(grouping: parts, by: \.path).mapValues { $0.map(\.key) }
    }

    private mutating func gather(_ path: String, depth: Int, from reader: inout JSONReader) throws(JSONError) {
        let kind = try reader.peekKind()
        guard depth < Self.depthLimit, keys.count < Self.keyLimit else { return try reader.skipValue() }
        switch kind {
        case .object:
            try reader.enterObject()
            while let key = try reader.nextKey() {
                let member = path.isEmpty ? key.string : "\(path).\(key.string)"
                keys.insert(member)
                try gather(member, depth: depth + 1, from: &reader)
            }
        case .array:
            try reader.enterArray()
            while try reader.nextElement() { try gather(path + "[]", depth: depth + 1, from: &reader) }
        case .string, .number, .bool, .null: try reader.skipValue()
        }
    }
}

/// Converts UTF-16 to UTF-8, chunk by chunk, so readers needn't handle it.
struct UTF16Decoder {
    private let isBigEndian: Bool
    /// The bytes of an incomplete character.
    private var pending: [UInt8] = []

    /// A decoder for an input that starts with these bytes; `nil` if they aren't UTF-16. Without a byte order mark it
    /// is UTF-16 if every other one of the first bytes is 0: files start with ASCII.
    init?(startingWith bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 2 else { return nil }
        let start = bytes.prefix(4)
        // UTF-32 starts with the same two bytes, followed by two zeros.
        guard !start.elementsEqual([0xFF, 0xFE, 0, 0]) else { return nil }
        switch (start[0], start[1]) {
        case (0xFF, 0xFE): isBigEndian = false
        case (0xFE, 0xFF): isBigEndian = true
        case (1..., 0) where (start.count < 3 || start[2] != 0) && (start.count < 4 || start[3] == 0):
            isBigEndian = false
        case (0, 1...) where (start.count < 3 || start[2] == 0) && (start.count < 4 || start[3] != 0):
            isBigEndian = true
        default: return nil
        }
    }

    /// Decodes a chunk; a byte order mark becomes UTF-8's.
    mutating func decode(_ chunk: UnsafeRawBufferPointer) throws(IngestError) -> [UInt8] {
        pending += chunk
        var units = stride(from: 0, to: pending.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(pending[index]), UInt16(pending[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        pending.removeFirst(2 * units.count)
        var text: [UInt8] = []
        text.reserveCapacity(units.count)
        let isDamaged = transcode(
            units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
        ) { text.append($0) }
        if isDamaged { throw .damagedUTF16 }
        return text
    }

    func finish() throws(IngestError) { if !pending.isEmpty { throw .damagedUTF16 } }
}
