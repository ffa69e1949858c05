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
        guard row.count == columns.count else {
            throw .failed("it has \(row.count) cells in \(columns.count) columns")
        }
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

/// The tables of xctrace with data for perfgate.
///
/// Tables with one row per frame or stage (`hitches-frame-lifetimes`, `hitches-renders`, …) are ignored: their sum
/// would count a hitch several times.
enum XctraceSchema: String, Sendable, CaseIterable {
    case hitches
    /// One row each time that the main thread was busy for too long.
    case potentialHangs = "potential-hangs"
    /// One row per call that is likely to hang.
    case hangRisks = "hang-risks"
    /// One row per display refresh.
    case displayIntervals = "display-vsyncs-interval"

    /// The columns that it must have.
    var columns: [String] { [timeColumn, measures ? "process" : nil].compactMap { $0 } }

    /// The column with the relevant time; `nil` if only the number of rows counts.
    var timeColumn: String? {
        switch self {
        case .hitches, .potentialHangs: "duration"
        case .hangRisks: nil
        case .displayIntervals: "timestamp"
        }
    }

    /// Whether it contains measurements, not only the display's behaviour.
    var measures: Bool { self != .displayIntervals }

    /// Whether a row is too short to count: a hang takes longer than 250 ms. It only shows that its process was observed.
    func isShort(_ row: XctraceTable.Row) -> Bool { self == .potentialHangs && row.nanoseconds <= 250_000_000 }
}

struct XctraceValue: Sendable, Hashable {
    /// The raw value, such as a duration in nanoseconds.
    let text: String
    /// The formatted value, such as `216.67 ms` or `TestApp (12345)`; `nil` if the cell has none.
    let label: String?

    /// The value as a time in nanoseconds, below 2^53; `nil` if it isn't a time.
    var nanoseconds: Double? { UInt64(text).flatMap { $0 < 1 << 53 ? Double($0) : nil } }
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
