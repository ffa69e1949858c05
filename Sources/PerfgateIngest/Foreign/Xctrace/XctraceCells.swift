/// Reads the cells of rows. A cell has its value, or refers to one that stood before it: anywhere in the file, also
/// inside another cell.
struct XctraceCells {
    /// How many values a file may name; a recording of a test has thousands.
    static let limit = 1_000_000

    private var named: [String: XctraceValue] = [:]

    /// Reads the row that has just begun; `nil` stands for an empty cell.
    mutating func readRow(_ stream: XMLStream) throws(IngestError) -> [XctraceValue?] {
        var cells: [XctraceValue?] = []
        try stream.readContent { event throws(IngestError) in
            guard case .start(let name, let attributes) = event else { return }
            let value = try readCell(stream, attributes)
            cells.append(name == "sentinel" ? nil : value)
        }
        return cells
    }

    /// Reads the cell that has just begun, with the cells inside it.
    private mutating func readCell(
        _ stream: XMLStream, _ attributes: [String: String]
    ) throws(IngestError) -> XctraceValue? {
        var text = ""
        try stream.readContent { event throws(IngestError) in
            switch event {
            case .text(let part): text += part
            case .start(_, let attributes): _ = try readCell(stream, attributes)
            case .end: break
            }
        }
        if let reference = attributes["ref"] {
            guard let value = named[reference] else {
                throw .malformed(line: stream.line, problem: "a cell refers to \(reference), which stands nowhere")
            }
            return value
        }
        let value = XctraceValue(text: text.trimmingWhitespace, label: attributes["fmt"])
        if let id = attributes["id"] {
            named[id] = value
            guard named.count <= Self.limit else { throw .refused(reason: Self.tooMany) }
        }
        return value
    }

    private static let tooMany =
        "It names more than \(limit) values. Export one table at a time, or record for a shorter time."
}
