/// Reads one file of xctrace: tables, or the table of contents.
struct XctraceParser {
    /// The tables, in the order of the file.
    private(set) var tables: [XctraceTable] = []
    /// The recordings that a table of contents lists.
    private(set) var contents: [XctraceContents] = []
    /// What became of the rows that are in no table.
    private(set) var tally: RecordTally

    private let stream: XMLStream
    private var cells = XctraceCells()
    private var tableCount = 0

    init(_ file: ForeignFile) throws(IngestError) {
        tally = RecordTally(path: file.path, noun: "rows")
        stream = try XMLStream(file.bytes)
        while let event = try stream.next() {
            guard case .start(let name, _) = event else { continue }
            switch name {
            case "trace-toc": try readContents()
            case "trace-query-result": try readResult()
            default: throw .malformed(line: stream.line, problem: "<\(name)> is nothing that xctrace export writes")
            }
        }
        if contents.isEmpty && tableCount == 0 { throw .refused(reason: Self.nothing) }
    }

    private static let nothing = "It holds no table. Check that its --xpath names a table that the trace has."

    private mutating func readContents() throws(IngestError) {
        try stream.readContent { event throws(IngestError) in
            guard case .start(let name, let attributes) = event else { return }
            if name == "run" {
                contents.append(try XctraceContents(stream, attributes: attributes))
            } else {
                try stream.skipElement()
            }
        }
    }

    private mutating func readResult() throws(IngestError) {
        try stream.readContent { event throws(IngestError) in
            guard case .start(let name, let attributes) = event else { return }
            if name == "node" {
                try readNode(run: Self.run(in: attributes["xpath"] ?? ""))
            } else {
                try stream.skipElement()
            }
        }
    }

    /// Reads one table, or what else the path of the export found.
    private mutating func readNode(run: Int) throws(IngestError) {
        var name: String?
        var columns: [String] = []
        var table: XctraceTable?
        try stream.readContent { event throws(IngestError) in
            guard case .start(let element, let attributes) = event else { return }
            switch element {
            case "schema":
                name = attributes["name"] ?? ""
                columns = try readColumns()
                table = try name.flatMap(XctraceSchema.init).map { schema throws(IngestError) in
                    try checked(schema, columns)
                    return XctraceTable(schema: schema, run: run)
                }
                tableCount += 1
            case "row":
                let row = try cells.readRow(stream)
                guard let schema = table?.schema else { return skipRow(of: name) }
                if let row = read(row, columns, schema) { table?.rows.append(row) }
            default: try stream.skipElement()
            }
        }
        if let table { tables.append(table) }
    }

    private mutating func skipRow(of table: String?) {
        let table = table.map { "the table \($0)" } ?? "a table without a schema"
        tally.skip(line: stream.line, because: "\(table) says nothing that perfgate gates on")
    }

    /// The mnemonics of the columns: the names shown to people are not unique.
    private func readColumns() throws(IngestError) -> [String] {
        var columns: [String] = []
        try stream.readContent { event throws(IngestError) in
            guard case .start = event else { return }
            var mnemonic = ""
            try stream.readContent { event throws(IngestError) in
                guard case .start(let name, _) = event else { return }
                if name == "mnemonic" { mnemonic = try stream.readText() } else { try stream.skipElement() }
            }
            columns.append(mnemonic)
        }
        return columns
    }

    private func checked(_ schema: XctraceSchema, _ columns: [String]) throws(IngestError) {
        guard let missing = schema.columns.first(where: { !columns.contains($0) }) else { return }
        throw .malformed(line: stream.line, problem: "the table \(schema.rawValue) has no column \(missing)")
    }

    /// What a row says; `nil` where it doesn't count, which the tally knows.
    private mutating func read(
        _ row: [XctraceValue?], _ columns: [String], _ schema: XctraceSchema
    ) -> XctraceTable.Row? {
        guard row.count == columns.count else {
            tally.fail(line: stream.line, because: "it has \(row.count) cells in \(columns.count) columns")
            return nil
        }
        let cell = { (name: String) in columns.firstIndex(of: name).flatMap { row[$0] } }
        let process = cell("process").map { XctraceProcess($0.label ?? $0.text) }
        if let reason = schema.reasonToSkip(process: process, isSystem: cell("is-system")?.flag ?? false) {
            tally.skip(line: stream.line, because: reason)
            return nil
        }
        let time = schema.timeColumn.flatMap(cell)
        guard let nanoseconds = schema.timeColumn == nil ? 0 : time?.nanoseconds else {
            let shown = time.map { "'\($0.text.prefix(40))'" } ?? "nothing"
            tally.fail(line: stream.line, because: "its time is \(shown), which is no number of nanoseconds")
            return nil
        }
        if schema == .potentialHangs, nanoseconds <= Self.hang {
            tally.skip(line: stream.line, because: "they are not longer than 250 ms, and so no hangs")
            return nil
        }
        return XctraceTable.Row(
            line: stream.line, process: process, display: cell("display-name")?.text, nanoseconds: nanoseconds)
    }

    /// Above how many nanoseconds a wait is a hang.
    private static let hang = 250_000_000.0

    /// The number in `/trace-toc[1]/run[2]/…` or `run[@number="2"]`; 1 where there is none.
    private static func run(in path: String) -> Int {
        guard let start = path.firstRange(of: "run[") else { return 1 }
        let digits = path[start.upperBound...].prefix { $0 != "]" }.filter(\.isNumber)
        return Int(digits) ?? 1
    }
}
