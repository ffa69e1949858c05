import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateReport

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Renders a stored report from the JSON that --json wrote.",
        discussion: """
            EXAMPLE
              perfgate report result.json --html report.html --markdown report.md
              perfgate report result.json --html search.html --page Search

            Without --page, every form is byte-identical to the form that the original command would have written. Exit \
            codes: 0 rendered, with any verdict, 64 usage, 65 not a report, 66 no such file or page, 73 can't write, \
            78 bad template.
            """)

    @Argument(help: "The report as JSON; - is standard input.") var result: String
    @Option(help: .taking("name", "Show only this page in the HTML report; may be given several times."))
    var page: [String] = []
    @OptionGroup(title: "Output") var outputs: OutputOptions

    func validate() throws {
        if !page.isEmpty, outputs.html == nil {
            throw ValidationError("'--page' chooses pages of the HTML report. Give '--html FILE' too.")
        }
    }

    func run() throws {
        let call = CallFiles()
        call.read(result, as: "the report")
        call.read(templates: outputs.templates)
        let files = try ReportFiles(outputs, of: call)
        let report = try ResultFile(result).report()
        try files.write(report, html: report.showing(only: page))
        outputs.tell(report)
    }
}

extension GateReport {
    /// The report with the comparisons of some pages, by name or by baseline file name; the whole report without names.
    /// Verdict, exit code and headline remain those of all pages. Only HTML can hide pages: others could look green.
    fileprivate func showing(only names: [String]) throws(CommandError) -> GateReport {
        guard !names.isEmpty else { return self }
        let all = Set(comparisons.map(\.page))
        let shown = all.filter { page in names.contains(where: page.isNamed) }
        if let wrong = names.first(where: { name in !shown.contains { $0.isNamed(name) } }) { throw unknown(wrong) }
        var report = self
        report.comparisons.removeAll { !shown.contains($0.page) }
        report.pinned?.comparisons.removeAll { !shown.contains($0.page) }
        report.pages.removeAll { !shown.contains($0.place.page) }
        report.next.removeAll { step in step.page.map { !shown.contains($0) } ?? false }
        let hidden = comparisons.count - report.comparisons.count
        guard hidden > 0 else { return self }
        let failed = comparisons.count { $0.isGated && failing.failure(of: $0) != nil && !shown.contains($0.page) }
        report.notes.insert(
            "This report shows only \(Finding.names(of: shown.sorted())) and leaves out "
                + "\(Figure.count(hidden, "comparison")); \(failed) of these failed. The verdict includes all pages.",
            at: 0)
        return report
    }

    /// That no comparison is of a page of the command line and its metric, with the nearest names.
    func unknown(_ page: String, _ metric: String = "") -> CommandError {
        let metrics = Set(comparisons.filter { $0.page.isNamed(page) }.map(\.metric.id)).sorted()
        let pages = Set(comparisons.map(\.page.name)).sorted()
        let (word, names) = metrics.isEmpty ? (page, pages) : (metric, metrics)
        let near = Suggestion.nearest(to: word, among: names).map { "Did you mean \(CleanText.line($0, most: 60))? " }
        let known = names.map { CleanText.line($0, most: 60) }.listed(most: 20)
        let hint =
            pages.isEmpty
            ? "Nothing was compared: see what `perfgate check` says."
            : "\(near ?? "")\(metrics.isEmpty ? "The pages are" : "The page's metrics are") \(known)."
        let what = CleanText.line(metric.isEmpty ? page : "\(page) \(metric)", most: 200)
        return CommandError(.noInput, "There is no comparison of \(what). \(hint)")
    }
}

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Writes the JSON Schema of a form to standard output, for editors and validators.",
        discussion: """
            EXAMPLE
              perfgate schema config > perfgate.schema.json
            """)

    enum Form: String, ExpressibleByArgument, CaseIterable {
        case log, report, baseline, config

        var schema: [UInt8] {
            switch self {
            case .log: PackageResources.log_schema_json
            case .report: GateReport.jsonSchema
            case .baseline: BaselineFile.jsonSchema
            case .config: PackageResources.config_schema_json
            }
        }
    }

    @Argument(help: "The form: log (a line of it), report (what --json writes), baseline, or config (perfgate.yml).")
    var form: Form

    func run() throws { try CallFiles().output("-", for: "schema").write(form.schema) }
}

/// A report that was stored as JSON.
struct ResultFile {
    private let file: JSONFile

    /// Takes a path; `-` is standard input.
    init(_ path: String) {
        file = JSONFile(
            path: path, advice: "Give the file that `--json FILE` of check, compare, measure or field check wrote.")
    }

    enum Content {
        case report(GateReport)
        case search(BisectReport)
    }

    func content() throws(CommandError) -> Content {
        let bytes = try file.bytes()
        if let search = BisectReport(json: bytes) { return .search(search) }
        return .report(try report(bytes))
    }

    func report() throws(CommandError) -> GateReport { try report(try file.bytes()) }

    private func report(_ bytes: [UInt8]) throws(CommandError) -> GateReport {
        let report: GateReport
        do {
            report = try GateReport(json: bytes)
        } catch {
            throw CommandError(.badData, "\(file.name):\(error.isPlaced ? "" : " ")\(error)")
        }
        guard ExitStatus(rawValue: report.exitCode) != nil else {
            throw CommandError(
                .badData, "\(file.name): the exit code \(report.exitCode) is unknown; write the report again")
        }
        return report
    }
}

extension ViewFindings {
    /// Reads the file that `--views` names; `-` is standard input.
    init(file path: String) throws(CommandError) {
        let advice = "Give the file that `view-lint check --format json` wrote."
        let file = JSONFile(path: path, advice: advice)
        let bytes = try file.bytes()
        guard bytes.count <= JSONFile.most else {
            throw CommandError(.badData, "\(file.name): longer than \(JSONFile.most >> 20) MiB. \(advice)")
        }
        do {
            try self.init(json: bytes)
        } catch {
            throw CommandError(.badData, "\(file.name):\(error). \(advice)")
        }
    }
}

/// A file named by an option and read as a whole.
private struct JSONFile {
    /// The path; `-` is standard input.
    let path: String
    /// A sentence with advice if the file doesn't exist.
    let advice: String
    /// The largest size in bytes.
    static let most = GateReport.mostJSONBytes

    var name: String { path == "-" ? "standard input" : path }

    /// At least 1 byte, and at most one byte over the limit.
    func bytes() throws(CommandError) -> [UInt8] {
        do throws(FileError) {
            let bytes = try InputFile.bytes(of: path, limit: Self.most)
            if !bytes.isEmpty { return bytes }
        } catch {
            let isAbsent = error.code == ENOENT
            throw missing(isAbsent ? "there is no such readable file" : "it can't be read (\(error.reason))")
        }
        throw missing("it is empty")
    }

    private func missing(_ problem: String) -> CommandError { CommandError(.noInput, "\(name): \(problem). \(advice)") }
}

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains the verdict on a metric of a page, step by step, and what would change it.",
        discussion: """
            EXAMPLE
              perfgate explain Search ttil logs/
              perfgate explain Search ttil --result result.json
              perfgate explain Search --result result.json

            Without a metric, each metric of the page that fails is explained, worst first. Exit codes: 0 explained, with any verdict, 64 usage, 65 not a report, 66 no such input, page or metric, \
            78 bad configuration or baseline.
            """)

    @Argument(help: "The page, by name or by baseline file name.") var page: String
    @Argument(help: "The metric, such as ttil. With --result it may be left out: then each metric that fails.")
    var metric: String?
    @Argument(help: "The logs to judge, as perfgate check takes them.") var logs: [String] = []
    @Option(help: .taking("file", "A report written by --json, instead of logs; - is standard input."))
    var result: String?
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder
    @OptionGroup(title: "Input") var pool: PoolOption
    @OptionGroup(title: "Policy") var policy: PolicyOptions

    func validate() throws {
        try ValidationError.refuse([
            "Give a metric and logs, or a report by '--result FILE'.": logs.isEmpty && result == nil,
            "'--result' is a finished report, and logs would be judged again. Give only one of them.":
                !logs.isEmpty && result != nil,
        ])
    }

    func run() throws {
        let report = try report()
        let all = report.comparisons.filter { $0.page.isNamed(page) }
        let pinned = Set((report.pinned?.comparisons ?? []).map(\.cell))
        let results = all.filter { result in
            guard metric == nil else { return metric == result.metric.id }
            return report.failing.failure(of: result) != nil || pinned.contains(result.cell)
        }
        guard !results.isEmpty else {
            guard metric == nil, !all.isEmpty else { throw report.unknown(page, metric ?? "") }
            let names = Set(all.map { CleanText.line($0.metric.id) }).sorted().joined(separator: ", ")
            return StandardStream.output.tell("Nothing of \(CleanText.line(page)) fails. Its metrics: \(names).")
        }
        let texts = results.map { ExplanationText(Explanation($0), in: report).text }
        StandardStream.output.show(texts.joined(separator: "\n"))
    }

    private func report() throws -> GateReport {
        if let result { return try ResultFile(result).report() }
        var configuration = try inputs.file.load()
        policy.override(&configuration.policy)
        configuration.policy.poolsBuilds = pool.poolBuilds
        return try inputs.report(on: logs, folder, configuration)
    }
}
