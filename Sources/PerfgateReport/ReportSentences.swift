import PerfgateCompare
import PerfgateModel

/// The sentences about runs, environments and inputs that Markdown and HTML share.
struct ReportSentences {
    /// The report.
    let report: GateReport

    /// Where it was measured: a sentence an environment, then one a run.
    var environments: [String] { report.environments.map(environment) + report.runs.map(run) }

    /// The inputs that could not be used.
    var faults: [String] {
        report.faultyInputs.map { fault in
            let run = fault.run.map { ", run \($0)" } ?? ""
            return "\(fault.path)\(run): \(fault.message)"
        }
    }

    /// The diagnostics, each with its place and code.
    var diagnostics: [String] {
        report.diagnostics.map { diagnostic in
            let place = diagnostic.location.map { "\($0): " } ?? ""
            return "\(place)\(diagnostic.severity.rawValue): \(diagnostic.message) (\(diagnostic.code.rawValue))"
        }
    }

    private func environment(_ summary: EnvironmentSummary) -> String {
        guard let newest = summary.baselineRuns.last else { return "\(summary.environment): no baseline" }
        let details = [newest.commit.map { "commit \($0)" }, newest.startedAt].compactMap(\.self)
        let runs = Figure.count(summary.baselineRuns.count, "run")
        return "\(summary.environment): baseline of \(runs), the newest \(newest.id)"
            + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
            + "; \(Figure.count(summary.gatedCells, "gated comparison"))"
    }

    private func run(_ run: Run) -> String {
        let commit = run.commit.map { ", commit \($0)" } ?? ""
        return "run \(run.id): \(Figure.count(run.sampleCount, "sample"))\(commit)"
            + (run.isComplete ? "" : ", bad data")
    }
}
