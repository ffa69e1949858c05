import PagePerformance
import PerfgateJSON

/// Takes the bytes of one input, detects the format, and passes them to its reader.
final class InputRouter {
    enum Content {
        /// Nothing, or only white space.
        case nothing
        case log
        case foreign(any ForeignReader.Type, ForeignFile)
    }

    /// Why the input can't be read; after that, no more bytes are taken.
    private(set) var error: IngestError?

    private let path: String
    private let formatName: String?
    private let log: LogReader
    private let limit: Int
    /// The format; `nil`: undecided.
    private var format: InputFormat?
    private var decoder: UTF16Decoder?
    private var isAtStart = true
    private var held: [UInt8] = []
    private var wasLookedAt = false

    /// Takes the name of the format, `nil`: detected, and the most bytes of text for another tool's file.
    init(path: String, format: String?, log: LogReader, limit: Int = ForeignFile.sizeLimit) {
        (self.path, self.log, self.limit) = (path, log, limit)
        formatName = format
    }

    /// Takes the next bytes, decompressed.
    func take(_ block: ByteBlock) {
        if error == nil, decoder == nil, case .log? = format { log.read(block) } else { take(block.bytes) }
    }

    /// Takes the next bytes, decompressed and only lent.
    func take(_ chunk: UnsafeRawBufferPointer) {
        guard error == nil else { return }
        attempt { () throws(IngestError) in
            if isAtStart {
                isAtStart = false
                decoder = UTF16Decoder(startingWith: chunk)
            }
            guard let text = try decoder?.decode(chunk) else { return try pass(chunk) }
            try text.withUnsafeBufferPointer { text throws(IngestError) in try pass(UnsafeRawBufferPointer(text)) }
        }
    }

    func finish() throws(IngestError) -> Content {
        if let error { throw error }
        try decoder?.finish()
        if format == nil {
            guard held.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return .nothing }
            try decide(isWhole: true)
        }
        guard case .foreign(let reader)? = format else {
            log.finish()
            return log.hasLines ? .log : .nothing
        }
        let start = held.withUnsafeBytes { JSONReader.byteOrderMarkLength(of: $0) }
        held.removeFirst(start)
        return .foreign(reader, ForeignFile(path: path, bytes: held))
    }

    /// Stops reading after an error: a log counts as truncated.
    func abandon() {
        if format == nil, !held.isEmpty { attempt { () throws(IngestError) in try decide(isWhole: false) } }
        if case .log? = format { log.finish(isTruncated: true) }
    }

    private func pass(_ text: UnsafeRawBufferPointer) throws(IngestError) {
        switch format {
        case .log?: log.read(text)
        case .foreign?: try hold(text)
        case nil:
            if held.count + text.count > limit { try refuse() }
            try hold(text)
            if held.count >= ForeignHead.size, !wasLookedAt { try lookAtBeginning() }
        }
    }

    /// Rejects an input in an unknown format that exceeds the limit.
    private func refuse() throws(IngestError) {
        let head = ForeignHead(Array(held.prefix(ForeignHead.size)), isWhole: false)
        guard head.outline == nil else { return }
        throw .unknownFormat(looksLike: "more than \(limit) bytes of text", known: InputFormat.names)
    }

    /// Decides from the first bytes if they are enough.
    private func lookAtBeginning() throws(IngestError) {
        wasLookedAt = true
        if let formatName { return take(try InputFormat(named: formatName)) }
        let head = ForeignHead(Array(held.prefix(ForeignHead.size)), isWhole: false)
        if let format = try InputFormat(ofBeginning: head) { take(format) }
    }

    private func hold(_ text: UnsafeRawBufferPointer) throws(IngestError) {
        guard held.count + text.count <= limit else { throw .tooLarge(limit: limit) }
        held.append(contentsOf: text)
    }

    private func decide(isWhole: Bool) throws(IngestError) {
        if let formatName { return take(try InputFormat(named: formatName)) }
        take(try InputFormat(of: ForeignHead(held, isWhole: isWhole)))
    }

    private func take(_ format: InputFormat) {
        self.format = format
        guard case .log = format else { return }
        held.withUnsafeBytes { log.read($0) }
        held = []
    }

    private func attempt(_ body: () throws(IngestError) -> Void) {
        do throws(IngestError) { try body() } catch { self.error = error }
    }
}

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
