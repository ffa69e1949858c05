import PerfgateJSON
import PerfgateModel

/// What an input is, decided by its first bytes.
enum InputFormat {
    /// A perfgate log.
    case log
    /// A file of another tool.
    case foreign(any ForeignReader.Type)

    /// The name of perfgate's own format.
    static let logName = "perfgate"
    /// The names of all formats, perfgate's own first.
    static let names = [logName] + ForeignFormats.all.map { $0.name }

    /// The format with a name.
    init(named name: String) throws(IngestError) {
        if name == Self.logName {
            self = .log
        } else if let reader = ForeignFormats.reader(named: name) {
            self = .foreign(reader)
        } else {
            throw .noSuchFormat(name, known: Self.names)
        }
    }

    /// The format of an input that begins with these bytes.
    init(of head: ForeignHead) throws(IngestError) {
        let signature = LogSignature(head)
        if signature == .certain {
            self = .log
        } else if let reader = ForeignFormats.all.first(where: { $0.recognises(head) }) {
            self = .foreign(reader)
        } else if signature == .possible {
            self = .log
        } else {
            throw .unknownFormat(looksLike: ContentKind.name(of: head), known: Self.names)
        }
    }
}

/// Says what an input looks like, for a person who gave the wrong one.
enum ContentKind {
    /// A noun with its article.
    static func name(of head: ForeignHead) -> String {
        if let outline = head.outline { return json(outline) }
        if let root = head.rootElement { return "XML whose outermost element is <\(root)>" }
        if let known = magic.first(where: { head.bytes.starts(with: $0.bytes) }) { return known.name }
        if head.bytes.contains(0) { return "binary data" }
        return "text that begins with \"\(beginning(of: head))\""
    }

    private static func json(_ outline: JSONOutline) -> String {
        let keys = outline.outermostKeys
        let kind = outline.isArray ? "a JSON array" : "a JSON object"
        let shown = keys.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
        return keys.isEmpty ? kind : "\(kind) with the keys \(shown)\(keys.count > 5 ? " and others" : "")"
    }

    private static func beginning(of head: ForeignHead) -> String {
        let line = head.lines.first { !$0.isEmpty } ?? []
        return String(decoding: line.prefix(40).filter { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
    }

    private static let magic: [(name: String, bytes: [UInt8])] = [
        ("a ZIP archive", [0x50, 0x4B, 0x03, 0x04]), ("a binary property list", Array("bplist".utf8)),
        ("Zstandard data", [0x28, 0xB5, 0x2F, 0xFD]), ("a PNG image", [0x89, 0x50, 0x4E, 0x47]),
        ("an SQLite database", Array("SQLite format 3".utf8)), ("UTF-32 text", [0xFF, 0xFE, 0, 0]),
    ]
}

/// The formats of other tools that perfgate reads.
enum ForeignFormats {
    /// The readers; the first that recognises a file reads it.
    static let all: [any ForeignReader.Type] = [
        XcresultMetricsReader.self,
        XctraceReader.self,
        MetricKitReader.self,
        GfxinfoReader.self,
        AndroidxBenchmarkReader.self,
        FlutterTimelineReader.self,
    ]

    /// The reader of a format by its name, `nil` for an unknown one.
    static func reader(named name: String) -> (any ForeignReader.Type)? {
        all.first { $0.name == name }
    }
}

/// Reads the files of one format of another tool.
///
/// A reader is a type of its own, one line in `ForeignFormats.all`, and one table of tests. It says what the file says:
/// identifiers, units and positions of the tool. Pages, environments and runs that come twice are `ForeignAssembly`'s:
/// a run is the same where its identifier is, so that is made of `ForeignFile.identity`, never of the path.
protocol ForeignReader: SendableMetatype {
    /// What reading one file gives; a `ForeignResult`, unless files have to be seen together to be understood.
    associatedtype Part = ForeignResult

    /// The name that `--format` and the rules of `map:` use, such as `xcresult-metrics`.
    static var name: String { get }
    /// What the format is, for a person, such as `metrics of xcresulttool`.
    static var title: String { get }

    /// Whether the beginning of a file looks like this format; its name says nothing.
    static func recognises(_ head: ForeignHead) -> Bool
    /// Reads one whole file; throws where nothing of it can be used.
    static func read(_ file: ForeignFile) throws(IngestError) -> Part
    /// Puts together what the files of one call gave, in the order of their paths; a path that was named twice counts
    /// once.
    static func join(_ parts: [Part]) -> ForeignResult
}

extension ForeignReader where Part == ForeignResult {
    /// Each file stands for itself.
    static func join(_ parts: [ForeignResult]) -> ForeignResult {
        parts.reduce(into: ForeignResult()) { $0.add($1) }
    }
}

/// The beginning of an input, as far as its format is decided by it: in UTF-8, without a byte order mark.
struct ForeignHead {
    /// How many bytes are looked at.
    static let size = 1 << 16

    /// The first bytes.
    let bytes: [UInt8]
    /// Whether they are the whole input.
    let isWhole: Bool
    /// The keys of a JSON text; `nil` where it is none.
    let outline: JSONOutline?
    /// The name of the outermost element of an XML text, with its prefix; `nil` where it is none.
    let rootElement: String?

    /// The head of a text.
    init(_ text: UnsafeRawBufferPointer, isWhole: Bool) {
        let start = JSONReader.byteOrderMarkLength(of: text)
        bytes = Array(text[start...].prefix(Self.size))
        self.isWhole = isWhole && text.count - start <= Self.size
        outline = bytes.withUnsafeBytes { JSONOutline($0) }
        rootElement = XMLProlog.rootElement(of: bytes)
    }

    /// The lines, without their ends; the last one may be cut.
    var lines: [ArraySlice<UInt8>] {
        bytes.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") }.map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
    }
}

/// Finds the outermost element of an XML text without parsing it.
enum XMLProlog {
    /// The name of the first element; `nil` where the text doesn't begin like XML.
    static func rootElement(of bytes: [UInt8]) -> String? {
        var rest = bytes[...]
        while true {
            rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard rest.first == UInt8(ascii: "<") else { return nil }
            if rest.starts(with: "<?".utf8) {
                guard skip(past: "?>", in: &rest) else { return nil }
            } else if rest.starts(with: "<!--".utf8) {
                guard skip(past: "-->", in: &rest) else { return nil }
            } else if rest.starts(with: "<!".utf8) {
                guard skip(past: ">", in: &rest) else { return nil }
            } else {
                let name = rest.dropFirst().prefix(while: isPartOfName)
                return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
            }
        }
    }

    private static func skip(past end: String, in rest: inout ArraySlice<UInt8>) -> Bool {
        let end = Array(end.utf8)
        while !rest.isEmpty, !rest.starts(with: end) { rest.removeFirst() }
        guard !rest.isEmpty else { return false }
        rest.removeFirst(end.count)
        return true
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
        default: [UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
        }
    }
}

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
