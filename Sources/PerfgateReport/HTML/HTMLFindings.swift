import PerfgateCompare
import PerfgateModel

/// The findings of a check, worst first: a card with plot and actions for each that fails the run, a line for each
/// other one, and then the steps for the whole run.
struct HTMLFindings {
    private let report: GateReport
    private let index: PageIndex
    private let steps: [Page?: [NextStep]]
    /// The findings with a card, and the others with the reference that they fail against; `nil`: the baselines.
    private let cards: [Finding]
    private let lines: [(finding: Finding, reference: String?)]
    /// The anchors of the rows that have room on the page; `nil`: all have.
    var anchors: Set<String>?

    init(_ report: GateReport) {
        self.report = report
        (index, steps) = (PageIndex(report), Dictionary(grouping: report.next, by: \.page))
        let all = report.findings.map { ($0, $0.results.contains { report.failing.failure(of: $0) != nil }) }
        let failing = all.filter(\.1).map(\.0)
        cards = Array(failing.prefix(Self.mostCards))
        let pinned = report.pinned.map { pinned in pinned.findings.map { ($0, pinned.name as String?) } } ?? []
        lines = failing.dropFirst(cards.count).map { ($0, nil) } + pinned + all.filter { !$0.1 }.map { ($0.0, nil) }
    }

    private static let mostCards = 6
    /// The most findings listed below the cards, and folded below these.
    private static let (mostOpenLines, mostFoldedLines) = (9, 51)
    /// The most pages and consequences named on a card.
    private static let mostNames = 8

    var drawn: Set<Cell> { Set(cards.map(\.result.cell)) }

    var markup: Markup { "\(findings)\(next)" }

    private var findings: Markup {
        guard !cards.isEmpty || !lines.isEmpty else { return Markup() }
        let folded = lines.dropFirst(Self.mostOpenLines)
        let left = folded.count - Self.mostFoldedLines
        let below: Markup? = left > 0 ? "<p>\(Figure.count(left, "more finding")) below.</p>\n" : nil
        let more: Markup = """
            <details><summary>\(Figure.count(folded.count, "more finding")): \
            \(HTMLCell.counts(of: folded.map(\.finding.result)))</summary>
            \(list(folded.prefix(Self.mostFoldedLines)))\(below)</details>

            """
        let also: Markup = "<h2>Also, \(HTMLCell.counts(of: lines.map(\.finding.result)))</h2>\n"
        let open = list(lines.prefix(Self.mostOpenLines))
        return """
            <section id="findings">
            <h2>\(heading)</h2>
            <div class="cards">
            \(cards.map(card))</div>
            \(lines.isEmpty || cards.isEmpty ? nil : also)\(open)\(folded.isEmpty ? nil : more)</section>

            """
    }

    /// What the cards are, and how many comparisons they stand for.
    private var heading: String {
        guard !cards.isEmpty else { return report.pinned.map { "Worse than \($0.name)" } ?? "Worth knowing" }
        let gated = report.comparisons.filter(\.isGated)
        let failed = gated.count { report.failing.failure(of: $0) != nil }
        let all = "\(failed) of \(Figure.count(gated.count, "comparison"))"
        // Metrics that changed together are one finding.
        let count = cards.count == min(failed, Self.mostCards) ? all : "\(Figure.count(cards.count, "finding")), \(all)"
        return cards.count == 1 ? "What failed: \(count)" : "What failed, worst first: \(count)"
    }

    private func list(_ lines: ArraySlice<(finding: Finding, reference: String?)>) -> Markup {
        guard !lines.isEmpty else { return Markup() }
        return "<ul class=\"findings\">\n\(lines.map { line($0.finding, against: $0.reference) })</ul>\n"
    }

    private func link(_ result: CellResult, _ text: Markup) -> Markup {
        hasRow(result) ? "<a href=\"#\(result.htmlAnchor)\">\(text)</a>" : text
    }

    private func hasRow(_ result: CellResult) -> Bool { anchors?.contains(result.htmlAnchor) ?? true }

    private func environment(_ result: CellResult) -> Markup? {
        report.environments.count > 1 ? "<br><small><bdi>\(result.environment.description)</bdi></small>" : nil
    }

    private func line(_ finding: Finding, against pinned: String?) -> Markup {
        let result = finding.result
        let reference: Markup? = pinned.map { ", against \($0)" }
        let more: Markup? = finding.count > 1 ? " <small>(\(finding.count) comparisons)</small>" : nil
        return """
            <li>\(HTMLCell.verdict(of: result)) \(link(result, "<bdi>\(finding.title)</bdi>"))\(result.identifier)\
            \(reference)\(more)\(environment(result))</li>

            """
    }

    private func card(_ finding: Finding) -> Markup {
        let result = finding.result
        let leads = index.leads(of: result).map { "<p>\($0)</p>\n" as Markup }
        return """
            <article class="card \(HTMLCell.outcome(of: result).style)">
            <h3>\(HTMLCell.verdict(of: result)) \(title(finding))\(environment(result))</h3>
            \(amount(finding))\(HTMLCell(result, runs: report.facts).plot)\(consequences(finding))\(pages(finding))\
            \(leads)\(actions(finding))</article>

            """
    }

    /// The page and the metric; all words where there are no two numbers.
    private func title(_ finding: Finding) -> Markup {
        let result = finding.result
        guard finding.hasAmount else { return "<bdi>\(finding.title)</bdi>" }
        return "<bdi>\(finding.pageNames)</bdi>: \(result.metricName)\(result.identifier)"
    }

    /// Old and new value and the change, the largest text of the card; for several pages those of the first.
    private func amount(_ finding: Finding) -> Markup {
        let (result, text) = (finding.result, ComparisonText(finding.result))
        guard finding.hasAmount else { return result.numbers == nil ? "<p>\(result.reason)</p>\n" : Markup() }
        let strong: (String) -> Markup = { text in
            let long: Markup = text.count > 16 ? " long" : ""
            return "<strong class=\"\(HTMLCell.outcome(of: result).color)\(long)\">\(text)</strong>"
        }
        let values: Markup =
            finding.slowShare.map(strong)
            ?? (result.verdict == .inconclusive ? finding.multiple.map { "\(strong($0)) (\(text.values))" } : nil)
            ?? text.percent.map { "\(text.values) \(strong($0))" }
            ?? "\(result.baseline?.center.map { "\(Figure.text($0)) → " } ?? "")\(strong(text.candidate))"
        let limit: Markup? = text.brokenLimit.map { "<br><small>\($0)</small>" }
        let words: Markup? = result.verdict == .inconclusive ? "<p>\(finding.doubt)</p>\n" : nil
        return "<p class=\"change\">\(values)\(limit)</p>\n\(words)"
    }

    /// The other changes of the page, which show that they belong together.
    private func consequences(_ finding: Finding) -> Markup {
        let others = finding.isLost ? [] : finding.parts[0].consequences
        guard !others.isEmpty else { return Markup() }
        let title = finding.result.numbers != nil ? "Changed together" : "Also"
        return values(of: others, title, more: { "\($0) more" }) { "\($0.metricName)" }
    }

    private func pages(_ finding: Finding) -> Markup {
        guard finding.parts.count > 1 else { return Markup() }
        let title = "On \(finding.parts.count) pages"
        return values(of: finding.parts.map(\.result), title, more: { Figure.count($0, "more page") }) {
            "<bdi>\($0.page.name)</bdi>"
        }
    }

    /// The names and values of the first results, and the number of the others.
    private func values(
        of results: [CellResult], _ title: String, more: (Int) -> String, name: (CellResult) -> Markup
    ) -> Markup {
        let items = results.prefix(Self.mostNames).map { result -> Markup in
            "<li>\(link(result, name(result))) \(ComparisonText(result).valuesWithShare)</li>\n"
        }
        let left = results.count - items.count
        let rest: Markup? = left > 0 ? "<li>and \(more(left))</li>\n" : nil
        return "<p>\(title):</p>\n<ul>\n\(items)\(rest)</ul>\n"
    }

    /// The choices of the reader, each a button that opens its commands, and a link to the samples and the rule.
    private func actions(_ finding: Finding) -> Markup {
        let own = steps[finding.result.page] ?? []
        let choices = Choice.allCases.compactMap { choice -> Markup? in
            let steps = own.filter { Choice(of: $0.command.verb) == choice }
            guard !steps.isEmpty else { return nil }
            let title = choice == .again && report.releases != nil ? "Compare later days" : choice.rawValue
            return "<details><summary>\(title)</summary>\n\(Self.list(steps))</details>\n"
        }
        let why: Markup =
            hasRow(finding.result) ? link(finding.result, "See why") : "Samples and rule are in the JSON report."
        return "<div class=\"actions\">\n\(choices)<p>\(why)</p></div>\n"
    }

    private enum Choice: String, CaseIterable {
        case again = "Measure again"
        case search = "Find the commit"
        case accept = "Accept"
        case later = "Fix later"

        /// The choice that a command belongs to; `nil` for an explanation.
        init?(of verb: SuggestedCommand.Verb) {
            switch verb {
            case .check, .compare, .xcodebuild, .gradle, .fieldRollUp, .fieldCheck: self = .again
            case .bisect: self = .search
            case .update, .show, .prune, .rename, .pin, .reopen: self = .accept
            case .waive: self = .later
            case .explain: return nil
            }
        }
    }

    static func list(_ steps: [NextStep]) -> Markup {
        let items = steps.map { step -> Markup in
            "<dt>\(step.purpose)</dt>\n<dd><pre tabindex=\"0\"><code>\(step.command.text)</code></pre></dd>\n"
        }
        return "<dl class=\"steps\">\n\(items)</dl>\n"
    }

    /// The steps that belong to no card: for the whole run, and for other pages.
    private var next: Markup {
        let shown = Set(cards.map(\.result.page))
        let left = NextBlock.all(of: report).filter { $0.pages.isEmpty || $0.pages.contains { !shown.contains($0) } }
        guard !left.isEmpty else { return Markup() }
        let parts = left.map { block -> Markup in
            guard let title = block.title else { return Self.list(block.steps) }
            return "<details><summary><bdi>\(title)</bdi></summary>\n\(Self.list(block.steps))</details>\n"
        }
        let remainder: Markup? = NextBlock.remainder(of: report).map { "<p>\($0)</p>\n" }
        let title: Markup = cards.isEmpty ? "What to do" : "What to do about other pages"
        return "<section id=\"next\">\n<h2>\(title)</h2>\n\(parts)\(remainder)</section>\n"
    }
}

/// The next steps for a page, for several pages together, or for the whole run.
struct NextBlock {
    /// The pages; empty: the whole run.
    let pages: [Page]
    /// The steps, in the order in which to try them; not empty.
    let steps: [NextStep]

    /// The blocks of a report: first the commands that several pages share, then page by page. Each command stands once.
    static func all(of report: GateReport) -> [NextBlock] {
        // A step with the same words for several pages.
        let shared = report.next.unique.grouped { [$0.purpose, $0.command.text] }
        let blocks = shared.grouped { $0.compactMap(\.page) }.map { steps in
            NextBlock(pages: steps[0].compactMap(\.page), steps: steps.map { $0[0] })
        }
        return blocks.filter { $0.pages.count != 1 } + blocks.filter { $0.pages.count == 1 }
    }

    var title: String? { pages.isEmpty ? nil : Finding.names(of: pages) }

    /// The number of failing pages that aren't among some with commands.
    static func pagesLeft(of report: GateReport, beside told: Set<Page>) -> Int {
        let failing = report.comparisons.filter { result in
            result.isGated && result.verdict != .noBaseline && report.failing.failure(of: result) != nil
        }
        return Set(failing.map(\.page) + report.next.compactMap(\.page)).subtracting(told).count
    }

    /// The sentence about failing pages without a block; `nil` if there are none.
    static func remainder(of report: GateReport) -> String? {
        let told = Set(report.next.compactMap(\.page)), left = pagesLeft(of: report, beside: told)
        guard !told.isEmpty, left > 0 else { return nil }
        return "\(Figure.count(left, "more page")) fail\(left == 1 ? "s" : ""): the same commands apply to "
            + "\(left == 1 ? "this page and its metric" : "their pages and metrics")."
    }
}

extension GateReport {
    /// The notable findings of the check, worst first.
    package var findings: [Finding] { Finding.all(of: comparisons.filter(\.isRemarkable)) }

    /// The file that `--json` wrote, if a suggested command names it; else a placeholder.
    var storedFile: String {
        let words = next.lazy.flatMap(\.command.arguments).filter { $0.flag == .result }.compactMap(\.word)
        return words.first { !$0.isBlank }?.quoted ?? "RESULT"
    }

    var facts: RunFacts {
        let own = runs.map { EnvironmentSummary.BaselineRun(id: $0.id, commit: $0.commit, startedAt: $0.startedAt) }
        return Dictionary((environments.flatMap(\.baselineRuns) + own).map { ($0.id, $0) }) { first, _ in first }
    }
}

/// What reports say about runs beside their samples, by identifier.
typealias RunFacts = [String: EnvironmentSummary.BaselineRun]

extension PinnedFindings { var findings: [Finding] { Finding.all(of: comparisons) } }
