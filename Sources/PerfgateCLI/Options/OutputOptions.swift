import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel
import PerfgateReport

extension JUnitReport.Dialect: ExpressibleByArgument {}
extension HTMLReport.Assets: ExpressibleByArgument {}

enum ColorChoice: String, ExpressibleByArgument, CaseIterable { case auto, always, never }

/// The CI server that receives annotations in its log.
enum AnnotationServer: String, ExpressibleByArgument, CaseIterable { case github }

struct OutputOptions: ParsableArguments {
    @Option(help: .taking("file", "Write JUnit XML to this file; - is standard output, here and below."))
    var junit: String?
    @Option(help: .taking("dialect", "The JUnit dialect: rich or strict.")) var junitDialect = JUnitReport.Dialect.rich
    @Option(help: .taking("file", "Write the HTML report to this file.")) var html: String?
    @Option(help: .taking("place", "Where its style sheet is: inline, or external in report.css beside it."))
    var htmlAssets = HTMLReport.Assets.inline
    @Option(help: .taking("file", "Write the Markdown for a pull request to this file.")) var markdown: String?
    @Option(help: .taking("file", "Write the whole report as JSON to this file; perfgate report and explain read it."))
    var json: String?
    @Option(help: .taking("file", "Write the values as OpenMetrics text to this file.")) var openmetrics: String?
    @Option(help: .taking("file", "Write the Markdown for the job's summary to this file.")) var summary: String?
    @Option(
        name: .customLong("report-url"),
        help: .taking("address", "The HTML report's address, for links; default: PERFGATE_REPORT_URL."))
    var reportURL: String?
    @Option(help: .taking("server", "Write annotations for this server's log: github."))
    var annotations: AnnotationServer?
    @Option(help: .taking("folder", "A folder with templates that replace the built-in ones.")) var templates: String?
    @Option(help: .taking("when", "Colour the summary: auto, always or never.")) var color = ColorChoice.auto
    @Flag(help: "Exit with 0 instead of 2, 3 and 5; errors keep their codes.") var softFail = false
    @Flag(help: "Write no summary and no progress.") var quiet = false

    func validate() throws {
        if htmlAssets == .external, html.map(OutputFile.isStandardOutput) == true {
            throw ValidationError("'--html-assets external' writes report.css beside the page. Give '--html' a file.")
        }
        try ReportAddress(reportURL).validate()
    }

    /// The address of the HTML report, from the flag or the environment; `nil` if neither is set.
    var address: String? { ReportAddress(reportURL).text }

    /// Whether a report goes to standard output, which then must not contain anything else.
    var takesStandardOutput: Bool {
        ReportForm.all.contains { $0.path(self).map(OutputFile.isStandardOutput) ?? false }
    }

    /// The style sheet's file beside the HTML page; `nil` if it is part of the page, or if there is no page.
    var styleSheet: String? {
        guard let html, htmlAssets == .external else { return nil }
        let folder = html.lastIndex(of: "/").map { String(html[...$0]) } ?? ""
        return folder + HTMLReport.styleSheetFile
    }

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

/// The address of the HTML report: `--report-url`, else `PERFGATE_REPORT_URL`.
struct ReportAddress {
    let text: String?

    init(_ flag: String?) {
        let variable = ProcessInfo.processInfo.environment["PERFGATE_REPORT_URL"]
        text = flag ?? variable.flatMap { $0.isEmpty ? nil : $0 }
    }

    func validate() throws {
        guard let text, !["http://", "https://"].contains(where: text.lowercased().hasPrefix) else { return }
        throw ValidationError("'--report-url' (or PERFGATE_REPORT_URL) takes an address that begins with https://.")
    }
}

extension CallFiles {
    /// Records the logs of a call, the configuration, the baselines, and the other files that the configuration names.
    /// An unusable configuration counts as empty: a call that reports it must not overwrite its files either.
    /// - Parameter hasWaivers: Whether the file of waivers is only read.
    convenience init(
        logs: [String] = [], _ file: ConfigurationOption, _ folder: BaselineFolder? = nil, hasWaivers: Bool = true
    ) {
        self.init(logs: logs)
        let path = ConfigurationFile.path(file.config)
        if let path { read(path, as: "the configuration") }
        let configuration = (try? file.load()) ?? GateConfiguration(defaultsOf: path)
        if hasWaivers { read(configuration.waiverPath, as: "the waivers") }
        if let traffic = configuration.traffic { read(traffic, as: "the traffic") }
        if let folder { read(folder.store(configuration)) }
    }

    /// Records the files that log paths name, and the folders that are searched.
    convenience init(logs: [String]) {
        self.init()
        let named = Ingest.files(named: logs)
        for path in named.files { read(path, as: "the log") }
        for folder in named.folders { readAll(in: folder, as: "logs", endings: named.endings) }
        for bundle in named.files { readAll(in: bundle, as: "results") }
    }

    /// Records the baselines of a store and the folders of its environments, where any file would count as a baseline.
    func read(_ store: BaselineStore) {
        let paths = (try? store.paths()) ?? []
        for path in paths { read(path, as: "the baseline") }
        for folder in Set(paths.map(FileAccess.folder)) { readAll(in: folder, as: "baselines", endings: [".json"]) }
    }

    func read(templates folder: String?) { if let folder { readAll(in: folder, as: "templates") } }
}

struct BisectOutputs: ParsableArguments {
    @Option(
        help: .taking(
            "file", "Write the answer with a plot as HTML to this file; - is standard output, here and below."))
    var html: String?
    @Option(help: .taking("file", "Write the Markdown for a pull request to this file.")) var markdown: String?
    @Option(help: .taking("file", "Write the answer as JSON to this file; perfgate comment reads it."))
    var json: String?
    @Flag(help: "Write no answer to standard output, and no progress.") var quiet = false

    func open(_ call: CallFiles) throws -> OutputFiles<BisectReport> {
        let templates = try TemplateSet()
        return try OutputFiles(
            of: call,
            [
                (html, "--html", { Array(HTMLBisect($0, templates: templates).text.utf8) }),
                (markdown, "--markdown", { Array($0.markdown().utf8) }), (json, "--json", { try $0.json() }),
            ])
    }
}

/// The forms in which a report is written, each with its option.
struct ReportForm: Sendable {
    let flag: String
    let path: @Sendable (OutputOptions) -> String?
    fileprivate let bytes: @Sendable (ReportRenderer) throws -> [UInt8]
    static let all = [
        ReportForm(flag: "--junit", path: { $0.junit }) {
            try JUnitReport($0.report, options: $0.junitOptions).bytes()
        },
        ReportForm(flag: "--html", path: { $0.html }) { Array($0.page.text.utf8) },
        ReportForm(flag: "--html-assets", path: { $0.styleSheet }) { Array(($0.page.styleSheet ?? "").utf8) },
        ReportForm(flag: "--markdown", path: { $0.markdown }) { $0.markdown(.init(link: $0.options.address)) },
        ReportForm(flag: "--json", path: { $0.json }) { $0.report.json() },
        ReportForm(flag: "--openmetrics", path: { $0.openmetrics }) { OpenMetricsReport($0.report).bytes() },
        ReportForm(flag: "--summary", path: { $0.summary }) { $0.markdown($0.summaryOptions) },
    ]
}

/// The outputs of a command, opened before the work, and written from one finished report.
struct ReportFiles {
    private let options: OutputOptions
    private let templates: TemplateSet
    private let files: [(form: ReportForm, file: OutputFile)]
    /// The most comparisons whose reports are rendered at the same time; larger ones would fill the memory.
    private static let mostAtOnce = 50_000

    /// Reads the templates, and checks that every output can be written and isn't an input of the call.
    init(_ options: OutputOptions, of call: CallFiles) throws {
        self.options = options
        templates = try TemplateSet(overridingFolder: options.templates)
        files = try ReportForm.all.compactMap { form in
            try form.path(options).map { (form, try call.output($0, for: form.flag)) }
        }
    }

    /// Writes every output; if one can't be written, all keep their previous content.
    /// - Parameter html: The report for the HTML form; `nil`: the same.
    func write(_ report: GateReport, html: GateReport? = nil) throws {
        let renderer = ReportRenderer(report: report, html: html ?? report, options: options, templates: templates)
        guard report.comparisons.count <= Self.mostAtOnce else {
            return try OutputFile.write(files.map { form, file in (file, { try form.bytes(renderer) }) })
        }
        let contents = try files.map(\.form).concurrentMap { try $0.bytes(renderer) }
        try OutputFile.write(zip(files, contents).map { output, bytes in (output.file, { bytes }) })
    }
}

private struct ReportRenderer: Sendable {
    let report, html: GateReport
    let options: OutputOptions
    let templates: TemplateSet

    var page: HTMLReport { HTMLReport(html, templates: templates, assets: options.htmlAssets) }

    func markdown(_ options: MarkdownReport.Options) -> [UInt8] {
        Array(MarkdownReport(report, templates: templates, options: options).text.utf8)
    }

    var summaryOptions: MarkdownReport.Options {
        .init(link: options.address, byteLimit: MarkdownReport.Options.summaryByteLimit)
    }

    var junitOptions: JUnitReport.Options {
        var junitOptions = JUnitReport.Options()
        (junitOptions.dialect, junitOptions.link) = (options.junitDialect, options.address)
        junitOptions.attachment = options.html.flatMap { OutputFile.isStandardOutput($0) ? nil : $0 }
        return junitOptions
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
