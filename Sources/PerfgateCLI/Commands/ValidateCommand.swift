import ArgumentParser
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Shows the format of files, what is read from them, and how tests map to pages.",
        discussion: """
            EXAMPLE
              perfgate validate logs/
              perfgate validate build/benchmarkData.json --device 'Pixel 5'

            It reads what check reads: in a folder every file, by its content. For an unusable file it reports the \
            reason and the line. Use it to tune the rules of map: in the configuration without a baseline.

            Exit codes: 0 all files can be used, 65 a file can't, 66 a file is missing or has no measurements, 78 bad \
            configuration.
            """)

    @Argument(help: "The files: paths, folders, patterns, or - for standard input.") var logs: [String]
    @OptionGroup(title: "Input") var inputs: InputOptions
    @Flag(help: "List every metric of every page with its samples, not only the pages.") var details = false

    func run() throws {
        let survey = Ingest(inputs.ingestOptions(try inputs.file.load())).survey(logs)
        ConsoleReport.tell(survey.measurements.diagnostics)
        StandardStream.output.show(ValidationText(survey: survey, details: details).text)
        try ExitStatus(reading: survey.measurements).end()
    }
}

/// The text of a survey of inputs: files, runs, pages by environment, and the map from tests to pages.
struct ValidationText {
    let survey: InputReport
    /// Whether every metric has a row, instead of every page.
    let details: Bool

    var text: String {
        let sections = [files, runs, pages, map].filter { !$0.isEmpty }
        return sections.map { $0.map { CleanText.logLine($0) + "\n" }.joined() }.joined(separator: "\n")
    }

    private var files: [String] {
        let faults = Dictionary(grouping: survey.measurements.faultyInputs, by: \.path)
        return survey.inputs.flatMap { input in
            let format = input.format.map { "\($0), \(input.title ?? "")" }
            let lines = [input.lines.map(counts), input.records.map(counts)].compactMap(\.self)
            let reasons = Set((faults[input.path] ?? []).map(\.message)).sorted()
            return ["\(input.path): \(format ?? passedOver(input.rejection))"] + (lines + reasons).map { "  " + $0 }
        }
    }

    private func passedOver(_ rejection: ReportedInput.Rejection?) -> String {
        switch rejection {
        case .ignored(let title, _): "one of the \(title); it contains nothing to read"
        case .unknown(let kind): "not a format that perfgate reads: \(kind)"
        case .empty: "empty"
        case nil: "not a format that perfgate reads"
        }
    }

    private func counts(_ lines: ReportedInput.Lines) -> String {
        let unreadable = lines.unreadable == 0 ? "" : ", \(lines.unreadable) unreadable"
        // A log without scrolls has no frames, and one without visits no loads.
        let found = [(lines.visits, "page visit", ""), (lines.intervals, "interval", " between frames")]
            .filter { $0.0 > 0 }.map { Figure.count($0.0, $0.1) + $0.2 }
        return Figure.count(lines.count, "line") + unreadable + ", " + Figure.count(lines.parts, "part")
            + (found.isEmpty ? "" : ": " + found.joined(separator: ", "))
    }

    private func counts(_ records: ReportedInput.Records) -> String {
        let all = records.read + records.skipped + records.notUnderstood
        return "\(records.read) of \(all) \(records.noun) read, \(records.skipped) left out, "
            + "\(records.notUnderstood) not understood"
    }

    private var runs: [String] {
        let runs = survey.measurements.runs
        guard !runs.isEmpty else { return [] }
        let rows = runs.map { run in
            let faults = run.streams.flatMap(\.faults).joined(separator: " ")
            return [run.id, Figure.count(run.sampleCount, "sample"), run.isComplete ? "sound" : "bad data: \(faults)"]
        }
        return [Figure.count(runs.count, "run")] + TextColumns(rows).lines()
    }

    private var pages: [String] {
        let cells = survey.measurements.cells
        let environments = survey.measurements.environments
        guard !environments.isEmpty else { return [] }
        let lines = environments.flatMap { environment in
            let own = cells.filter { $0.key.environment == environment }.sorted { $0.key < $1.key }
            let pages = Dictionary(grouping: own.map(\.key), by: \.page).sorted { $0.key < $1.key }
            let rows = details ? own.map { row(of: $0.key, $0.value) } : pages.map { row(of: $0.value) }
            return ["  \(environment)"] + TextColumns(rows).lines(indent: 4)
        }
        return [Figure.count(environments.count, "environment")] + lines
    }

    private func row(of cell: Cell, _ measured: CellMeasurement) -> [String] {
        let samples = Figure.count(measured.values.count, "sample")
        let runs = Figure.count(measured.runs.count { !$0.samples.isEmpty }, "run")
        return [cell.page.name, cell.metric, measured.metric.unit.symbol, "\(samples) of \(runs)"]
    }

    /// A page with the number of its metrics and runs, and the first metrics: those that gate by default before others.
    private func row(of cells: [Cell]) -> [String] {
        let measured = cells.compactMap { cell in survey.measurements.cells[cell].map { (cell.metric, $0) } }
        let runs = Set(measured.flatMap { $0.1.runs.filter { !$0.samples.isEmpty }.map(\.run) }).count
        let gated = measured.filter { MetricCatalog.definition(of: $0.0)?.isGatedByDefault == true }
        let names = (gated + measured.filter { item in !gated.contains { $0.0 == item.0 } }).map(\.0)
        return [
            cells[0].page.name, "\(Figure.count(names.count, "metric")) of \(Figure.count(runs, "run"))",
            names.listed(most: Self.mostNames),
        ]
    }

    private static let mostNames = 5

    /// The tests, processes and tables that other tools' files name, each with its page.
    private var map: [String] {
        var known: Set<[String]> = []
        let cells = survey.cells.filter { known.insert([$0.format, $0.subject, $0.page.name]).inserted }
        let rows = cells.map { [$0.format, $0.subject, "→ \($0.page.name)", $0.pattern ?? "by no rule"] }
        return rows.isEmpty ? [] : ["tests, processes and tables as pages (map:)"] + TextColumns(rows).lines()
    }
}

struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats",
        abstract: "Lists the formats that perfgate reads or knowingly ignores, and the command that produces each.",
        discussion: """
            EXAMPLE
              perfgate formats

            perfgate detects a file's format from its content. The names in the first column are the values of \
            --format and of the rules of map: in the configuration.

            Exit codes: 0 listed.
            """)

    func run() {
        let (read, ignored) = (ListedFormat.all.filter { $0.name != nil }, ListedFormat.all.filter { $0.name == nil })
        let rows = TextColumns(read.map { [$0.name ?? "", $0.title] }).lines()
        let lines = zip(rows, read).flatMap { [$0, "      \($1.advice)"] }
        let others = ignored.map { "  \($0.title): \($0.advice)" }
        let all = ["Read:"] + lines + ["", "Known, but ignored beside other files:"] + others
        StandardStream.output.write(all.map { $0 + "\n" }.joined())
    }
}

struct ConvertCommand: ParsableCommand {
    enum Form: String, CaseIterable, ExpressibleByArgument { case log, csv }

    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Converts other tools' files to the perfgate log, or any input to a table.",
        discussion: """
            EXAMPLE
              perfgate convert metrics.json --max-fps 60 --out metrics.ndjson
              perfgate convert logs/ --to csv > logs.csv

            The log contains the pages that the rules of map: found and the device facts from the flags, so it can \
            be read without them. The table has one sample per line.

            Exit codes: 0 everything was written, 64 usage, 65 bad data was left out, 66 no input, 73 can't write, \
            78 bad configuration.
            """)

    @Argument(help: "The files: paths, folders, patterns, or - for standard input.") var logs: [String]
    @Option(help: .taking("form", "What to write.")) var to = Form.log
    @Option(help: .taking("file", "Where to write it; default: standard output.")) var out = "-"
    @OptionGroup(title: "Input") var inputs: InputOptions

    func run() throws {
        let configuration = try inputs.file.load()
        let file = try CallFiles(logs: logs, inputs.file).output(out, for: "--out")
        let survey = Ingest(inputs.ingestOptions(configuration)).survey(logs)
        ConsoleReport.tell(survey.measurements.diagnostics)
        tell(survey.measurements)
        let (status, bytes) = (ExitStatus(reading: survey.measurements), try bytes(of: survey))
        // Where nothing was read, an earlier result stays.
        if status == .passed || !survey.measurements.cells.isEmpty { try file.write(bytes) }
        try status.end()
    }

    private func bytes(of survey: InputReport) throws -> [UInt8] {
        guard to == .log else { return MeasurementTable.bytes(survey.measurements) }
        if let log = survey.inputs.first(where: { $0.lines != nil }) {
            throw CommandError(.usage, "\(log.path): It is a perfgate log already. Leave it out, or say --to csv.")
        }
        return ConvertedLog(survey).bytes
    }

    private func tell(_ measurements: Measurements) {
        let faults = measurements.faultyInputs.map { ($0.path, $0.message) }
        let leftOut = measurements.runs.filter { to == .log && !$0.isComplete }.map { run in
            let stream = run.streams.first { !$0.faults.isEmpty }
            return (stream?.path ?? run.id, "\(stream?.faults.joined(separator: " ") ?? "") It was left out.")
        }
        ConsoleReport.tell((faults + leftOut).map { Diagnostic(.unreadableInput, path: $0, $1) })
    }
}

/// Measurements as comma-separated values (RFC 4180), one sample per line: environment, run, page, metric, value.
enum MeasurementTable {
    static func bytes(_ measurements: Measurements) -> [UInt8] {
        let cells = measurements.cells.sorted { $0.key < $1.key }
        let names = cells.first?.key.environment.fields.map(\.name) ?? []
        let header = names + ["page", "tests", "metric", "unit", "better", "counting", "run", "iteration", "value"]
        let rows = cells.flatMap { cell, measured in
            let tests = measurements.pages[cell.place]?.tests.joined(separator: " ") ?? ""
            let facts =
                cell.environment.fields.map { $0.value?.description ?? "" } + [cell.page.name, tests, cell.metric]
            let metric = measured.metric
            let start = facts + [metric.unit.symbol, metric.better.rawValue, measured.counting.rawValue]
            return measured.runs.flatMap { run in
                run.samples.map { (start + [run.run]).map(CleanText.cell) + ["\($0.iteration)", "\($0.value)"] }
            }
        }
        return Array(([header] + rows).map(line).joined().utf8)
    }

    private static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") + "\r\n" }

    /// Quotes a text that contains a comma, a quote or a line end; quotes inside are doubled.
    private static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
