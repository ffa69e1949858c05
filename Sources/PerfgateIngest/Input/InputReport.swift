import PerfgateJSON
import PerfgateModel

/// The format of one input, and how much of it was read.
package struct ReportedInput: Sendable, Hashable {
    package struct Records: Sendable, Hashable {
        /// The plural noun for records, such as `metrics`.
        package let noun: String
        /// The number of records that became samples, or that show that something was measured.
        package let read: Int
        package let skipped: Int, notUnderstood: Int
    }

    package struct Lines: Sendable, Hashable {
        /// The lines that measure something or open and close a part, without blank ones.
        package let count: Int
        /// The parts: launches of the app, and shards of a run.
        package let parts: Int
        package let visits: Int, intervals: Int, unreadable: Int

        /// The content of a file's streams, before their values are taken.
        init(_ streams: [LogStream]) {
            count = streams.reduce(0) { $0 + $1.content.lineCount }
            parts = streams.count
            visits = streams.reduce(0) { $0 + $1.content.visits.visits.count }
            intervals = streams.reduce(0) { $0 + $1.content.ticks.screens.reduce(0) { $0 + $1.pairs } }
            unreadable = streams.reduce(0) { $0 + $1.badLines.count }
        }
    }

    /// Why a file isn't read, which is no fault if others are.
    package enum Rejection: Sendable, Hashable {
        /// Its format contains no data for perfgate; with the format's plural noun.
        case ignored(String, advice: String)
        /// Its format is unknown; with a description.
        case unknown(String)
        case empty

        /// The reason to ignore a file with an error; `nil` if it should have been read.
        init?(_ error: IngestError) {
            switch error {
            case .ignoredFormat(let title, let advice): self = .ignored(title, advice: advice)
            case .unknownFormat(let kind, _): self = .unknown(kind)
            default: return nil
            }
        }
    }

    package let path: String
    /// The name of its format for `--format`; `nil` if unknown, or if the file can't be opened.
    package private(set) var format: String?
    /// The format's title; `nil` without a format.
    package private(set) var title: String?
    /// The result of its records; `nil` for a log, and for files that only complete others.
    package internal(set) var records: Records?
    /// The content of a log; `nil` for other files.
    package internal(set) var lines: Lines?
    /// Why it is unusable, with advice; `nil` if it is usable or ignored.
    package fileprivate(set) var fault: FaultyInput?
    package private(set) var rejection: Rejection?
}

/// The inputs of a call, and how unread formats are handled: in a folder they are reported if others are read; a named
/// one is an error, unless its format is known.
struct NamedInputs {
    /// The inputs, in the order given.
    var inputs: [ReportedInput] = []
    /// The faults of paths that aren't inputs.
    private(set) var faults: [FaultyInput] = []
    var diagnostics: [Diagnostic] = []

    /// Adds the files of a folder or pattern.
    mutating func add(_ found: [ReportedInput], foundIn path: String) {
        let passedOver = found.filter(\.canBePassedOver)
        for var input in found {
            if input.canBePassedOver { input.fault = nil }
            inputs.append(input)
        }
        let kinds = Self.kinds(of: passedOver, in: path)
        guard passedOver.count == found.count else {
            diagnostics += FolderScan.remarks(of: path, kinds)
            return
        }
        let advice = passedOver.lazy.compactMap(\.advice).first ?? "Check that the tests ran."
        let message = "It holds no file that perfgate reads, but \(FolderScan.told(kinds)). \(advice)"
        faults.append(FaultyInput(path: path, fault: .notFound, message: message))
    }

    /// Ignores named files in known formats if anything else was read.
    mutating func finish() {
        guard inputs.contains(where: { $0.rejection == nil && $0.format != nil }) else { return }
        for (index, input) in inputs.enumerated() {
            guard let fault = input.fault, case .ignored = input.rejection else { continue }
            diagnostics.append(Diagnostic(.skippedFiles, path: input.path, fault.message))
            inputs[index].fault = nil
        }
    }

    /// The kinds of files, with names relative to the folder.
    private static func kinds(of files: [ReportedInput], in path: String) -> [(kind: String, names: [String])] {
        let prefix = path.hasSuffix("/") ? path : path + "/"
        let groups = Dictionary(grouping: files, by: \.kind)
        return groups.sorted { $0.key.precedesInUTF8($1.key) }.map { kind, files in
            let names = files.map { $0.path.hasPrefix(prefix) ? String($0.path.dropFirst(prefix.count)) : $0.path }
            return (kind, names.sorted { $0.precedesInUTF8($1) })
        }
    }
}

extension ReportedInput {
    init(path: String, reader: any ForeignReader.Type, fault: FaultyInput? = nil) {
        self.init(path: path, format: reader.name, title: reader.title, fault: fault)
    }

    static func log(_ path: String) -> ReportedInput {
        ReportedInput(path: path, format: InputFormat.logName, title: InputFormat.logTitle)
    }

    /// Whether it is ignored in a folder with other files, because nothing suggests that perfgate could read it.
    fileprivate var canBePassedOver: Bool {
        switch rejection {
        case .ignored: true
        case .unknown: !FolderScan.promisesLog(path)
        case .empty: !FolderScan.endings.contains(where: path.hasSuffix)
        case nil: false
        }
    }

    fileprivate var kind: String {
        switch rejection {
        case .ignored(let title, _): title
        case .unknown: "files in no known format"
        case .empty: "empty files"
        case nil: ""
        }
    }

    fileprivate var advice: String? { if case .ignored(_, let advice) = rejection { advice } else { nil } }
}

extension [ReportedInput] {
    /// The same inputs sorted by path, with the counts of their lines and records.
    func counting(_ streams: [LogStream], _ tallies: [RecordTally]) -> [ReportedInput] {
        let streams = Dictionary(grouping: streams, by: \.facts.path)
        let tallies = Dictionary(tallies.map { ($0.path, $0) }) { first, _ in first }
        let counted = map { input in
            var input = input
            input.lines = streams[input.path].map(ReportedInput.Lines.init)
            input.records = tallies[input.path].map { tally in
                ReportedInput.Records(
                    noun: tally.noun, read: tally.read, skipped: tally.skipped.count,
                    notUnderstood: tally.notUnderstood.count)
            }
            return input
        }
        return counted.sorted { $0.path.precedesInUTF8($1.path) }
    }
}

extension IngestError {
    package func fault(of path: String) -> FaultyInput { FaultyInput(path: path, fault: fault, message: description) }
}

/// The inputs with their counts, file by file, and their combined measurements.
package struct InputReport: Sendable {
    /// The inputs, sorted by path.
    package let inputs: [ReportedInput]
    /// The measurements of other tools' files with their pages, sorted.
    package let cells: [PlacedCell]
    package let measurements: Measurements
}

/// Measurements of other tools as the lines of a perfgate log; reading it gives the same cells, pages and runs,
/// without the rules and flags.
package struct ConvertedLog: Sendable {
    private let runs: [Run]
    private let cells: [String: [PlacedCell]]

    /// Takes the sound runs of other tools; bad runs are left out.
    package init(_ survey: InputReport) {
        cells = Dictionary(grouping: survey.cells, by: \.run)
        let known = Set(cells.keys)
        runs = survey.measurements.runs.filter { known.contains($0.id) && $0.isComplete }
    }

    /// The log: one run after the other, each closed by its `end` line.
    package var bytes: [UInt8] { runs.flatMap(lines) }

    private func lines(of run: Run) -> [UInt8] {
        let cells = cells[run.id] ?? []
        let measured = cells.flatMap { lines(of: $0, in: run) }
        let begin: JSONTree = ["type": "run", "schema": 1, "run_id": .string(run.id)]
        let end: JSONTree = ["type": "end", "run_id": .string(run.id), "lines": .integer(measured.count + 2)]
        let head = begin + Self.fields(of: run.context, without: Context()) + [("expects_end", true)]
        return ([head] + measured + [end]).flatMap { $0.bytes(JSONWriter()) }
    }

    /// One line per iteration, including those without samples.
    private func lines(of cell: PlacedCell, in run: Run) -> [JSONTree] {
        let samples = Dictionary(grouping: cell.samples, by: \.iteration)
        return cell.iterations.union(samples.keys).sorted().map { iteration in
            let values = (samples[iteration] ?? []).sorted().map { JSONTree.number($0.value) }
            let line: JSONTree = [
                "type": "metric", "page": .string(cell.page.name), "iteration": .integer(iteration),
                "metric": .string(cell.metric.id), "unit": .string(cell.metric.unit.symbol),
                "better": .string(cell.metric.better.rawValue), "values": .list(values),
                "test": cell.test.map(JSONTree.string),
            ]
            return line + Self.fields(of: cell.context, without: run.context)
        }
    }

    /// The fields that differ from the run's. A line with its own device needs its own refresh rate, too.
    private static func fields(of context: Context, without known: Context) -> [(String, JSONTree)] {
        let hasOwnDevice = context["device"] != known["device"]
        return Context.names.compactMap { name -> (String, JSONTree)? in
            guard let value = context[name], value != known[name] || hasOwnDevice && name == "max_fps" else {
                return nil
            }
            return switch value {
            case .text(let text): (name, .string(text))
            case .number(let number): (name, .number(number))
            case .flag(let flag): (name, .bool(flag))
            }
        }
    }
}

/// A file's measurement of one metric, with its page.
package struct PlacedCell: Sendable, Hashable, Comparable {
    package let format: String, run: String
    /// The test, process, table or event in the file, against which the rules of `map:` are matched.
    package let subject: String
    /// The pattern of the matching rule; `nil` if none matched.
    package let pattern: String?
    let place: PageInEnvironment
    /// The test's name for reports; `nil` if unknown.
    package let test: String?
    package let metric: Metric
    /// The conditions: the run's plus the rule's.
    package let context: Context
    /// The samples; all of them finite.
    package let samples: [Sample]
    /// The iterations that measured it, with or without samples.
    package let iterations: Set<Int>

    package var page: Page { place.page }
    var cell: Cell { place.cell(metric.id) }

    /// Sorts by run, page, subject, test, then metric, independent of file order.
    package static func < (lhs: PlacedCell, rhs: PlacedCell) -> Bool { lhs.order.lexicographicallyPrecedes(rhs.order) }

    private var order: [UInt8] {
        Array([run, page.name, subject, test ?? "", metric.id, metric.unit.symbol].map(\.utf8).joined(separator: [0]))
    }
}
