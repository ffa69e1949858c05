import PerfgateModel

/// One recording of a trace: what its tables and the table of contents say together.
struct XctraceRecording {
    private let parts: [XctracePart]
    private let number: Int
    private let contents: [XctraceContents]
    private let tables: [XctraceSchema: [XctraceTable]]

    /// A recording.
    ///
    /// - Parameters:
    ///   - parts: The files of its trace; never empty.
    ///   - number: Its number in the trace.
    init(parts: [XctracePart], number: Int) {
        self.parts = parts
        self.number = number
        contents = parts.flatMap(\.contents).filter { $0.run == number }
        tables = Dictionary(grouping: parts.flatMap(\.tables).filter { $0.run == number }, by: \.schema)
    }

    /// What was measured, a page a process.
    var run: ForeignRun {
        let trace = ForeignFile.identity(ofFilesNamed: parts.map(\.identity))
        var context = contents.first?.context ?? Context()
        context["max_fps"] = tables[.displayIntervals].flatMap { DisplayIntervals($0).rate }.map { .number($0) }
        return ForeignRun(
            id: "xctrace-\(trace)" + (number == 1 ? "" : "-\(number)"), path: parts[0].path,
            otherPaths: parts.dropFirst().map(\.path), context: context, cells: processes.flatMap(cells),
            faults: faults)
    }

    /// What a person should know of it.
    var diagnostics: [Diagnostic] {
        guard contents.first?.seconds == nil else { return [] }
        let message = """
            The length of the recording is unknown, so there is no hitch_ratio_screen and no hang_rate. Give the file \
            of xctrace export --toc too.
            """
        return [Diagnostic(.notMeasured, severity: .warning, path: parts[0].path, message)]
    }

    /// Counts the rows of a file's tables.
    func count(_ tables: [XctraceTable], in tally: inout RecordTally) {
        for table in tables where table.run == number {
            for row in table.rows {
                if row.process == nil || recorded(row) {
                    tally.countRead()
                } else {
                    tally.skip(line: row.line, because: "they are of other processes than the recorded one")
                }
            }
        }
    }

    /// Whether a row is of the recorded process; of all, where all were recorded.
    private func recorded(_ row: XctraceTable.Row) -> Bool {
        guard let target = contents.first?.process else { return true }
        return row.process.map { $0.isSame(as: target) } ?? false
    }

    /// The processes by name: the recorded one, or all that the tables name; one without a name where there is none.
    private var processes: [String] {
        let rows = tables.values.flatMap { $0.flatMap(\.rows) }.filter { $0.process != nil && recorded($0) }
        if let target = contents.first?.process {
            return [target.name.isEmpty ? rows.compactMap(\.process?.name).first ?? "" : target.name]
        }
        let names = Set(rows.compactMap(\.process?.name)).sorted { $0.precedesInUTF8($1) }
        return names.isEmpty ? [""] : names
    }

    /// Tables of several traces in one folder exclude each other.
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
        var values: [(id: String, unit: Unit, value: Double?)] = []
        if let hitches = times(.hitches, of: process) {
            let milliseconds = hitches.reduce(0, +) / 1e6
            values += [
                ("hitches", .hitches, Double(hitches.count)), ("hitch_duration", .milliseconds, milliseconds),
                ("hitch_ratio_screen", .millisecondsPerSecond, seconds.map { milliseconds / $0 }),
            ]
        }
        if let hangs = times(.potentialHangs, of: process) {
            let milliseconds = hangs.reduce(0, +) / 1e6
            values += [
                ("hangs", .events, Double(hangs.count)), ("hang_duration", .milliseconds, milliseconds),
                ("hang_rate", .secondsPerHour, seconds.map { 3.6 * milliseconds / $0 }),
            ]
        }
        if let risks = times(.hangRisks, of: process) {
            values.append(("hang_risks", .events, Double(risks.count)))
        }
        return values.compactMap { id, unit, value in
            value.map {
                ForeignCell(subject: process, metric: Metric(id: id, unit: unit, better: .lower), values: [$0])
            }
        }
    }

    /// The times of a process's rows, in nanoseconds; `nil` where the table wasn't recorded or exported.
    private func times(_ schema: XctraceSchema, of process: String) -> [Double]? {
        guard let table = tables[schema]?.first else { return nil }
        let isTarget = contents.first?.process != nil
        return table.rows.filter { isTarget ? recorded($0) : $0.process?.name == process }.map(\.nanoseconds)
    }
}
