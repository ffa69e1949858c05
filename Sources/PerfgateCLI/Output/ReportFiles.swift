import Foundation
import PerfgateCompare
import PerfgateReport

/// The outputs of a command, opened, and written from one finished report.
struct ReportFiles {
    private let options: OutputOptions
    private let templates: TemplateSet
    private let junit: ReportFile?
    private let html: ReportFile?
    private let styleSheet: ReportFile?
    private let markdown: ReportFile?
    private let json: ReportFile?
    private let openMetrics: ReportFile?
    private let summary: ReportFile?

    /// Opens every output, and reads the templates.
    init(_ options: OutputOptions) throws {
        self.options = options
        templates = try TemplateSet.chosen(options.templates)
        junit = try Self.open(options.junit)
        html = try Self.open(options.html)
        styleSheet = try Self.open(options.styleSheet)
        markdown = try Self.open(options.markdown)
        json = try Self.open(options.json)
        openMetrics = try Self.open(options.openmetrics)
        summary = try Self.open(options.summary)
    }

    private static func open(_ path: String?) throws(CommandError) -> ReportFile? {
        guard let path else { return nil }
        return try ReportFile(path)
    }

    /// Writes every output.
    func write(_ report: GateReport) throws {
        try junit?.write(JUnitReport(report, options: junitOptions).bytes())
        let page = HTMLReport(report, templates: templates, assets: options.htmlAssets)
        try html?.write(Array(page.text.utf8))
        try styleSheet?.write(Array((page.styleSheet ?? "").utf8))
        try markdown?.write(
            Array(MarkdownReport(report, templates: templates, options: .init(link: options.address)).text.utf8))
        try json?.write(JSONReport(report).bytes())
        try openMetrics?.write(OpenMetricsReport(report).bytes())
        try summary?.write(
            Array(MarkdownReport(report, templates: templates, options: summaryOptions).text.utf8))
    }

    private var summaryOptions: MarkdownReport.Options {
        .init(link: options.address, byteLimit: MarkdownReport.Options.summaryByteLimit)
    }

    private var junitOptions: JUnitReport.Options {
        var junitOptions = JUnitReport.Options()
        junitOptions.dialect = options.junitDialect
        junitOptions.attachment = options.html == "-" ? nil : options.html
        junitOptions.link = options.address
        return junitOptions
    }
}

/// An output that is opened before the work starts, so that a path that can't be written is found at once.
///
/// The old content stays until the new one is whole.
struct ReportFile {
    private let path: String
    private let handle: FileHandle?

    /// Opens a path; `-` is standard output.
    init(_ path: String) throws(CommandError) {
        self.path = path
        guard path != "-" else {
            handle = nil
            return
        }
        let isNew = !FileManager.default.fileExists(atPath: path)
        guard !isNew || FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw Self.failure(path) }
        self.handle = handle
    }

    /// Replaces the content.
    func write(_ bytes: [UInt8]) throws(CommandError) {
        guard let handle else { return try StandardStream.output.deliver(bytes) }
        do {
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(bytes))
            try handle.close()
        } catch {
            throw Self.failure(path)
        }
    }

    private static func failure(_ path: String) -> CommandError {
        CommandError(
            status: .cannotWrite,
            description: "\(path): it can't be written. Make its folder, or give another path.")
    }
}
