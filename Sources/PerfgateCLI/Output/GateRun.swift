import ArgumentParser
import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// The steps that `check`, `compare` and `measure` share: open the outputs, read, judge, write, exit.
struct GateRun {
    var gate: Gate
    let outputs: OutputOptions
    let call: CallFiles
    var rerun: RerunOptions?
    /// Explains a red report by recorded stacks; `nil`: there are none.
    var why: ((inout GateReport) throws -> Void)?
    /// A file that gets the report as JSON where no option names one; `nil`: none.
    var kept: String?
    var repeated: [SuggestedCommand.Argument] = []

    /// Judges logs against a base, writes every report, and exits with the code.
    func judge(_ logs: [String], against base: Gate.Base) throws {
        let files = try ReportFiles(outputs, of: call)
        let list = try rerun?.openList(call)
        var gate = gate
        gate.isSoft = outputs.softFail
        let assess = { (again: [String]) in
            gate.call = Invocation(options: repeated, result: outputs.json ?? kept, logs: logs + again)
            return try ReadingProgress.showing(unless: outputs.quiet) {
                try gate.report(on: logs, again: again, against: base, progress: $0)
            }
        }
        var report = try rerun?.report(assess: assess) ?? assess([])
        if let list { try rerun?.write(suspectsOf: &report, to: list) }
        try why?(&report)
        report.job = ReportedJob(variables: ProcessInfo.processInfo.environment)
        try files.write(report)
        if outputs.json == nil, let kept { try FileAccess.replace(kept, with: Array(report.json())) }
        outputs.tell(report)
        if report.exitCode != 0 { throw ExitCode(Int32(report.exitCode)) }
    }

    /// The report of logs against the stored baselines; prints its diagnostics.
    static func report(
        on logs: [String], _ inputs: InputOptions, _ folder: BaselineFolder, _ configuration: GateConfiguration
    ) throws -> GateReport {
        let configuration = configuration.naming(baselines: folder.baselines)
        let baselines = try configuration.store.content()
        let report = try inputs.gate(configuration).report(on: logs, against: .baselines(baselines))
        ConsoleReport.tell(report.diagnostics)
        return report
    }
}

extension OutputOptions {
    /// Writes a report's diagnostics to standard error. Annotations and summary go to standard output, or to standard
    /// error if a report goes to standard output.
    func tell(_ report: GateReport) {
        ConsoleReport.tell(report.diagnostics)
        let stream = takesStandardOutput ? StandardStream.error : .output
        if annotations == .github { stream.write(GitHubAnnotations(report).text) }
        guard !quiet else { return }
        var options = TerminalSummary.Options()
        options.hasColor =
            switch color {
            case .always: true
            case .never: false
            case .auto: stream.isTerminal && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
            }
        stream.show(TerminalSummary(report, options: options).text)
    }
}

enum ConsoleReport {
    /// Writes diagnostics to standard error, one line each.
    static func tell(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics {
            let place = diagnostic.location.map { "\($0): " } ?? ""
            StandardStream.error.tell(
                "\(place)\(diagnostic.severity.rawValue): \(diagnostic.message) [\(diagnostic.code.rawValue)]")
        }
    }
}

// Reports of a call that ended before it could judge anything. Without them a server would publish the reports of an
// earlier call in the same workspace.
extension OutputOptions {
    /// Does the work. If the configuration, a baseline, a template or a reference can't be used, every output reports
    /// that before the error is thrown.
    func covering(_ call: CallFiles, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as ConfigurationError {
            try write(.badConfiguration, error.problems.map { ($0.location, $0.message) }, call)
            throw error
        } catch let error as any StatusError where [.badConfiguration, .noInput, .badData].contains(error.status) {
            try write(error.status, [("perfgate", "\(error)")], call)
            throw error
        }
    }

    /// Ignores outputs that can't be written, because the current error is more useful. An output that would replace
    /// an input of the call is reported first.
    private func write(
        _ status: ExitStatus, _ faults: [(path: String, message: String)], _ call: CallFiles
    ) throws(OutputConflict) {
        let first = faults.first.map { $0.path == "perfgate" ? $0.message : "\($0.path): \($0.message)" } ?? ""
        let more = faults.count > 1 ? " (and \(faults.count - 1) more)." : first.hasSuffix(".") ? "" : "."
        let report = GateReport(
            tool: Program.tool, outcome: status.outcome, exitCode: status.rawValue,
            headline: CleanText.line("Nothing was judged: \(first)\(more)"),
            faultyInputs: faults.map { FaultyInput(path: $0.path, run: nil, fault: .badData, message: $0.message) })
        var outputs = self
        outputs.templates = nil
        do {
            try ReportFiles(outputs, of: call).write(report)
        } catch let conflict as OutputConflict {
            throw conflict
        } catch {}
    }
}

extension Diagnostic {
    init(_ fault: FaultyInput) { self.init(.unreadableInput, path: fault.path, fault.message) }
}
