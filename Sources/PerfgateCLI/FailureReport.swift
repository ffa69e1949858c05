import PerfgateCompare
import PerfgateModel
import PerfgateReport

/// Reports of a call that ended before anything could be judged.
///
/// Without them a server would publish those that an earlier call left in the same workspace.
struct FailureReport {
    private let outputs: OutputOptions

    /// Takes the flags that say what is written.
    init(_ outputs: OutputOptions) {
        self.outputs = outputs
    }

    /// Does the work; where the configuration, a baseline, a template or a reference can't be used, every output says so
    /// before the error goes on.
    ///
    /// - Parameter logs: The paths that are read, of which no output may replace any.
    func cover(_ logs: [String], _ work: () throws -> Void) throws {
        try outputs.spare(logs)
        do {
            try work()
        } catch let error as ConfigurationError {
            write(.badConfiguration, error.problems.map { FaultyInput(path: $0.location, message: $0.message) })
            throw error
        } catch let error as CommandError where error.status == .badConfiguration || error.status == .noInput {
            write(error.status, [FaultyInput(path: "perfgate", message: error.description)])
            throw error
        }
    }

    /// What can't be written is left: the error that is on its way says more.
    private func write(_ status: ExitStatus, _ faults: [FaultyInput]) {
        var outputs = outputs
        outputs.templates = nil
        try? ReportFiles(outputs).write(Self.report(status, faults))
    }

    private static func report(_ status: ExitStatus, _ faults: [FaultyInput]) -> GateReport {
        let first = faults.first.map { $0.path == "perfgate" ? $0.message : "\($0.path): \($0.message)" } ?? ""
        let more = faults.count > 1 ? " (and \(faults.count - 1) more)." : first.hasSuffix(".") ? "" : "."
        return GateReport(
            tool: Perfgate.tool, outcome: status.outcome, exitCode: status.rawValue,
            headline: CleanText.line("Nothing was judged: \(first)\(more)"), faultyInputs: faults)
    }
}

extension FaultyInput {
    fileprivate init(path: String, message: String) {
        self.init(path: path, run: nil, fault: .badData, message: message)
    }
}
