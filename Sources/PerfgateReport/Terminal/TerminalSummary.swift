import PerfgateCompare
import PerfgateModel

/// The report as a few lines for a terminal or a CI log: the verdict first, then the worst rows, then the next steps.
package struct TerminalSummary: Sendable {
    package struct Options: Sendable {
        /// Whether colour escape sequences are written.
        package var hasColor = false
        /// The most findings shown; at least 1.
        package var rows = 15
        /// The most pages with next steps; at least 1.
        package var pages = 1

        /// The layout for a pipe.
        package init() {}
    }

    private let report: GateReport
    private let options: Options
    private let pages: PageIndex

    package init(_ report: GateReport, options: Options = Options()) {
        (self.report, self.options) = (report, options)
        pages = PageIndex(report)
    }

    /// The text with a final line feed. No line starts with anything that a name could inject into a CI log.
    package var text: String {
        let head = [paint(CleanText.logLine(report.headline), report.outcome)] + report.notes.map(CleanText.logLine)
        let lines = [head, rows, pinnedRows, hangRows, remarks, next].joined()
        return lines.joined(separator: "\n") + "\n"
    }

    /// The findings, and the number of those without a row by verdict.
    private var rows: [String] {
        let findings = Finding.all(of: report.comparisons.filter { $0.isGated && $0.verdict != .passed })
        guard !findings.isEmpty else { return [] }
        let left = findings.dropFirst(options.rows).map { ($0.result.verdict, $0.count) }
        let counts = Dictionary(left, uniquingKeysWith: +).sorted { $0.key.rank < $1.key.rank }
        let names: [Verdict: String] = [.overLimit: "over the limit", .noBaseline: "no baseline"]
        let more = counts.map { verdict, count in
            "  … and \(Figure.count(count, "more comparison")): \(names[verdict] ?? verdict.label)"
        }
        return [""] + findings.prefix(options.rows).flatMap { row($0) } + more
    }

    /// Failures against a pinned reference, each row with its name.
    private var pinnedRows: [String] {
        guard let pinned = report.pinned, !pinned.comparisons.isEmpty else { return [] }
        let name = CleanText.line(pinned.name, most: 60)
        let findings = pinned.findings
        let left = findings.count - options.rows
        let more = "  " + CleanText.logLine("… and \(Figure.count(left, "more finding")) against \(name)")
        return [""] + findings.prefix(options.rows).flatMap { row($0, against: name) } + (left > 0 ? [more] : [])
    }

    private var hangRows: [String] {
        let stacks = HangTexts.all(of: report)
        let left = report.environments.compactMap(\.releases?.hangs?.left).reduce(0, +)
        guard let releases = report.releases, !stacks.isEmpty else { return [] }
        let title = "\(HangTexts.title), \(releases.base) → \(releases.candidate):"
        return ["", "  " + CleanText.logLine(title)]
            + stacks.flatMap { ["    " + CleanText.logLine($0.title), "      " + CleanText.logLine($0.values)] }
            + (left > 0 ? ["    … and \(Figure.count(left, "more stack"))"] : [])
    }

    /// A finding in two lines: its subject, and by how much; then where to look.
    private func row(_ finding: Finding, against pinned: String? = nil) -> [String] {
        let result = finding.result
        let owner = pages.owner(of: result).map { "  (\(CleanText.line($0, most: 60)))" } ?? ""
        let verdict = result.verdict.label + (pinned.map { " against \($0)" } ?? "") + ": "
        let subject = CleanText.logLine("\(finding.subject)\(pages.distinction(of: result))\(owner)")
        let leads = pages.leads(of: finding).prefix(PageSummary.mostLeads + 1)
        return [paint("  " + CleanText.logLine(verdict), result.verdict) + subject]
            + ([amount(finding)] + leads.map(CleanText.logLine)).map { "      " + $0 }
    }

    private func amount(_ finding: Finding) -> String {
        let others = others(finding)
        guard let amount = finding.amount else {
            return CleanText.logLine(reason(finding) + (others.map { " Also: \($0)." } ?? ""))
        }
        let first = finding.parts.count > 1 ? "\(CleanText.line(finding.result.page.name, most: 60)) " : ""
        let remarks = Words(finding.result).remarks.joined(separator: " ")
        return paint(CleanText.logLine(first + amount), finding.result.verdict)
            + CleanText.logLine((others.map { "; also \($0)" } ?? "") + (remarks.isEmpty ? "" : ". \(remarks)"))
    }

    /// The reason of the worst comparison, with its page if others have another; for a new environment only once.
    private func reason(_ finding: Finding) -> String {
        let result = finding.result
        guard result.verdict == .noBaseline, finding.count > 1,
            !report.comparisons.contains(where: { $0.environment == result.environment && $0.baseline != nil })
        else {
            let isOfAll = Set(finding.parts.map(\.result.reason)).count == 1
            return (isOfAll ? "" : "\(CleanText.line(result.page.name, most: 60)): ") + result.reason
        }
        let base = report.releases.map { "no usable events of \(CleanText.line($0.base, most: 60))" }
        return "There is \(base ?? "no baseline") for \(result.environment), so only limits apply."
    }

    /// The other comparisons of the finding, the first by name; without any, the pages or metrics in its title.
    private func others(_ finding: Finding) -> String? {
        let isCompared = finding.result.verdict != .missing && finding.result.verdict != .noBaseline
        let pages = finding.parts.dropFirst(isCompared ? 1 : 2).map { part in
            CleanText.line(part.result.page.name, most: 60)
                + (isCompared ? " \(ComparisonText(part.result).values)" : "")
        }
        let changes = finding.parts[0].consequences.map { result in
            isCompared ? "\(result.metricName) \(ComparisonText(result).values)" : result.metricName
        }
        let isListed = !finding.isLost && (isCompared || finding.parts.count == 1)
        let all = (isListed ? changes.prefix(Self.mostNames) : []) + pages.prefix(Self.mostNames)
        guard !all.isEmpty else { return nil }
        let count = isCompared ? finding.count - 1 : isListed ? changes.count : pages.count
        let left = count > all.count ? "; and \(count - all.count) more" : ""
        return all.joined(separator: "; ") + left
    }

    private static let mostNames = 4

    private var remarks: [String] {
        let passed = report.comparisons.count { $0.isGated && $0.verdict == .passed }
        let shown = report.comparisons.count { !$0.isGated }
        var lines = ["", "  \(passed) passed, \(shown) informational (not gated)"]
        if let noise = report.noiseSentence { lines.append("  " + CleanText.logLine(noise)) }
        let diagnostics = report.diagnostics.count { $0.severity != .note }
        if diagnostics > 0 { lines.append("  \(Figure.count(diagnostics, "warning")) about the inputs, see above") }
        return lines
    }

    private var next: [String] {
        let blocks = NextBlock.all(of: report)
        // The blocks of single pages come last.
        let own = blocks.filter { $0.pages.count == 1 }
        let left = NextBlock.pagesLeft(of: report, beside: Set(own.prefix(options.pages).flatMap(\.pages)))
        let more = ["", "  … and the same for \(Figure.count(left, "more page")); see the other reports."]
        let hidden = max(0, own.count - options.pages)
        return blocks.dropLast(hidden).flatMap(next) + (hidden > 0 ? more : [])
    }

    private func next(_ block: NextBlock) -> [String] {
        let title = block.title.map { "Next, \($0):" }
        let indent = title == nil ? "" : "  "
        // Commands with the same purpose follow it together.
        let steps = block.steps.chunked(by: \.purpose).flatMap { steps in
            [indent + CleanText.logLine("\(steps[0].purpose):")]
                + steps.map { indent + "  " + CleanText.logLine($0.command.text) }
        }
        return ["", title.map { CleanText.logLine($0) }].compactMap(\.self) + steps
    }

    private func paint(_ text: String, _ outcome: GateReport.Conclusion) -> String {
        let code =
            switch outcome {
            case .passed: 32
            case .inconclusive: 33
            case .failed, .error: 31
            }
        return options.hasColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    private func paint(_ text: String, _ verdict: Verdict) -> String {
        let outcome: GateReport.Conclusion =
            switch verdict {
            case .regressed, .overLimit, .missing: .failed
            case .inconclusive, .noBaseline, .waived: .inconclusive
            case .improved, .passed: .passed
            }
        return paint(text, outcome)
    }
}

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
