import PerfgateCompare
import PerfgateModel

/// The report as commands for GitHub's log, which shows them beside the source. GitHub shows at most ten errors and ten
/// warnings per step; if there are more, the tenth gives the number.
package struct GitHubAnnotations: Sendable {
    package static let most = 10

    private enum Level: String { case error, warning }

    private struct Annotation {
        let level: Level
        var file: String?
        var line: Int?
        let title, message: String
    }

    private let report: GateReport
    private let pages: PageIndex

    package init(_ report: GateReport) { (self.report, pages) = (report, PageIndex(report)) }

    package var text: String {
        let all = faults + findings + pinnedFindings + diagnostics
        let shown = [Level.error, .warning].flatMap { level in capped(all.filter { $0.level == level }, level) }
        return shown.map { Self.command($0) + "\n" }.joined()
    }

    private func capped(_ annotations: [Annotation], _ level: Level) -> [Annotation] {
        guard annotations.count > Self.most else { return annotations }
        let message = "\(annotations.count - Self.most + 1) more are in the report."
        return annotations.prefix(Self.most - 1) + [Annotation(level: level, title: "perfgate", message: message)]
    }

    private var faults: [Annotation] {
        report.faultyInputs.map { fault in
            Annotation(
                level: .error, file: fault.path, title: "perfgate: the measurement failed, not the change",
                message: fault.message)
        }
    }

    private var findings: [Annotation] {
        let all = Finding.all(of: report.comparisons.filter { $0.isGated && $0.verdict.rank < Verdict.waived.rank })
        return all.flatMap(\.byPage).map { finding in
            let isFailing = finding.results.contains { report.failing.failure(of: $0) != nil }
            let title = ": \(finding.titleWithIdentifier)\(pages.distinction(of: finding.result))"
            return annotation(finding.result, isFailing ? .error : .warning, title)
        }
    }

    /// Failures against a pinned reference; each names it, because the same metric may pass against the baselines.
    private var pinnedFindings: [Annotation] {
        guard let pinned = report.pinned else { return [] }
        return pinned.findings.flatMap(\.byPage).map { finding in
            annotation(finding.result, .error, " against \(pinned.name): \(finding.titleWithIdentifier)")
        }
    }

    /// The annotation of a finding's result, with the title after the verdict's word.
    private func annotation(_ result: CellResult, _ level: Level, _ title: String) -> Annotation {
        let page = pages[result]
        return Annotation(
            level: level, file: page?.file, line: page?.line, title: result.verdict.word + title,
            message: pages.reason(of: result))
    }

    private var diagnostics: [Annotation] {
        let told = Set(report.faultyInputs.map { [$0.path, $0.message] })
        let rest = report.diagnostics.filter { $0.severity != .note && !told.contains([$0.path ?? "", $0.message]) }
        return rest.map { diagnostic in
            Annotation(
                level: diagnostic.severity == .error ? .error : .warning, file: diagnostic.path, line: diagnostic.line,
                title: "perfgate \(diagnostic.code.rawValue)", message: diagnostic.message)
        }
    }

    private static func command(_ annotation: Annotation) -> String {
        var properties = annotation.file.map { ["file=" + property($0)] } ?? []
        if annotation.file != nil, let line = annotation.line { properties.append("line=\(line)") }
        properties.append("title=" + property(CleanText.line(annotation.title, most: 200)))
        let message = data(CleanText.line(annotation.message, most: 4_000))
        return "::\(annotation.level.rawValue) \(properties.joined(separator: ","))::\(message)"
    }

    private static func data(_ text: String) -> String {
        CleanText.withHashesApart(CleanText.line(text)).escaped { $0 == "%" ? "%25" : nil }
    }

    private static func property(_ text: String) -> String {
        data(text).escaped { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : nil }
    }
}
