import ArgumentParser
import PerfgateCompare
import PerfgateIngest
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
        let file = try ReportFile(out)
        let survey = Ingest(inputs.ingestOptions(configuration)).survey(logs)
        ConsoleReport.tell(survey.measurements.diagnostics)
        tell(survey.measurements)
        try file.write(try bytes(of: survey))
        let status = ExitStatus(reading: survey.measurements)
        if status != .passed { throw ExitCode(status) }
    }

    private func bytes(of survey: InputSurvey) throws -> [UInt8] {
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
