import PerfgateModel

/// Reads the output of `xcrun xctrace export`: tables of a trace, and its table of contents.
///
/// No table names its trace, so the files of one folder are treated as one trace.
enum XctraceReader: ForeignReader {
    static let name = "xctrace"
    static let title = "tables of a trace of Instruments"
    static let recipe = "xcrun xctrace export --input T.trace --xpath '…table[@schema=\"hitches\"]' > hitches.xml"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.rootElement == "trace-query-result" || head.rootElement == "trace-toc"
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> XctracePart { try XctraceParser(file).part }

    static func join(_ parts: [XctracePart]) -> ForeignResult {
        let folders = Dictionary(grouping: parts) { ForeignFile.folder(of: $0.path) }
        return folders.sorted { $0.key.precedesInUTF8($1.key) }.reduce(into: ForeignResult()) {
            $0.add(result(ofTrace: $1.value))
        }
    }

    /// Combines the files of one trace, in path order and never empty.
    private static func result(ofTrace parts: [XctracePart]) -> ForeignResult {
        let tables = parts.flatMap(\.tables)
        var result = ForeignResult(tallies: parts.map(\.tally))
        for number in Set(tables.map(\.run)).sorted() {
            let recording = XctraceRecording(parts: parts, number: number)
            for index in parts.indices { recording.count(parts[index].tables, in: &result.tallies[index]) }
            guard tables.contains(where: { $0.run == number && $0.schema.measures }) else { continue }
            result.runs.append(recording.run)
            result.diagnostics += recording.diagnostics
        }
        guard result.runs.isEmpty else { return result }
        // Files without hitches and hangs are valid, but useless alone.
        let names = XctraceSchema.allCases.filter(\.measures).map(\.rawValue).joined(separator: ", ")
        let message = "It holds no table that measures something. Give the exports of \(names) too."
        let faulty = Set(result.tallies.filter { !$0.notUnderstood.isEmpty }.map(\.path))
        result.tallies.removeAll { $0.total == 0 }
        result.faultyInputs = parts.filter { !faulty.contains($0.path) }.map { part in
            FaultyInput(path: part.path, fault: .notFound, message: message)
        }
        return result
    }
}

/// One recording of a trace: the combined content of its tables and the table of contents.
struct XctraceRecording {
    private let parts: [XctracePart]
    private let number: Int
    private let contents: [XctraceContents]
    private let tables: [XctraceSchema: [XctraceTable]]

    /// Takes the files of a trace, never empty, and the recording's number in it.
    init(parts: [XctracePart], number: Int) {
        (self.parts, self.number) = (parts, number)
        contents = parts.flatMap(\.contents).filter { $0.run == number }
        tables = Dictionary(grouping: parts.flatMap(\.tables).filter { $0.run == number }, by: \.schema)
    }

    /// The measurements, one page per process.
    var run: ForeignRun {
        let trace = ForeignFile.identity(ofFilesNamed: parts.map(\.identity))
        var context = contents.first?.context ?? Context()
        context["max_fps"] = tables[.displayIntervals].flatMap { DisplayIntervals($0).rate }.map { .number($0) }
        return ForeignRun(
            id: "xctrace-\(trace)" + (number == 1 ? "" : "-\(number)"), path: parts[0].path,
            otherPaths: parts.dropFirst().map(\.path), context: context, cells: processes.flatMap(cells),
            faults: faults)
    }

    var diagnostics: [Diagnostic] {
        guard contents.first?.seconds == nil else { return [] }
        let message =
            "The length of the recording is unknown, so there is no hitch_ratio_screen and no hang_rate. Give the file "
            + "of xctrace export --toc too."
        return [Diagnostic(.notMeasured, severity: .warning, path: parts[0].path, message)]
    }

    func count(_ tables: [XctraceTable], in tally: inout RecordTally) {
        for table in tables where table.run == number {
            for row in table.rows {
                if row.process != nil, !recorded(row) {
                    tally.skip(line: row.line, because: "they are of other processes than the recorded one")
                } else if table.schema.isShort(row) {
                    tally.skip(line: row.line, because: "they are not longer than 250 ms, and so no hangs")
                } else {
                    tally.countRead()
                }
            }
        }
    }

    /// Whether a row belongs to the recorded process, or to any process if all were recorded.
    private func recorded(_ row: XctraceTable.Row) -> Bool {
        guard let target = contents.first?.process else { return true }
        return row.process.map { $0.isSame(as: target) } ?? false
    }

    /// The processes by name: the recorded process, or all in the tables; without any, a process without a name.
    private var processes: [String] {
        let rows = tables.values.flatMap { $0.flatMap(\.rows) }.filter { $0.process != nil && recorded($0) }
        if let target = contents.first?.process {
            return [target.name.isEmpty ? rows.compactMap(\.process?.name).first ?? "" : target.name]
        }
        let names = Set(rows.compactMap(\.process?.name)).sorted { $0.precedesInUTF8($1) }
        return names.isEmpty ? [""] : names
    }

    /// Tables of several traces in one folder conflict.
    private var faults: [String] {
        let doubled = tables.filter { _, all in !all.allSatisfy { $0.says(sameAs: all[0]) } }
        var names = doubled.map { "the table \($0.key.rawValue)" }.sorted()
        if Set(contents).count > 1 { names.append("the table of contents") }
        return names.map { name in
            "Its folder has \(name) several times, with different rows: put the exports of each trace into a folder of "
                + "its own."
        }
    }
}

extension XctraceRecording {
    private func cells(of process: String) -> [ForeignCell] {
        let seconds = contents.first?.seconds
        var values: [(metric: Metric, value: Double?)] = []
        if let hitches = times(.hitches, of: process) {
            let milliseconds = hitches.reduce(0, +) / 1e6
            values += [
                (.hitches, Double(hitches.count)), (.hitchDuration, milliseconds),
                (Metric(.hitchRatioScreen), seconds.map { milliseconds / $0 }),
            ]
        }
        if let hangs = times(.potentialHangs, of: process) {
            let milliseconds = hangs.reduce(0, +) / 1e6
            values += [
                (Self.count("hangs"), Double(hangs.count)), (.hangDuration, milliseconds),
                (Metric(.hangRate), seconds.map { 3.6 * milliseconds / $0 }),
            ]
        }
        if let risks = times(.hangRisks, of: process) { values.append((Self.count("hang_risks"), Double(risks.count))) }
        return values.compactMap { metric, value in
            value.map { ForeignCell(subject: process, metric: metric, values: [$0]) }
        }
    }

    private static func count(_ id: String) -> Metric { Metric(id: id, unit: .events, better: .lower) }

    /// The times of a process's rows, in nanoseconds; `nil` if the table wasn't recorded or exported.
    private func times(_ schema: XctraceSchema, of process: String) -> [Double]? {
        guard let table = tables[schema]?.first else { return nil }
        let isTarget = contents.first?.process != nil
        let rows = table.rows.filter { isTarget ? recorded($0) : $0.process?.name == process }
        return rows.filter { !schema.isShort($0) }.map(\.nanoseconds)
    }
}

/// The refresh rates of displays from the times of their refreshes; the table's own durations don't show them.
struct DisplayIntervals {
    /// The highest rate of all displays, in whole Hz; `nil` with too few refreshes of every display.
    let rate: Double?

    init(_ tables: [XctraceTable]) {
        let rates = Dictionary(grouping: tables.first?.rows ?? [], by: \.display).values.compactMap { rows in
            let sorted = rows.map(\.nanoseconds).sorted()
            let intervals = zip(sorted.dropFirst(), sorted).map { $0 - $1 }.filter { $0 > 0 }.sorted()
            // The rate of the shortest intervals; up to a twentieth of them may be disturbed.
            return intervals.count < 5 ? nil : (1e9 / intervals[intervals.count / 20]).rounded()
        }
        rate = rates.max()
    }
}

/// The content of one file of xctrace.
struct XctracePart {
    let path: String
    let identity: String
    /// Its tables, in file order.
    var tables: [XctraceTable] = []
    /// The recordings that it lists; empty if it isn't a table of contents.
    var contents: [XctraceContents] = []
    /// The tally of the rows that are in no table.
    var tally: RecordTally
}

/// A table of one recording, reduced to the data that perfgate needs.
struct XctraceTable: Sendable, Hashable {
    struct Row: Sendable, Hashable {
        let line: Int
        /// The process; `nil` for rows of displays.
        let process: XctraceProcess?
        /// The display; `nil` for rows of processes.
        let display: String?
        /// Its duration, or its time if the table has no durations; in nanoseconds.
        let nanoseconds: Double
    }

    let schema: XctraceSchema
    /// The number of the recording in its trace, from 1.
    let run: Int
    /// The rows that count, in file order.
    var rows: [Row] = []

    /// Whether both have equal content, independent of position.
    func says(sameAs other: XctraceTable) -> Bool {
        rows.elementsEqual(other.rows) { lhs, rhs in
            lhs.process == rhs.process && lhs.display == rhs.display && lhs.nanoseconds == rhs.nanoseconds
        }
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
