import PerfgateCompare
import PerfgateModel

/// The report as a few lines for a terminal or a CI log: the verdict first, worst rows next, what to do last.
package struct TerminalSummary: Sendable {
    /// How the lines are laid out.
    package struct Options: Sendable {
        /// Whether escape sequences for colours are written.
        package var hasColor = false
        /// How many rows of comparisons are shown; at least 1.
        package var rows = 15
        /// Of how many pages it is told what to do next; at least 1.
        package var pages = 3

        /// The layout of a pipe.
        package init() {}
    }

    private let report: GateReport
    private let options: Options
    private let pages: PageIndex

    /// Takes a finished report.
    package init(_ report: GateReport, options: Options = Options()) {
        self.report = report
        self.options = options
        pages = PageIndex(report)
    }

    /// The text, which ends in a line feed. No line starts with what a name could inject into a CI log.
    package var text: String {
        var lines = [paint(CleanText.logLine(report.headline), report.outcome)]
        lines += report.notes.map { CleanText.logLine($0) }
        lines += rows
        lines += pinnedRows
        lines += remarks
        lines += next
        return lines.joined(separator: "\n") + "\n"
    }

    private var told: [CellResult] {
        report.comparisons.filter { $0.isGated && $0.verdict != .passed }
    }

    private var rows: [String] {
        let rows = TerminalRow.all(of: told, among: report.comparisons)
        guard !rows.isEmpty else { return [] }
        let shown = rows.prefix(options.rows)
        let more = rows.count - shown.count
        return [""] + shown.flatMap { row($0) } + (more > 0 ? ["  … and \(more) more"] : [])
    }

    /// What fails against a pinned reference, each row with its name.
    private var pinnedRows: [String] {
        guard let pinned = report.pinned, !pinned.comparisons.isEmpty else { return [] }
        let name = CleanText.line(pinned.name, most: 60)
        let shown = pinned.comparisons.prefix(options.rows)
        let more = pinned.comparisons.count - shown.count
        return [""] + shown.flatMap { row($0, against: name) }
            + (more > 0 ? ["  " + CleanText.logLine("… and \(more) more against \(name)")] : [])
    }

    private func row(_ row: TerminalRow) -> [String] {
        switch row {
        case .comparison(let result): self.row(result)
        case .environment(let environment, let count):
            [
                paint("  " + CleanText.logLine("\(Verdict.noBaseline.word): \(count) comparisons"), .noBaseline),
                "      " + CleanText.logLine("There is \(absence) for \(environment), so only limits hold."),
            ]
        }
    }

    private var absence: String {
        report.releases.map { "no event of \(CleanText.line($0.base, most: 60)) that counts" } ?? "no baseline"
    }

    private func row(_ result: CellResult, against pinned: String? = nil) -> [String] {
        let page = CleanText.line(result.page.name, most: 60)
        let owner = pages.owner(of: result).map { "  (\(CleanText.line($0, most: 60)))" } ?? ""
        let metric = CleanText.line(result.metric.id, most: 60)
        let verdict = label(result.verdict) + (pinned.map { " against \($0)" } ?? "")
        let title = "\(verdict): \(page)\(app(of: result))  \(metric)\(values(result))\(owner)"
        let leads = pages.leads(ofRow: result).map { "\(PageIndex.lookAt) \($0)" }
        return [paint("  " + CleanText.logLine(title), result.verdict)]
            + ([result.reason] + leads).map { "      " + CleanText.logLine($0) }
    }

    /// Which of several apps a comparison of releases is about.
    private func app(of result: CellResult) -> String {
        guard result.releases != nil, report.environments.count > 1, let app = result.environment["app"] else {
            return ""
        }
        return " (\(CleanText.line(app.description, most: 60)))"
    }

    /// The verdict's word; a row that is told though it passes says why it is.
    private func label(_ verdict: Verdict) -> String {
        switch verdict {
        case .waived, .improved: verdict.rawValue
        case .regressed, .overLimit, .missing, .inconclusive, .noBaseline, .passed: verdict.word
        }
    }

    /// The centres of both sides. A broken limit was held against something else, so there each says what it is.
    private func values(_ result: CellResult) -> String {
        let unit = result.metric.unit.symbol
        guard let candidate = result.candidate?.center else { return "" }
        let isRuns = result.releases == nil
        let centre = isRuns && result.verdict == .overLimit ? "\(result.metric.centre.rawValue) " : ""
        guard let baseline = result.baseline?.center else { return "  \(centre)\(Figure.text(candidate, unit))" }
        let names = report.releases.map { [$0.base, $0.candidate].map { CleanText.line($0, most: 40) } }
        let (old, new) = (names?[0] ?? "baseline", names?[1] ?? "candidate")
        return "  \(old) \(centre)\(Figure.text(baseline)) → \(new) \(centre)\(Figure.text(candidate, unit))"
    }

    private var remarks: [String] {
        let passed = report.comparisons.count { $0.isGated && $0.verdict == .passed }
        let shown = report.comparisons.count { !$0.isGated }
        var lines = ["", "  \(passed) passed, \(shown) shown without a gate"]
        let diagnostics = report.diagnostics.filter { $0.severity != .note }.count
        if diagnostics > 0 {
            lines.append("  \(Figure.count(diagnostics, "remark")) on the inputs, see above")
        }
        return lines
    }

    private var next: [String] {
        let blocks = NextBlock.all(of: report)
        let left = blocks.count - options.pages
        let more =
            left > 0 ? "  … and the same for \(Figure.count(left, "more page")); the other reports tell them." : nil
        return blocks.prefix(options.pages).flatMap(next) + ["", more].compactMap { more == nil ? nil : $0 }
    }

    private func next(_ block: NextBlock) -> [String] {
        let title = block.page.map { "Next, \(CleanText.line($0.name, most: 60)):" }
        let indent = title == nil ? "" : "  "
        let steps = block.steps.flatMap { step in
            [indent + CleanText.logLine("\(step.purpose):"), indent + "  " + CleanText.logLine(step.command.text)]
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

/// What one row of the summary is about.
enum TerminalRow {
    /// One comparison.
    case comparison(CellResult)
    /// So many comparisons of an environment that has no baseline at all: one row, not one a page.
    case environment(Environment, count: Int)

    /// The rows of comparisons that are worth telling, in their order.
    static func all(of told: [CellResult], among comparisons: [CellResult]) -> [TerminalRow] {
        let known = Set(comparisons.filter { $0.baseline != nil }.map(\.environment))
        let strange = told.filter { $0.verdict == .noBaseline && !known.contains($0.environment) }
        let counts = Dictionary(strange.map { ($0.environment, 1) }, uniquingKeysWith: +).filter { $0.value > 1 }
        var seen: Set<Environment> = []
        return told.compactMap { result in
            guard result.verdict == .noBaseline, let count = counts[result.environment] else {
                return .comparison(result)
            }
            return seen.insert(result.environment).inserted ? .environment(result.environment, count: count) : nil
        }
    }
}
