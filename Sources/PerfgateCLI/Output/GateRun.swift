import ArgumentParser
import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// The steps that `check` and `compare` share: open the outputs, read, judge, write, exit.
struct GateRun {
    let inputs: InputOptions
    let outputs: OutputOptions
    var configuration: GateConfiguration
    let call: CallFiles
    var rerun: RerunOptions?
    var pinned: PinnedReference?
    var views: ViewFindings?
    var measured: MeasureState?
    /// Explains a red report by recorded stacks; `nil`: there are none.
    var why: ((inout GateReport) throws -> Void)?
    /// A file that gets the report as JSON where no option names one; `nil`: none.
    var kept: String?
    var remarks: [Diagnostic] = []
    var repeated: [SuggestedCommand.Argument] = []

    /// Judges logs against a base, writes every report, and exits with the code.
    func run(_ logs: [String], against base: Gate.Base) throws {
        let files = try ReportFiles(outputs, of: call)
        let list = try rerun?.openList(call)
        var gate = Self.gate(inputs, configuration)
        gate.isSoft = outputs.softFail
        gate.pinned = pinned
        gate.views = views
        gate.measured = measured
        gate.remarks = remarks
        let assess = { (again: [String]) in
            gate.call = Invocation(options: repeated, result: outputs.json ?? kept, logs: logs + again)
            return try reading { try gate.report(on: logs, again: again, against: base, progress: $0) }
        }
        var report = try rerun?.report(assess: assess) ?? assess([])
        try list?.write(suspectsOf: &report)
        try why?(&report)
        report.job = ReportedJob(variables: ProcessInfo.processInfo.environment)
        try files.write(report)
        if outputs.json == nil, let kept { try FileAccess.replace(kept, with: Array(report.json())) }
        ConsoleReport(outputs).tell(report)
        if report.exitCode != 0 { throw ExitCode(Int32(report.exitCode)) }
    }

    static func gate(_ inputs: InputOptions, _ configuration: GateConfiguration) -> Gate {
        Gate(
            ingest: inputs.ingestOptions(configuration), policy: configuration.policy,
            scoring: configuration.scoring, tool: Program.tool)
    }

    /// The report of logs against the stored baselines; prints its diagnostics.
    static func report(
        on logs: [String], _ inputs: InputOptions, _ folder: BaselineFolder, _ configuration: GateConfiguration
    ) throws -> GateReport {
        let configuration = configuration.naming(baselines: folder.baselines)
        let baselines = try configuration.store.content()
        let report = try gate(inputs, configuration).report(on: logs, against: .baselines(baselines))
        ConsoleReport.tell(report.diagnostics)
        return report
    }

    private func reading<Result>(_ work: (Ingest.Progress?) throws -> Result) rethrows -> Result {
        guard !outputs.quiet else { return try work(nil) }
        var progress = ReadingProgress()
        defer { progress.finish() }
        return try work { bytes, total in progress.advance(bytes, of: total) }
    }
}

/// Prints a finished report to standard output and standard error.
struct ConsoleReport {
    private let outputs: OutputOptions

    init(_ outputs: OutputOptions) { self.outputs = outputs }

    /// Writes the diagnostics to standard error. Annotations and summary go to standard output, or to standard error
    /// if a report goes to standard output.
    func tell(_ report: GateReport) {
        Self.tell(report.diagnostics)
        let stream = outputs.takesStandardOutput ? StandardStream.error : .output
        if outputs.annotations == .github { stream.write(GitHubAnnotations(report).text) }
        guard !outputs.quiet else { return }
        var options = TerminalSummary.Options()
        options.hasColor = hasColor(on: stream)
        stream.show(TerminalSummary(report, options: options).text)
    }

    /// Writes diagnostics to standard error, one line each.
    static func tell(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics {
            let place = diagnostic.location.map { "\($0): " } ?? ""
            StandardStream.error.tell(
                "\(place)\(diagnostic.severity.rawValue): \(diagnostic.message) [\(diagnostic.code.rawValue)]")
        }
    }

    private func hasColor(on stream: StandardStream) -> Bool {
        switch outputs.color {
        case .always: true
        case .never: false
        case .auto: stream.isTerminal && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
        }
    }
}

/// Reports of a call that ended before it could judge anything.
///
/// Without them a server would publish the reports of an earlier call in the same workspace.
struct FailureReport {
    private let outputs: OutputOptions
    private let call: CallFiles

    init(_ outputs: OutputOptions, of call: CallFiles) { (self.outputs, self.call) = (outputs, call) }

    /// Does the work. If the configuration, a baseline, a template or a reference can't be used, every output reports
    /// that before the error is thrown.
    func cover(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as ConfigurationError {
            try write(.badConfiguration, error.problems.map { FaultyInput(path: $0.location, message: $0.message) })
            throw error
        } catch let error as CommandError
            where [.badConfiguration, .noInput, .badData].contains(error.status)
        {
            try write(error.status, [FaultyInput(path: "perfgate", message: error.description)])
            throw error
        }
    }

    /// Ignores outputs that can't be written, because the current error is more useful. An output that would replace
    /// an input of the call is reported first.
    private func write(_ status: ExitStatus, _ faults: [FaultyInput]) throws(OutputConflict) {
        var outputs = outputs
        outputs.templates = nil
        do {
            try ReportFiles(outputs, of: call).write(Self.report(status, faults))
        } catch let conflict as OutputConflict {
            throw conflict
        } catch {}
    }

    private static func report(_ status: ExitStatus, _ faults: [FaultyInput]) -> GateReport {
        let first = faults.first.map { $0.path == "perfgate" ? $0.message : "\($0.path): \($0.message)" } ?? ""
        let more = faults.count > 1 ? " (and \(faults.count - 1) more)." : first.hasSuffix(".") ? "" : "."
        return GateReport(
            tool: Program.tool, outcome: status.outcome, exitCode: status.rawValue,
            headline: CleanText.line("Nothing was judged: \(first)\(more)"), faultyInputs: faults)
    }
}

extension FaultyInput {
    fileprivate init(path: String, message: String) {
        self.init(path: path, run: nil, fault: .badData, message: message)
    }
}
