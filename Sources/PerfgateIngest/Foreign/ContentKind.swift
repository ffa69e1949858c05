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
