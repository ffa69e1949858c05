/// Reads one file of xctrace: tables, or the table of contents.
struct XctraceParser {
    /// The tables in file order.
    private(set) var tables: [XctraceTable] = []
    private(set) var contents: [XctraceContents] = []
    /// The tally of the rows that are in no table.
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
            case "trace-toc": contents += try XctraceContents.all(stream)
            case "trace-query-result": try readResult()
            default: throw .malformed(line: stream.line, problem: "<\(name)> isn't written by xctrace export")
            }
        }
        if contents.isEmpty && tableCount == 0 { throw .refused(reason: Self.nothing) }
    }

    private static let nothing = "It holds no table. Check that its --xpath names a table that the trace has."

    private mutating func readResult() throws(IngestError) {
        try stream.readContent { event throws(IngestError) in
            guard case .start(let name, let attributes) = event else { return }
            if name == "node" {
                try readNode(run: XctraceContents.run(in: attributes["xpath"] ?? ""))
            } else {
                try stream.skipElement()
            }
        }
    }

    /// Reads one table, or another node that the export's path matched.
    private mutating func readNode(run: Int) throws(IngestError) {
        var name: String?
        var columns: [String] = []
        var table: XctraceTable?
        try stream.readContent { event throws(IngestError) in
            guard case .start(let element, let attributes) = event else { return }
            switch element {
            case "schema":
                name = attributes["name"] ?? ""
                columns = try XctraceContents.columns(stream)
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

    private func checked(_ schema: XctraceSchema, _ columns: [String]) throws(IngestError) {
        guard let missing = schema.columns.first(where: { !columns.contains($0) }) else { return }
        throw .malformed(line: stream.line, problem: "the table \(schema.rawValue) has no column \(missing)")
    }

    /// The content of a row; `nil` for a skipped or unreadable row, which the tally counts.
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
            tally.fail(line: stream.line, because: "its time is \(shown), which isn't a number of nanoseconds")
            return nil
        }
        let isShort = schema == .potentialHangs && nanoseconds <= Self.hang
        return XctraceTable.Row(
            line: stream.line, process: process, display: cell("display-name")?.text, nanoseconds: nanoseconds,
            isShort: isShort)
    }

    /// The minimum of a hang, in nanoseconds, exclusive.
    private static let hang = 250_000_000.0
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

    var columns: [String] {
        switch self {
        case .hitches, .potentialHangs: ["duration", "process"]
        case .hangRisks: ["process"]
        case .displayIntervals: ["timestamp"]
        }
    }

    /// The column with the relevant time; `nil` if only the number of rows counts.
    var timeColumn: String? {
        switch self {
        case .hitches, .potentialHangs: "duration"
        case .hangRisks: nil
        case .displayIntervals: "timestamp"
        }
    }

    /// The reason why a row doesn't count; `nil` if it does.
    func reasonToSkip(process: XctraceProcess?, isSystem: Bool) -> String? {
        if self == .displayIntervals { return nil }
        if isSystem { return "they are of the system" }
        return process == nil ? "they name no process" : nil
    }

    /// Whether it contains measurements, not only the display's behaviour.
    var measures: Bool { self != .displayIntervals }
}

struct XctraceValue: Sendable, Hashable {
    /// The raw value, such as a duration in nanoseconds.
    let text: String
    /// The formatted value, such as `216.67 ms` or `TestApp (12345)`; `nil` if the cell has none.
    let label: String?

    /// The value as a time in nanoseconds, below 2^53; `nil` if it isn't a time.
    var nanoseconds: Double? {
        guard let time = UInt64(text), time < 1 << 53 else { return nil }
        return Double(time)
    }

    var flag: Bool? {
        switch text {
        case "0": false
        case "1": true
        default: nil
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
        self.name = name ?? ""
        self.number = number
    }

    package init(_ label: String) {
        let inner = label.hasSuffix(")") ? label.lastIndex(of: "(").map { (open: $0, text: label[$0...]) } : nil
        let digits = inner.map { String($0.text.dropFirst().dropLast()) } ?? ""
        guard let inner, !digits.isEmpty, digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else {
            name = label
            number = nil
            return
        }
        name = String(label[..<inner.open]).trimmingWhitespace
        number = digits
    }

    /// Whether both are the same process: by number, or by name if either has no number.
    package func isSame(as other: XctraceProcess) -> Bool {
        guard let number, let otherNumber = other.number else { return name == other.name }
        return number == otherNumber
    }
}
