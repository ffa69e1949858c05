import PerfgateJSON

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
