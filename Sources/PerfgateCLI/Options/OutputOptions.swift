import ArgumentParser
import Foundation
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

    /// Refuses outputs that would replace what is read, or that would be read as one of the logs of a folder.
    func spare(_ logs: [String]) throws {
        for (flag, path) in files where !path.isStandardOutput {
            for log in logs where log != "-" {
                if OutputPath(log) == path {
                    throw ValidationError(
                        "'\(flag)' would replace '\(log)', which is read. Give the report a file of its own.")
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

/// Where an output goes; two that name the same file are equal, however they are written.
struct OutputPath {
    private let text: String
    private let resolved: String

    /// Takes a path; `-` is standard output.
    init(_ text: String) {
        self.text = text
        let isOutput = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(text)
        resolved = isOutput ? "-" : URL(filePath: text).standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// Whether it is standard output.
    var isStandardOutput: Bool { resolved == "-" }

    /// Whether another output is right in this folder.
    func isParent(of other: OutputPath) -> Bool {
        URL(filePath: other.resolved).deletingLastPathComponent().path == resolved
    }

    /// The path of a file in the same folder.
    func sibling(_ name: String) -> String {
        guard let slash = text.lastIndex(of: "/") else { return name }
        return text[...slash] + name
    }
}

extension OutputPath: Hashable {
    /// Whether both are the same file.
    static func == (lhs: OutputPath, rhs: OutputPath) -> Bool { lhs.resolved == rhs.resolved }

    /// Feeds the file.
    func hash(into hasher: inout Hasher) { hasher.combine(resolved) }
}

extension OutputPath: CustomStringConvertible {
    /// The path as it was given.
    var description: String { text }
}

/// Where the HTML report will be found: `--report-url`, else `PERFGATE_REPORT_URL`.
struct ReportAddress {
    /// The address; `nil` where nobody said.
    let text: String?

    /// Takes the flag's value.
    init(_ flag: String?) {
        let variable = ProcessInfo.processInfo.environment["PERFGATE_REPORT_URL"]
        text = flag ?? variable.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Refuses what a reader of the report must not be led to.
    func validate() throws {
        guard let text, !["http://", "https://"].contains(where: text.lowercased().hasPrefix) else { return }
        throw ValidationError("'--report-url' (or PERFGATE_REPORT_URL) takes an address that begins with https://.")
    }
}
