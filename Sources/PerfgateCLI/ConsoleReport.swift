import Foundation
import PerfgateCompare
import PerfgateModel
import PerfgateReport

/// What a command says of a finished report on standard output and standard error.
struct ConsoleReport {
    private let outputs: OutputOptions

    /// Takes the flags that say what is wanted.
    init(_ outputs: OutputOptions) {
        self.outputs = outputs
    }

    /// Writes the diagnostics to standard error, and the annotations and the summary to standard output, or to standard
    /// error too where a report goes to standard output.
    func tell(_ report: GateReport) {
        Self.tell(report.diagnostics)
        let stream = outputs.takesStandardOutput ? StandardStream.error : .output
        if outputs.annotations == .github { stream.write(GitHubAnnotations(report).text) }
        guard !outputs.quiet else { return }
        var options = TerminalSummary.Options()
        options.hasColor = hasColor(on: stream)
        stream.write(TerminalSummary(report, options: options).text)
    }

    /// Writes diagnostics to standard error, a line each.
    static func tell(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics {
            let place = diagnostic.location.map { "\($0): " } ?? ""
            let line = "\(place)\(diagnostic.severity.rawValue): \(diagnostic.message) [\(diagnostic.code.rawValue)]"
            StandardStream.error.write(CleanText.logLine(line) + "\n")
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
