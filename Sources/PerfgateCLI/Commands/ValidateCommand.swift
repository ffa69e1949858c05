import ArgumentParser
import PerfgateCompare
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

    @Argument(help: "The files: paths, folders, patterns, or - for standard input.")
    var logs: [String]

    @OptionGroup(title: "Input") var inputs: InputOptions

    @Flag(help: "List every metric of every page with its samples, not only the pages.")
    var details = false

    func run() throws {
        let options = inputs.ingestOptions(try inputs.configuration())
        let survey = Ingest(options).survey(logs)
        ConsoleReport.tell(survey.measurements.diagnostics)
        StandardStream.output.show(ValidationText(survey, details: details).text)
        let status = ExitStatus(reading: survey.measurements)
        if status != .passed { throw ExitCode(status) }
    }
}

/// The text of a survey of inputs: files, runs, pages by environment, and the map from tests to pages.
struct ValidationText {
    private let survey: InputReport
    private let details: Bool

    /// - Parameter details: Whether every metric has a row, instead of every page.
    init(_ survey: InputReport, details: Bool = false) { (self.survey, self.details) = (survey, details) }

    var text: String {
        let sections = [files, runs, pages, map].filter { !$0.isEmpty }
        return sections.map { $0.map { CleanText.logLine($0) + "\n" }.joined() }.joined(separator: "\n")
    }

    private var files: [String] {
        let faults = Dictionary(grouping: survey.measurements.faultyInputs, by: \.path)
        return survey.inputs.flatMap { input in
            let format = input.format.map { "\($0), \(input.title ?? "")" }
            let lines = [lineCounts(input.lines), recordCounts(input.records)].compactMap { $0 }
            let reasons = Set((faults[input.path] ?? []).map(\.message)).sorted()
            return ["\(input.path): \(format ?? passedOver(input.rejection))"]
                + (lines + reasons).map { "  " + $0 }
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

    private func lineCounts(_ lines: ReportedInput.Lines?) -> String? {
        guard let lines else { return nil }
        let unreadable = lines.unreadable == 0 ? "" : ", \(lines.unreadable) unreadable"
        // A log without scrolls has no frames, and one without visits no loads.
        let found = [(lines.visits, "page visit", ""), (lines.intervals, "interval", " between frames")]
            .filter { $0.0 > 0 }.map { Figure.count($0.0, $0.1) + $0.2 }
        return Figure.count(lines.count, "line") + unreadable + ", " + Figure.count(lines.parts, "part")
            + (found.isEmpty ? "" : ": " + found.joined(separator: ", "))
    }

    private func recordCounts(_ records: ReportedInput.Records?) -> String? {
        records.map {
            "\($0.read) of \($0.read + $0.skipped + $0.notUnderstood) \($0.noun) read, \($0.skipped) left out, "
                + "\($0.notUnderstood) not understood"
        }
    }

    private var runs: [String] {
        guard !survey.measurements.runs.isEmpty else { return [] }
        var columns = TextColumns()
        for run in survey.measurements.runs {
            let faults = run.streams.flatMap(\.faults).joined(separator: " ")
            columns.add([
                run.id, Figure.count(run.sampleCount, "sample"), run.isComplete ? "sound" : "bad data: \(faults)",
            ])
        }
        return [Figure.count(survey.measurements.runs.count, "run")] + columns.lines()
    }

    private var pages: [String] {
        let cells = survey.measurements.cells
        let environments = survey.measurements.environments
        guard !environments.isEmpty else { return [] }
        let lines = environments.flatMap { environment in
            var columns = TextColumns()
            let own = cells.keys.filter { $0.environment == environment }.sorted()
            let pages = details ? [:] : Dictionary(grouping: own, by: \.page)
            for (_, cells) in pages.sorted(by: { $0.key < $1.key }) { columns.add(row(of: cells)) }
            for cell in details ? own : [] {
                guard let measured = cells[cell] else { continue }
                columns.add([
                    cell.page.name, cell.metric, measured.metric.unit.symbol,
                    Figure.count(measured.values.count, "sample") + " of "
                        + Figure.count(measured.runs.count { !$0.samples.isEmpty }, "run"),
                ])
            }
            return ["  \(environment)"] + columns.lines(indent: 4)
        }
        return [Figure.count(environments.count, "environment")] + lines
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
        var columns = TextColumns()
        for cell in survey.cells {
            guard known.insert([cell.format, cell.subject, cell.page.name]).inserted else { continue }
            columns.add([cell.format, cell.subject, "→ \(cell.page.name)", cell.pattern ?? "by no rule"])
        }
        return known.isEmpty ? [] : ["tests, processes and tables as pages (map:)"] + columns.lines()
    }
}

struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats",
        abstract:
            "Lists the formats that perfgate reads or knowingly ignores, and the command that produces each.",
        discussion: """
            EXAMPLE
              perfgate formats

            perfgate detects a file's format from its content. The names in the first column are the values of \
            --format and of the rules of map: in the configuration.

            Exit codes: 0 listed.
            """)

    func run() { StandardStream.output.write(Self.text(ListedFormat.all)) }

    static func text(_ formats: [ListedFormat]) -> String {
        let (read, ignored) = (formats.filter { $0.name != nil }, formats.filter { $0.name == nil })
        var columns = TextColumns()
        for format in read { columns.add([format.name ?? "", format.title]) }
        let lines = zip(columns.lines(), read).flatMap { [$0, "      \($1.advice)"] }
        let others = ignored.map { "  \($0.title): \($0.advice)" }
        return (["Read:"] + lines + ["", "Known, but ignored beside other files:"] + others).joined(
            separator: "\n")
            + "\n"
    }
}
