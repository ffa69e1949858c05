import ArgumentParser
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// `perfgate convert`: writes other tools' measurements as a perfgate log, or any input as a table.
struct ConvertCommand: ParsableCommand {
    enum Form: String, CaseIterable, ExpressibleByArgument {
        case log
        case csv
    }

    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts other tools' files to the perfgate log, or any input to a table.",
        discussion: """
            EXAMPLE
              perfgate convert metrics.json --max-fps 60 --out metrics.ndjson
              perfgate convert logs/ --to csv > logs.csv

            The log contains the pages that the rules of map: found and the device facts from the flags, so it can \
            be read without them. The table has one sample per line.

            Exit codes: 0 everything was written, 64 usage, 65 bad data was left out, 66 no input, 73 can't write, \
            78 bad configuration.
            """)

    @Argument(help: "The files: paths, folders, patterns, or - for standard input.")
    var logs: [String]

    @Option(help: .taking("form", "What to write."))
    var to = Form.log

    @Option(help: .taking("file", "Where to write it; default: standard output."))
    var out = "-"

    @OptionGroup(title: "Input") var inputs: InputOptions

    func run() throws {
        let configuration = try inputs.configuration()
        let file = try CallFiles(logs: logs, inputs.file).output(out, for: "--out")
        let survey = Ingest(inputs.ingestOptions(configuration)).survey(logs)
        ConsoleReport.tell(survey.measurements.diagnostics)
        tell(survey.measurements)
        let (status, bytes) = (ExitStatus(reading: survey.measurements), try bytes(of: survey))
        // Where nothing was read, an earlier result stays.
        if status == .passed || !survey.measurements.cells.isEmpty { try file.write(bytes) }
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

/// Measurements as comma-separated values (RFC 4180), one sample per line: environment, run, page, metric, value.
struct MeasurementTable {
    private let measurements: Measurements

    init(_ measurements: Measurements) { self.measurements = measurements }

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
            run.samples.map { start.map(CleanText.cell) + [CleanText.cell(run.run), "\($0.iteration)", "\($0.value)"] }
        }
    }

    private static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") + "\r\n" }

    /// Quotes a text that contains a comma, a quote or a line end; quotes inside are doubled.
    private static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
