import ArgumentParser
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// The common course of `check` and `compare`: open the outputs, read, judge, write, exit.
struct GateRun {
    let inputs: InputOptions
    let outputs: OutputOptions
    let configuration: Configuration

    /// Judges logs against a reference and ends with the code.
    func run(_ logs: [String], against reference: (IngestOptions) throws -> Reference) throws {
        let files = try ReportFiles(outputs)
        let options = inputs.ingestOptions(configuration)
        let base = try reference(options)
        let measurements = Ingest(options).read(logs)
        let report = try Self.report(
            of: measurements, against: base, policy: configuration.policy, isSoft: outputs.softFail)
        try files.write(report)
        ConsoleReport(outputs).tell(report)
        if report.exitCode != 0 { throw ExitCode(Int32(report.exitCode)) }
    }

    /// Judges what was measured against a reference.
    static func report(
        of measurements: Measurements, against reference: Reference, policy: Policy, isSoft: Bool = false
    ) throws -> GateReport {
        let assessment = Assessment(
            tool: Perfgate.tool, measurements: measurements, reference: reference, policy: policy, isSoft: isSoft,
            pageArgument: Self.argument)
        return try assessment.report()
    }

    private static let argument: @Sendable (Page) -> String = { page in
        let word = ShellWord(page.name)
        return word.isPlain ? word.quoted : ShellWord(FileName(for: page.name).text).quoted
    }
}
