import ArgumentParser
import PerfgateReport

extension JUnitReport.Dialect: ExpressibleByArgument {}

extension HTMLReport.Assets: ExpressibleByArgument {}

/// Whether the summary is coloured.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
}

/// The server whose log takes annotations.
enum AnnotationServer: String, ExpressibleByArgument, CaseIterable {
    case github
}

/// The flags of every subcommand that writes reports.
struct OutputOptions: ParsableArguments {
    @Option(help: "Write JUnit XML to this file; - is standard output, here and below.")
    var junit: String?

    @Option(help: "How much of JUnit's form is used: rich or strict.")
    var junitDialect = JUnitReport.Dialect.rich

    @Option(help: "Write the HTML report to this file.")
    var html: String?

    @Option(help: "Where its style sheet stands: inline, or external in report.css beside it.")
    var htmlAssets = HTMLReport.Assets.inline

    @Option(help: "Write the Markdown for a pull request to this file.")
    var markdown: String?

    @Option(help: "Write the whole report as JSON to this file; perfgate report and explain read it.")
    var json: String?

    @Option(help: "Write the values as OpenMetrics text to this file.")
    var openmetrics: String?

    @Option(help: "Write the Markdown for the job's summary to this file.")
    var summary: String?

    @Option(
        name: .customLong("report-url"),
        help: "Where the HTML report will be found, for links; PERFGATE_REPORT_URL if left out.")
    var reportURL: String?

    @Option(help: "Write annotations for this server's log: github.")
    var annotations: AnnotationServer?

    @Option(help: "A folder with templates that replace the built-in ones.")
    var templates: String?

    @Option(help: "Colour the summary: auto, always or never.")
    var color = ColorChoice.auto

    @Flag(help: "Let verdicts pass: exit codes 2, 3 and 5 become 0, errors stay.")
    var softFail = false

    @Flag(help: "Write no summary and no progress.")
    var quiet = false

    func validate() throws {
        if htmlAssets == .external, html == "-" {
            throw ValidationError("'--html-assets external' writes report.css beside the page. Give '--html' a file.")
        }
        try ReportAddress(reportURL).validate()
        var flags: [OutputPath: String] = [:]
        for (flag, path) in files {
            guard let other = flags.updateValue(flag, forKey: path) else { continue }
            throw ValidationError("'\(other)' and '\(flag)' both write to '\(path)'. Give each an output of its own.")
        }
    }

    /// Refuses outputs that would replace a log, or that would be read as one of the logs of a folder.
    func spare(_ logs: [String]) throws {
        for (flag, path) in files where !path.isStandardOutput {
            for log in logs where log != "-" {
                if OutputPath(log) == path {
                    throw ValidationError(
                        "'\(flag)' would replace the log '\(log)'. Give the report a file of its own.")
                }
                if path.description.hasSuffix(".json"), OutputPath(log).isParent(of: path) {
                    throw ValidationError(
                        "'\(flag) \(path)' is in the folder '\(log)', whose files are read as logs. Write it elsewhere."
                    )
                }
            }
        }
    }

    /// The address of the HTML report, from the flag or the environment; `nil` where nobody said.
    var address: String? { ReportAddress(reportURL).text }

    /// Whether a report goes to standard output, which then has no place for anything else.
    var takesStandardOutput: Bool { files.contains { $0.path.isStandardOutput } }

    /// The file beside the HTML page that holds its style sheet; `nil` where it stands in the page, or there is none.
    var styleSheet: String? {
        guard let html, htmlAssets == .external else { return nil }
        return OutputPath(html).sibling(HTMLReport.styleSheetFile)
    }

    private var files: [(flag: String, path: OutputPath)] {
        let given: [(String, String?)] = [
            ("--junit", junit), ("--html", html), ("--html-assets", styleSheet), ("--markdown", markdown),
            ("--json", json), ("--openmetrics", openmetrics), ("--summary", summary),
        ]
        return given.compactMap { flag, path in path.map { (flag, OutputPath($0)) } }
    }
}
