import PerfgateJSON
import PerfgateModel

/// How much the beginning of an input looks like a perfgate log.
enum LogSignature {
    /// The first line has a type that only a perfgate log has.
    case certain
    /// It could be a log that is damaged or newer.
    case possible
    /// It is something else.
    case none

    /// How many lines are looked at.
    private static let lineLimit = 64

    private static let types: Set<String> = [
        "run", "state", "frames", "frame", "frame_drop", "scroll", "pps", "screen", "metric", "end",
    ]

    init(_ head: ForeignHead) {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let lines = head.lines.lazy.map { $0.drop(while: isBlank) }.filter { !$0.isEmpty }
        guard let first = lines.first, first.first == UInt8(ascii: "{") else {
            self = .none
            return
        }
        if let type = Self.type(of: first), Self.types.contains(type) {
            self = .certain
        } else if head.outline?.isCut == true,
            lines.prefix(Self.lineLimit).contains(where: { Self.type(of: $0).map(Self.types.contains) ?? false })
        {
            self = .possible
        } else {
            let isDamaged = head.outline?.isCut == true && !Self.isObject(first) && !Self.opensDocument(first)
            self = isDamaged ? .possible : .none
        }
    }

    /// The type of a line, also where the line is cut behind it.
    private static func type(of line: ArraySlice<UInt8>) -> String? {
        line.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return try? type(in: &reader)
        }
    }

    private static func type(in reader: inout JSONReader) throws(JSONError) -> String? {
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if key == "type" { return try reader.readString() }
            try reader.skipValue()
        }
        return nil
    }

    /// Whether a line is whole: then it says by its type what it is.
    private static func isObject(_ line: ArraySlice<UInt8>) -> Bool {
        line.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            do throws(JSONError) {
                try reader.skipValue()
                try reader.finish()
                return true
            } catch {
                return false
            }
        }
    }

    /// Whether a line is the beginning of a document that is written over several lines.
    private static func opensDocument(_ line: ArraySlice<UInt8>) -> Bool {
        let last = line.last { $0 != 0x20 && $0 != 0x09 }
        return last == UInt8(ascii: "{") || last == UInt8(ascii: "[") || last == UInt8(ascii: ",")
    }
}

/// Which keys a JSON text has near its top: enough to tell formats apart, also where the text is cut.
struct JSONOutline {
    /// How many containers deep keys are gathered.
    private static let depthLimit = 5
    /// How many keys are gathered at most; the text's first ones.
    private static let keyLimit = 400

    /// Whether the text is an array or an object.
    let isArray: Bool
    /// The ways to the keys, such as `testRuns`, `[].testIdentifier` or `benchmarks[].name`.
    private(set) var keys: Set<String> = []
    /// Whether the text ended in the middle, or breaks JSON's grammar further on.
    private(set) var isCut = false

    /// The outline of an object or array; `nil` for anything else.
    init?(_ text: UnsafeRawBufferPointer) {
        var reader = JSONReader(text)
        guard let kind = try? reader.peekKind(), kind == .object || kind == .array else { return nil }
        isArray = kind == .array
        do throws(JSONError) {
            try gather("", depth: 0, from: &reader)
            try reader.finish()
        } catch {
            isCut = true
        }
    }

    /// Whether there are all of these keys.
    func has(_ paths: String...) -> Bool { keys.isSuperset(of: paths) }

    /// The keys of the object, or of the array's elements, in the order of UTF-8 bytes.
    var outermostKeys: [String] {
        let prefix = isArray ? "[]." : ""
        let outermost = keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        return outermost.filter { !$0.contains(".") && !$0.contains("[") }.sorted { $0.precedesInUTF8($1) }
    }

    /// The keys of every object, by the way to it: the outermost one's is empty, or `[]` for an array's elements.
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
