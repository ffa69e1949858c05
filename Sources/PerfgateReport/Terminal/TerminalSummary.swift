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
        var lines = [paint(CleanText.logLine(report.headline), report.outcome)]
        lines += report.notes.map { CleanText.logLine($0) }
        lines += rows
        lines += pinnedRows
        lines += hangRows
        lines += remarks
        lines += next
        return lines.joined(separator: "\n") + "\n"
    }

    private var told: [CellResult] { report.comparisons.filter { $0.isGated && $0.verdict != .passed } }

    private var rows: [String] {
        let findings = Finding.all(of: told)
        guard !findings.isEmpty else { return [] }
        let left = findings.dropFirst(options.rows)
        return [""] + findings.prefix(options.rows).flatMap { row($0) } + more(left)
    }

    /// The findings without a row, counted by verdict.
    private func more(_ findings: some Collection<Finding>) -> [String] {
        let counts = Dictionary(findings.map { ($0.result.verdict, $0.count) }, uniquingKeysWith: +)
        return counts.sorted { $0.key.rank < $1.key.rank }.map { verdict, count in
            "  … and \(Figure.count(count, "more comparison")): \(name(of: verdict))"
        }
    }

    private func name(of verdict: Verdict) -> String {
        switch verdict {
        case .overLimit: "over the limit"
        case .noBaseline: "no baseline"
        case .regressed, .missing, .inconclusive, .waived, .improved, .passed: label(verdict)
        }
    }

    /// Failures against a pinned reference, each row with its name.
    private var pinnedRows: [String] {
        guard let pinned = report.pinned, !pinned.comparisons.isEmpty else { return [] }
        let name = CleanText.line(pinned.name, most: 60)
        let findings = pinned.findings
        let left = findings.count - options.rows
        return [""] + findings.prefix(options.rows).flatMap { row($0, against: name) }
            + (left > 0
                ? ["  " + CleanText.logLine("… and \(Figure.count(left, "more finding")) against \(name)")] : [])
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
        let verdict = label(result.verdict) + (pinned.map { " against \($0)" } ?? "") + ": "
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
        guard finding.result.verdict == .noBaseline, finding.count > 1,
            !known.contains(finding.result.environment)
        else {
            let isOfAll = Set(finding.parts.map(\.result.reason)).count == 1
            return (isOfAll ? "" : "\(CleanText.line(finding.result.page.name, most: 60)): ") + finding.result.reason
        }
        return "There is \(absence) for \(finding.result.environment), so only limits apply."
    }

    private var known: Set<Environment> { Set(report.comparisons.filter { $0.baseline != nil }.map(\.environment)) }

    private var absence: String {
        report.releases.map { "no usable events of \(CleanText.line($0.base, most: 60))" } ?? "no baseline"
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

    /// The verdict's word; a waived or otherwise excused row says why it is listed.
    private func label(_ verdict: Verdict) -> String {
        switch verdict {
        case .waived, .improved: verdict.rawValue
        case .regressed, .overLimit, .missing, .inconclusive, .noBaseline, .passed: verdict.word
        }
    }

    private var remarks: [String] {
        let passed = report.comparisons.count { $0.isGated && $0.verdict == .passed }
        let shown = report.comparisons.count { !$0.isGated }
        var lines = ["", "  \(passed) passed, \(shown) informational (not gated)"]
        if let noise = NoiseSentence(report).text { lines.append("  " + CleanText.logLine(noise)) }
        let diagnostics = report.diagnostics.filter { $0.severity != .note }.count
        if diagnostics > 0 { lines.append("  \(Figure.count(diagnostics, "warning")) about the inputs, see above") }
        return lines
    }

    private var next: [String] {
        let blocks = NextBlock.all(of: report)
        let hidden = blocks.indices.filter { blocks[$0].pages.count == 1 }.dropFirst(options.pages)
        let shown = blocks.indices.filter { !hidden.contains($0) }
        let left = NextBlock.pagesLeft(
            of: report, beside: Set(shown.map { blocks[$0].pages }.filter { $0.count == 1 }.joined()))
        return shown.flatMap { next(blocks[$0]) }
            + (hidden.isEmpty
                ? [] : ["", "  … and the same for \(Figure.count(left, "more page")); see the other reports."])
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
        switch outcome {
        case .passed: paint(text, code: 32)
        case .inconclusive: paint(text, code: 33)
        case .failed, .error: paint(text, code: 31)
        }
    }

    private func paint(_ text: String, _ verdict: Verdict) -> String {
        switch verdict {
        case .regressed, .overLimit, .missing: paint(text, code: 31)
        case .inconclusive, .noBaseline, .waived: paint(text, code: 33)
        case .improved, .passed: paint(text, code: 32)
        }
    }

    private func paint(_ text: String, code: Int) -> String {
        options.hasColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
