import ArgumentParser
import Foundation
import PerfgateCompare
import PerfgateIngest
import PerfgateKit
import PerfgateReport

/// `perfgate calibrate`: what runs without any change say of the gate.
///
/// It judges nothing, so that it exits with 0 whatever it finds; the patch is a text to read and to merge, never
/// a configuration that perfgate would change by itself.
struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Says how noisy each metric is, what a gate can see in it, and which tolerances keep it quiet.",
        discussion: """
            Give it logs of several runs of one build, between which nothing was changed; without logs it takes the \
            runs of the baselines.

            EXAMPLE
              perfgate calibrate nightly/*.ndjson --patch tolerances.yml

            Exit codes: 0 calibrated, 64 usage, 65 bad data, 66 no input, 73 can't write, 78 bad configuration or \
            baseline.
            """)

    @Argument(help: "The logs: files, folders, patterns, or - for standard input.")
    var logs: [String] = []

    @Option(help: ArgumentHelp("Write the suggested tolerances as a part of a configuration.", valueName: "file"))
    var patch: String?

    @Flag(help: "Let '--patch' replace a file that is there already.")
    var replace = false

    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder

    func run() throws {
        let file = try patch.map { try open($0) }
        let configuration = try inputs.configuration()
        let calibration = try Calibration(reference(configuration), policy: configuration.policy)
        guard !calibration.cells.isEmpty else {
            throw CommandError(
                status: .noInput,
                description: "There is no sample to calibrate by. Give logs, or the --baselines that hold some.")
        }
        try file?.write(Array(CalibrationPatch(calibration).text.utf8))
        let stream = patch == "-" ? StandardStream.error : .output
        stream.write(CalibrationText(calibration).text)
    }

    /// A patch that somebody has worked on isn't replaced without being told to.
    private func open(_ patch: String) throws(CommandError) -> ReportFile {
        guard patch == "-" || replace || !FileManager.default.fileExists(atPath: patch) else {
            throw CommandError(
                status: .cannotWrite,
                description: "\(patch) is there already. Give another path, or --replace to overwrite it.")
        }
        return try ReportFile(patch)
    }

    private func reference(_ configuration: Configuration) throws -> Reference {
        guard !logs.isEmpty else { return Reference(try folder.store(configuration).content()) }
        let options = inputs.ingestOptions(configuration)
        let measurements = Ingest(options).read(logs)
        ConsoleReport.tell(measurements.diagnostics)
        if let fault = measurements.faultyInputs.first {
            throw CommandError(
                status: ExitStatus(fault.fault),
                description: "\(fault.path): \(fault.message)")
        }
        return Reference(measurements, key: options.environmentKey)
    }
}
