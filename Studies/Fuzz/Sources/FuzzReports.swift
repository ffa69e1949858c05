import Foundation
import PerfgateCompare
import PerfgateModel

@testable import PerfgateReport

/// All outputs that derive from a report.
enum FuzzReports {
    private static let templates = certain { try TemplateSet() }

    /// Renders a report in every form; its JSON must read back unchanged.
    static func render(_ report: GateReport) throws {
        let written = report.json()
        precondition(
            (certain { try GateReport(json: written) }).json() == written, "a report reads as another")
        for dialect in JUnitReport.Dialect.allCases {
            var options = JUnitReport.Options()
            options.dialect = dialect
            _ = try JUnitReport(report, options: options).bytes()
        }
        _ = HTMLReport(report, templates: templates).text
        _ = MarkdownReport(report, templates: templates).text
        _ = TerminalSummary(report).text
        _ = GitHubAnnotations(report).text
        _ = OpenMetricsReport(report).bytes()
        for result in report.comparisons.prefix(3) { _ = ExplanationText(Explanation(result), in: report).text }
    }

    private static let folder: String = {
        let folder = NSTemporaryDirectory() + "perfgate-fuzz-templates-\(ProcessInfo.processInfo.processIdentifier)"
        certain { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        return folder
    }()

    /// Fills templates as a team might write them: the first byte selects the kind of template.
    static func fill(_ bytes: [UInt8]) throws {
        guard let first = bytes.first else { return }
        let files = ["report.md.mustache", "rows.md.mustache", "report.html.mustache", "comparison.html.mustache"]
        for file in files { try? FileManager.default.removeItem(atPath: "\(folder)/\(file)") }
        let file = files[Int(first) % files.count]
        try Data(bytes.dropFirst()).write(to: URL(filePath: "\(folder)/\(file)"))
        let templates = try TemplateSet(overridingFolder: folder)
        if file.contains(".md.") {
            _ = MarkdownReport(sample, templates: templates).text
        } else {
            _ = HTMLReport(sample, templates: templates).text
        }
    }

    /// The templates' data; `Studies/Fuzz/run` runs in the repository's folder.
    private static let sample = certain {
        try GateReport(json: Array(Data(contentsOf: URL(filePath: "Studies/Fuzz/sample.json"))))
    }
}

/// The value of a body that only a defect can make throw.
func certain<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { fatalError("\(error)") }
}
