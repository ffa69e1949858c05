import PerfgateCompare
import PerfgateReport

/// The outputs of a command, opened, and written from one finished report.
struct ReportFiles {
    private let options: OutputOptions
    private let templates: TemplateSet
    private let junit: ReportFile?
    private let html: ReportFile?
    private let markdown: ReportFile?
    private let summary: ReportFile?

    /// Opens every output, and reads the templates.
    init(_ options: OutputOptions) throws {
        self.options = options
        do {
            templates = try TemplateSet(overridingFolder: options.templates)
        } catch {
            throw CommandError(status: .badConfiguration, description: "\(error)")
        }
        junit = try options.junit.map { path throws(CommandError) in try ReportFile(path) }
        html = try options.html.map { path throws(CommandError) in try ReportFile(path) }
        markdown = try options.markdown.map { path throws(CommandError) in try ReportFile(path) }
        summary = try options.summary.map { path throws(CommandError) in try ReportFile(path) }
    }

    /// Writes every output; the summary for people goes to standard output.
    func write(_ report: GateReport, policy: Policy) throws {
        if let junit {
            var junitOptions = JUnitReport.Options()
            junitOptions.dialect = options.junitDialect
            junitOptions.policy = policy
            junitOptions.attachment = options.html
            try junit.write(try JUnitReport(report, options: junitOptions).bytes())
        }
        try html?.write(Array(HTMLReport(report, templates: templates).text.utf8))
        try markdown?.write(
            Array(MarkdownReport(report, templates: templates, options: .init(link: nil)).text.utf8))
        try summary?.write(
            Array(MarkdownReport(report, templates: templates, options: .init(byteLimit: 1 << 20)).text.utf8))
    }
}
