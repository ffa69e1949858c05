import ArgumentParser
import PerfgateCompare
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// The common course of `check` and `compare`: open the outputs, read, judge, write, exit.
struct GateRun {
    let inputs: InputOptions
    let outputs: OutputOptions
    let configuration: Configuration
    /// How suspects are measured again; `nil`: they aren't.
    var rerun: RerunOptions?
    /// A second reference that never moves; `nil`: none.
    var pinned: PinnedReference?
    /// What to say beside what the logs tell.
    var remarks: [Diagnostic] = []
    /// The folder of the baselines, where the call names it.
    var baselines: String?

    /// Judges logs against a base, writes every report, and ends with the code.
    func run(_ logs: [String], against base: Gate.Base) throws {
        let files = try ReportFiles(outputs)
        let list = try rerun?.openList()
        var gate = Self.gate(inputs, configuration)
        gate.isSoft = outputs.softFail
        gate.pinned = pinned
        gate.remarks = remarks
        gate.call = CalledWith(baselines: baselines, configuration: inputs.file.config, result: outputs.json)
        let assess = { (logs: [String]) in
            try reading { try gate.report(on: logs, against: base, progress: $0) }
        }
        var report = try rerun?.report(on: logs, assess: assess) ?? assess(logs)
        try list?.write(suspectsOf: &report)
        try files.write(report)
        ConsoleReport(outputs).tell(report)
        if report.exitCode != 0 { throw ExitCode(Int32(report.exitCode)) }
    }

    /// The gate as flags and configuration want it.
    static func gate(_ inputs: InputOptions, _ configuration: Configuration) -> Gate {
        Gate(
            ingest: inputs.ingestOptions(configuration), policy: configuration.policy,
            scoring: configuration.scoring, tool: Perfgate.tool)
    }

    /// What logs say against the stored baselines, with its diagnostics told.
    static func report(
        on logs: [String], _ inputs: InputOptions, _ folder: BaselineFolder, _ configuration: Configuration
    ) throws -> GateReport {
        let baselines = try folder.store(configuration).content()
        let report = try gate(inputs, configuration).report(on: logs, against: .baselines(baselines))
        ConsoleReport.tell(report.diagnostics)
        return report
    }

    /// Does what takes long, and tells how far it is.
    private func reading<Result>(_ work: (Ingest.Progress?) throws -> Result) rethrows -> Result {
        guard !outputs.quiet else { return try work(nil) }
        var progress = ReadingProgress()
        defer { progress.finish() }
        return try work { bytes, total in progress.advance(bytes, of: total) }
    }
}
