import PagePerformance
import PerfgateJSON

enum InputFormat {
    case log
    case foreign(any ForeignReader.Type)

    static let logName = "perfgate"
    static let logTitle = "perfgate's own log"
    static let names = [logName] + ForeignFormats.all.map { $0.name }

    init(named name: String) throws(IngestError) {
        if name == Self.logName {
            self = .log
        } else if let reader = ForeignFormats.reader(named: name) {
            self = .foreign(reader)
        } else {
            throw .noSuchFormat(name, known: Self.names)
        }
    }

    init(of head: ForeignHead) throws(IngestError) {
        let signature = LogSignature(head)
        if signature == .certain {
            self = .log
        } else if let reader = ForeignFormats.all.first(where: { $0.recognises(head) }) {
            self = .foreign(reader)
        } else if let other = IgnoredFormat.all.first(where: { $0.recognises(head) }) {
            throw .ignoredFormat(other.title, advice: other.advice)
        } else if signature == .possible {
            self = .log
        } else {
            throw .unknownFormat(looksLike: ContentKind.name(of: head), known: Self.names)
        }
    }

    /// The format of an input that starts with these bytes; `nil` if more bytes are needed, because a JSON key or a
    /// line of text may be anywhere.
    init?(ofBeginning head: ForeignHead) throws(IngestError) {
        let signature = LogSignature(head)
        if signature == .certain {
            self = .log
        } else if head.rootElement != nil || head.isBinary {
            try self.init(of: head)
        } else if signature == .possible, head.bytes.contains(UInt8(ascii: "\n")),
            !ForeignFormats.all.contains(where: { $0.recognises(head) })
        {
            self = .log
        } else {
            return nil
        }
    }
}

/// Describes an input for users who gave the wrong one.
enum ContentKind {
    /// A noun with its article.
    static func name(of head: ForeignHead) -> String {
        if let outline = head.outline { return json(outline) }
        if let root = head.rootElement { return "XML whose outermost element is <\(root)>" }
        if let known = magic.first(where: { head.bytes.starts(with: $0.bytes) }) { return known.name }
        if head.isBinary { return "binary data" }
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

/// How likely the start of an input is a perfgate log.
enum LogSignature {
    /// The first line has a type that only perfgate logs have.
    case certain
    /// It could be a damaged or newer log.
    case possible
    case none

    private static let lineLimit = 64

    init(_ head: ForeignHead) {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let lines = head.lines.lazy.map { $0.drop(while: isBlank) }.filter { !$0.isEmpty }
        guard let first = lines.first(where: { _ in true }), first.first == UInt8(ascii: "{") else {
            self = .none
            return
        }
        if Self.hasType(first) {
            self = .certain
        } else if head.outline?.isOneValue == false,
            lines.prefix(Self.lineLimit).contains(where: Self.hasType)
                || !Self.isObject(first) && !Self.opensDocument(first)
        {
            self = .possible
        } else {
            self = .none
        }
    }

    /// Whether a line is an object with a type of log lines.
    private static func hasType(_ line: ArraySlice<UInt8>) -> Bool {
        line.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            guard (try? reader.enterObject()) != nil else { return false }
            while let key = try? reader.nextKey() {
                if key == "type" { return (try? reader.readText()).map { LogLineType($0) != .unknown } ?? false }
                guard (try? reader.skipValue()) != nil else { return false }
            }
            return false
        }
    }

    /// Whether a line is complete, so its type identifies it.
    private static func isObject(_ line: ArraySlice<UInt8>) -> Bool {
        line.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return (try? reader.skipValue()) != nil && (try? reader.finish()) != nil
        }
    }

    /// Whether a line starts a document that spans several lines.
    private static func opensDocument(_ line: ArraySlice<UInt8>) -> Bool {
        let last = line.last { $0 != 0x20 && $0 != 0x09 }
        return last == UInt8(ascii: "{") || last == UInt8(ascii: "[") || last == UInt8(ascii: ",")
    }
}
