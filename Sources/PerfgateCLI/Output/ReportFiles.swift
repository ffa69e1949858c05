import PerfgateCompare
import PerfgateFiles
import PerfgateReport

/// The outputs of a command, probed before the work, and written from one finished report.
struct ReportFiles {
    private let options: OutputOptions
    private let templates: TemplateSet
    private let files: [(form: Form, file: OutputFile)]

    /// What can be written.
    private enum Form {
        case junit, html, styleSheet, markdown, json, openMetrics, summary
    }

    /// Reads the templates, and finds out whether every output can be written, and is no file that the call reads.
    init(_ options: OutputOptions, of call: CallFiles) throws {
        self.options = options
        templates = try TemplateSet.chosen(options.templates)
        let wanted: [(Form, String, String?)] = [
            (.junit, "--junit", options.junit), (.html, "--html", options.html),
            (.styleSheet, "--html-assets", options.styleSheet), (.markdown, "--markdown", options.markdown),
            (.json, "--json", options.json), (.openMetrics, "--openmetrics", options.openmetrics),
            (.summary, "--summary", options.summary),
        ]
        files = try wanted.compactMap { form, flag, path in try path.map { (form, try call.output($0, for: flag)) } }
    }

    /// Writes every output; where one can't be written, all keep what they held.
    func write(_ report: GateReport) throws {
        try OutputFile.write(files.map { form, file in (file, { try bytes(of: report, as: form) }) })
    }

    private func bytes(of report: GateReport, as form: Form) throws -> [UInt8] {
        let page = { HTMLReport(report, templates: templates, assets: options.htmlAssets) }
        let markdown = { Array(MarkdownReport(report, templates: templates, options: $0).text.utf8) }
        return switch form {
        case .junit: try JUnitReport(report, options: junitOptions).bytes()
        case .html: Array(page().text.utf8)
        case .styleSheet: Array((page().styleSheet ?? "").utf8)
        case .markdown: markdown(.init(link: options.address))
        case .json: JSONReport(report).bytes()
        case .openMetrics: OpenMetricsReport(report).bytes()
        case .summary: markdown(summaryOptions)
        }
    }

    private var summaryOptions: MarkdownReport.Options {
        .init(link: options.address, byteLimit: MarkdownReport.Options.summaryByteLimit)
    }

    private var junitOptions: JUnitReport.Options {
        var junitOptions = JUnitReport.Options()
        junitOptions.dialect = options.junitDialect
        junitOptions.attachment = options.html.flatMap { OutputFile.isStandardOutput($0) ? nil : $0 }
        junitOptions.link = options.address
        return junitOptions
    }
}
