import ArgumentParser
import PerfgateCompare
import PerfgateIngest
import PerfgateModel

/// `perfgate validate`: what inputs are, without judging what they measured.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Says what files are, what is read of them, and which pages their tests become.",
        discussion: """
            EXAMPLE
              perfgate validate logs/
              perfgate validate build/benchmarkData.json --device 'Pixel 5'

            Of a folder it takes every file, whatever its name. Where a file can't be used it says why, with the line; \
            the rules of map: in the configuration can so be tuned without a baseline.

            Exit codes: 0 all files can be used, 65 one can't, 66 one isn't there or measures nothing, 78 bad \
            configuration.
            """)

    @Argument(help: "The files: paths, folders, patterns, or - for standard input.")
    var logs: [String]

    @OptionGroup(title: "Input") var inputs: InputOptions

    func run() throws {
        let options = inputs.ingestOptions(try inputs.configuration())
        let survey = Ingest(options).survey(logs.flatMap(EveryFile.paths))
        ConsoleReport.tell(survey.measurements.diagnostics)
        StandardStream.output.write(ValidationText(survey).text)
        let status = ExitStatus(reading: survey.measurements)
        if status != .passed { throw ExitCode(status) }
    }
}
