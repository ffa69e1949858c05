import PerfgateModel

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
