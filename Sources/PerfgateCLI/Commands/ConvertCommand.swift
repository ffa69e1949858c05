import ArgumentParser
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// `perfgate convert`: what other tools measured as the perfgate log, or everything as a table.
struct ConvertCommand: ParsableCommand {
    /// What is written.
    enum Form: String, CaseIterable, ExpressibleByArgument {
        /// The perfgate log.
        case log
        /// A table for a spreadsheet.
        case csv
    }

    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes the files of other tools as the perfgate log, or any input as a table.",
        discussion: """
            EXAMPLE
              perfgate convert metrics.json --max-fps 60 --out metrics.ndjson
              perfgate convert logs/ --to csv > logs.csv

            The log holds the pages that the rules of map: found, and what the flags say of the device: it is read \
            without them. The table has a sample a line.

            Exit codes: 0 all was written, 64 usage, 65 bad data was left out, 66 no input, 73 can't write, 78 bad \
            configuration.
            """)

    @Argument(help: "The files: paths, folders, patterns, or - for standard input.")
    var logs: [String]

    @Option(help: "What to write.")
    var to = Form.log

    @Option(help: ArgumentHelp("Where to write it; standard output if left out.", valueName: "file"))
    var out = "-"

    @OptionGroup(title: "Input") var inputs: InputOptions

    func run() throws {
        let configuration = try inputs.configuration()
        let file = try CallFiles(logs: logs, inputs.file).output(out, for: "--out")
        let survey = Ingest(inputs.ingestOptions(configuration)).survey(logs)
        ConsoleReport.tell(survey.measurements.diagnostics)
        tell(survey.measurements)
        try file.write(try bytes(of: survey))
        let status = ExitStatus(reading: survey.measurements)
        if status != .passed { throw ExitCode(status) }
    }

    private func bytes(of survey: InputReport) throws -> [UInt8] {
        switch to {
        case .csv: return MeasurementTable(survey.measurements).bytes
        case .log:
            if let log = survey.inputs.first(where: { $0.lines != nil }) {
                throw CommandError(
                    status: .usage,
                    description: "\(log.path): It is a perfgate log already. Leave it out, or say --to csv.")
            }
            return ConvertedLog(survey).bytes
        }
    }

    private func tell(_ measurements: Measurements) {
        for fault in measurements.faultyInputs { tell(fault.path, fault.message) }
        for run in measurements.runs where to == .log && !run.isComplete {
            let stream = run.streams.first { !$0.faults.isEmpty }
            tell(stream?.path ?? run.id, "\(stream?.faults.joined(separator: " ") ?? "") It was left out.")
        }
    }

    private func tell(_ path: String, _ message: String) {
        ConsoleReport.tell([Diagnostic(.unreadableInput, path: path, message)])
    }
}

/// Measurements as comma-separated values (RFC 4180), a sample a line: environment, run, page, metric, value.
struct MeasurementTable {
    private let measurements: Measurements

    init(_ measurements: Measurements) {
        self.measurements = measurements
    }

    /// The table, beginning with its header.
    var bytes: [UInt8] {
        let cells = measurements.cells.sorted { $0.key < $1.key }
        let names = cells.first?.key.environment.fields.map(\.name) ?? []
        let header = names + ["page", "tests", "metric", "unit", "better", "counting", "run", "iteration", "value"]
        return Array(([header] + cells.flatMap(rows)).map(Self.line).joined().utf8)
    }

    private func rows(_ cell: Cell, _ measured: CellMeasurement) -> [[String]] {
        let tests = measurements.pages[cell.place]?.tests.joined(separator: " ") ?? ""
        let fields = cell.environment.fields.map { $0.value?.description ?? "" }
        let start =
            fields + [
                cell.page.name, tests, cell.metric, measured.metric.unit.symbol, measured.metric.better.rawValue,
                measured.counting.rawValue,
            ]
        return measured.runs.flatMap { run in
            run.samples.map { start.map(Self.harmless) + [Self.harmless(run.run), "\($0.iteration)", "\($0.value)"] }
        }
    }

    private static func line(_ cells: [String]) -> String {
        cells.map(quoted).joined(separator: ",") + "\r\n"
    }

    /// In quotes where a comma, a quote or a line end stands in it; a quote inside is doubled.
    private static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// A text that a spreadsheet doesn't take for a formula: names come from anybody.
    private static func harmless(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else { return text }
        return "'" + text
    }
}
