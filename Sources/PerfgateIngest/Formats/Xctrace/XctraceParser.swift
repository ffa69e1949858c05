import PerfgateModel

/// Reads one file of xctrace: tables, or the table of contents.
struct XctraceParser {
    private(set) var part: XctracePart

    private let stream: XMLStream
    private var cells = XctraceCells()

    init(_ file: ForeignFile) throws(IngestError) {
        part = XctracePart(path: file.path, identity: file.identity, tally: RecordTally(path: file.path, noun: "rows"))
        stream = try XMLStream(file.bytes)
        var hasTables = false
        while let event = try stream.next() {
            guard case .start(let name, _) = event else { continue }
            switch name {
            case "trace-toc": part.contents += try XctraceContents.all(stream)
            case "trace-query-result":
                try stream.readElements { name, attributes throws(IngestError) in
                    guard name == "node" else { return try stream.skipElement() }
                    if try readNode(run: XctraceContents.run(in: attributes["xpath"] ?? "")) { hasTables = true }
                }
            default: throw .malformed(line: stream.line, problem: "<\(name)> isn't written by xctrace export")
            }
        }
        if part.contents.isEmpty && !hasTables {
            throw .refused(reason: "It holds no table. Check that its --xpath names a table that the trace has.")
        }
    }

    /// Reads one table, or another node that the export's path matched; returns whether it is a table.
    private mutating func readNode(run: Int) throws(IngestError) -> Bool {
        var name: String?
        var columns: [String] = []
        var table: XctraceTable?
        try stream.readElements { element, attributes throws(IngestError) in
            switch element {
            case "schema":
                name = attributes["name"] ?? ""
                columns = try XctraceContents.columns(stream)
                table = name.flatMap(XctraceSchema.init).map { XctraceTable(schema: $0, run: run) }
                if let schema = table?.schema, let missing = schema.columns.first(where: { !columns.contains($0) }) {
                    throw .malformed(
                        line: stream.line, problem: "the table \(schema.rawValue) has no column \(missing)")
                }
            case "row":
                let row = try cells.readRow(stream)
                do throws(UnusedRecord) {
                    guard let schema = table?.schema else {
                        let table = name.map { "the table \($0)" } ?? "a table without a schema"
                        throw .skipped("\(table) says nothing that perfgate gates on")
                    }
                    table?.rows.append(try read(row, columns, schema))
                } catch {
                    part.tally.count(error, line: stream.line)
                }
            default: try stream.skipElement()
            }
        }
        if let table { part.tables.append(table) }
        return name != nil
    }

    private func read(
        _ row: [XctraceValue?], _ columns: [String], _ schema: XctraceSchema
    ) throws(UnusedRecord) -> XctraceTable.Row {
        guard row.count == columns.count else { throw .failed("it has \(row.count) cells in \(columns.count) columns") }
        let cell = { (name: String) in columns.firstIndex(of: name).flatMap { row[$0] } }
        let process = cell("process").map { XctraceProcess($0.label ?? $0.text) }
        if schema.measures {
            guard cell("is-system")?.text != "1" else { throw .skipped("they are of the system") }
            guard process != nil else { throw .skipped("they name no process") }
        }
        let time = schema.timeColumn.flatMap(cell)
        guard let nanoseconds = schema.timeColumn == nil ? 0 : time?.nanoseconds else {
            let shown = time.map { "'\($0.text.prefix(40))'" } ?? "nothing"
            throw .failed("its time is \(shown), which isn't a number of nanoseconds")
        }
        return XctraceTable.Row(
            line: stream.line, process: process, display: cell("display-name")?.text, nanoseconds: nanoseconds)
    }
}

/// Reads the cells of rows. A cell has its value, or refers to an earlier one: anywhere, also inside another cell.
struct XctraceCells {
    /// The maximum number of referenced values in a file; a recording of a test has thousands.
    static let limit = 1_000_000

    private var named: [String: XctraceValue] = [:]

    /// Reads a row after its start tag; `nil` means an empty cell.
    mutating func readRow(_ stream: XMLStream) throws(IngestError) -> [XctraceValue?] {
        var cells: [XctraceValue?] = []
        try stream.readElements { name, attributes throws(IngestError) in
            let value = try readCell(stream, attributes)
            cells.append(name == "sentinel" ? nil : value)
        }
        return cells
    }

    /// Reads a cell after its start tag, with the cells inside it.
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
                throw .malformed(
                    line: stream.line,
                    problem: "a cell has ref=\"\(reference)\", and no earlier cell has that id: export the table again")
            }
            return value
        }
        let value = XctraceValue(text: text.trimmingWhitespace, label: attributes["fmt"])
        if let id = attributes["id"] {
            named[id] = value
            guard named.count <= Self.limit else {
                let advice = "Export one table at a time, or record for a shorter time."
                throw .refused(reason: "It names more than \(Self.limit) values. \(advice)")
            }
        }
        return value
    }
}

/// The description of one recording in a trace's table of contents.
package struct XctraceContents: Sendable, Hashable {
    /// The number of the recording in its trace, from 1.
    package let run: Int
    /// The recorded process; `nil` if all were recorded.
    package private(set) var process: XctraceProcess?
    /// The duration of the recording in seconds, above 0; `nil` if unknown.
    package private(set) var seconds: Double?
    /// The known conditions: `device`, `device_id`, `os`, `simulator` and `started_at`.
    package fileprivate(set) var context = Context()
    /// Whether a sample is taken after a number of processor cycles.
    package private(set) var countsCycles = false

    private init(run: Int) { self.run = run }

    /// The number in `/trace-toc[1]/run[2]/…` or `run[@number="2"]`; 1 without a number.
    package static func run(in path: String) -> Int {
        guard let start = path.firstRange(of: "run[") else { return 1 }
        return Int(path[start.upperBound...].prefix { $0 != "]" }.filter(\.isNumber)) ?? 1
    }
}

extension XctraceContents {
    /// The recordings in the element `trace-toc` after its start tag.
    package static func all(_ stream: XMLStream) throws(IngestError) -> [XctraceContents] {
        var contents: [XctraceContents] = []
        try stream.readElements { name, attributes throws(IngestError) in
            guard name == "run" else { return try stream.skipElement() }
            contents.append(try XctraceContents(stream, attributes: attributes))
        }
        return contents
    }

    /// The mnemonics of a table's columns, because display names aren't unique; after the start tag of `schema`.
    package static func columns(_ stream: XMLStream) throws(IngestError) -> [String] {
        var columns: [String] = []
        try stream.readElements { _, _ throws(IngestError) in
            var mnemonic = ""
            try stream.readElements { name, _ throws(IngestError) in
                if name == "mnemonic" { mnemonic = try stream.readText() } else { try stream.skipElement() }
            }
            columns.append(mnemonic)
        }
        return columns
    }

    /// Reads the element `run` after its start tag.
    init(_ stream: XMLStream, attributes: [String: String]) throws(IngestError) {
        self.init(run: attributes["number"].flatMap(Int.init) ?? 1)
        var target: [String: String] = [:]
        var names: [String: String] = [:]
        try stream.readElements { name, _ throws(IngestError) in
            switch name {
            case "info":
                try stream.readElements { name, _ throws(IngestError) in
                    switch name {
                    case "target": target = try readTarget(stream)
                    case "summary": try readSummary(stream)
                    default: try stream.skipElement()
                    }
                }
            case "processes":
                try stream.readElements { _, attributes throws(IngestError) in
                    if let pid = attributes["pid"], let name = attributes["name"] { names[pid] = name }
                    try stream.skipElement()
                }
            case "data":
                try stream.readElements { _, attributes throws(IngestError) in
                    if attributes["pmi-event"]?.uppercased().contains("CYCLE") ?? false { countsCycles = true }
                    try stream.skipElement()
                }
            default: try stream.skipElement()
            }
        }
        let pid = target["pid"]
        process = XctraceProcess(name: target["name"] ?? pid.flatMap { names[$0] }, number: pid)
    }

    private mutating func readTarget(_ stream: XMLStream) throws(IngestError) -> [String: String] {
        var target: [String: String] = [:]
        try stream.readElements { name, attributes throws(IngestError) in
            switch name {
            case "process": target = attributes
            case "device":
                context["device"] = attributes["model"].map { .text($0) }
                context["device_id"] = attributes["uuid"].map { .text($0) }
                context.setSystem(platform: attributes["platform"], version: attributes["os-version"])
            case "summary": return try readSummary(stream)
            default: break
            }
            try stream.skipElement()
        }
        return target
    }

    private mutating func readSummary(_ stream: XMLStream) throws(IngestError) {
        try stream.readElements { name, _ throws(IngestError) in
            let text = try stream.readText()
            switch name {
            case "duration": seconds = Double(text).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
            case "start-date": context["started_at"] = UTCTime.text(of: text).map { .text($0) }
            default: break
            }
        }
    }
}

/// A process in xctrace's form: `TestApp (12345)`.
package struct XctraceProcess: Sendable, Hashable {
    /// Its name, without the number; empty if only the number is known.
    package let name: String
    /// Its number, in digits; `nil` if unknown.
    let number: String?

    /// Makes a process from the known parts; `nil` without any.
    init?(name: String?, number: String?) {
        guard name != nil || number != nil else { return nil }
        (self.name, self.number) = (name ?? "", number)
    }

    package init(_ label: String) {
        let inner = label.hasSuffix(")") ? label.lastIndex(of: "(").map { (open: $0, text: label[$0...]) } : nil
        let digits = inner.map { String($0.text.dropFirst().dropLast()) } ?? ""
        guard let inner, !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else {
            (name, number) = (label, nil)
            return
        }
        (name, number) = (String(label[..<inner.open]).trimmingWhitespace, digits)
    }

    /// Whether both are the same process: by number, or by name if either has no number.
    package func isSame(as other: XctraceProcess) -> Bool {
        guard let number, let otherNumber = other.number else { return name == other.name }
        return number == otherNumber
    }
}
