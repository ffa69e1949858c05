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
        commandName: "report",
        abstract: "Renders a stored report from the JSON that --json wrote.",
        discussion: """
            EXAMPLE
              perfgate report result.json --html report.html --markdown report.md
              perfgate report result.json --html search.html --page Search

            Without --page, every form is byte-identical to the form that the original command would have written. Exit \
            codes: 0 rendered, with any verdict, 64 usage, 65 not a report, 66 no such file or page, 73 can't write, \
            78 bad template.
            """)

    @Argument(help: "The report as JSON; - is standard input.")
    var result: String

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
        ConsoleReport(outputs).tell(report)
    }
}

extension GateReport {
    /// The report with the comparisons of some pages, by name or by baseline file name; the whole report without names.
    ///
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
        case log
        case report
        case baseline
        case config

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
            throw CommandError(status: .badData, description: "\(file.name):\(error.isPlaced ? "" : " ")\(error)")
        }
        guard ExitStatus(rawValue: report.exitCode) != nil else {
            let problem = "the exit code \(report.exitCode) is unknown; write the report again"
            throw CommandError(status: .badData, description: "\(file.name): \(problem)")
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
            let problem = "\(file.name): longer than \(JSONFile.most >> 20) MiB. \(advice)"
            throw CommandError(status: .badData, description: problem)
        }
        do {
            try self.init(json: bytes)
        } catch {
            throw CommandError(status: .badData, description: "\(file.name):\(error). \(advice)")
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
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try InputFile.bytes(of: path, limit: Self.most)
        } catch {
            let isAbsent = error.code == ENOENT
            throw missing(isAbsent ? "there is no such readable file" : "it can't be read (\(error.reason))")
        }
        guard !bytes.isEmpty else { throw missing("it is empty") }
        return bytes
    }

    private func missing(_ problem: String) -> CommandError {
        CommandError(status: .noInput, description: "\(name): \(problem). \(advice)")
    }
}
