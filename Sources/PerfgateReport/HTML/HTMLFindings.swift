import PerfgateCompare
import PerfgateModel

/// The findings of a check, worst first: cards with plot and commands, then one line each, then next steps for the
/// whole run.
struct HTMLFindings {
    private let report: GateReport
    private let index: PageIndex
    private let blocks: [NextBlock]
    private let all: [Finding]
    /// The anchors of the rows that have room on the page; `nil`: all have.
    var anchors: Set<String>?

    /// Takes a finished report.
    init(_ report: GateReport) {
        self.report = report
        all = report.findings
        index = PageIndex(report)
        blocks = NextBlock.all(of: report)
    }

    static let mostCards = 3
    /// The most findings listed below the cards, and folded below these.
    private static let (mostOpenLines, mostFoldedLines) = (9, 51)
    /// The most pages and consequences named on a card.
    private static let mostNames = 8

    /// The sections; empty without findings and steps.
    var markup: Markup { "\(findings)\(next)" }

    private var findings: Markup {
        let pinned = report.pinned.map { pinned in pinned.findings.map { ($0, pinned.name as String?) } } ?? []
        guard !all.isEmpty || !pinned.isEmpty else { return Markup() }
        let lines = all.dropFirst(Self.mostCards).map { ($0, nil) } + pinned
        let folded = lines.dropFirst(Self.mostOpenLines)
        let left = folded.count - Self.mostFoldedLines
        let below: Markup? = left > 0 ? "<p>\(Figure.count(left, "more finding")) below.</p>\n" : nil
        let more: Markup = """
            <details><summary>\(Figure.count(folded.count, "more finding")): \
            \(HTMLCell.counts(of: folded.map(\.0.result)))</summary>
            \(list(folded.prefix(Self.mostFoldedLines)))\(below)</details>

            """
        return """
            <section id="findings">
            <h2>Findings, worst first</h2>
            <div class="cards">
            \(all.prefix(Self.mostCards).map(card))</div>
            \(list(lines.prefix(Self.mostOpenLines)))\(folded.isEmpty ? Markup() : more)</section>

            """
    }

    private func list(_ lines: ArraySlice<(Finding, String?)>) -> Markup {
        guard !lines.isEmpty else { return Markup() }
        return "<ul class=\"findings\">\n\(lines.map { line($0, against: $1) })</ul>\n"
    }

    /// A text with a link to the row of a comparison; the text alone where the page has no such row.
    private func link(_ result: CellResult, _ text: Markup) -> Markup {
        hasRow(result) ? "<a href=\"#\(anchor(result))\">\(text)</a>" : text
    }

    private func anchor(_ result: CellResult) -> String { HTMLAnchor.metric(result.metric.id, of: result.place) }

    private func hasRow(_ result: CellResult) -> Bool { anchors?.contains(anchor(result)) ?? true }

    private func environment(_ result: CellResult) -> Markup? {
        report.environments.count > 1 ? "<br><small><bdi>\(result.environment.description)</bdi></small>" : nil
    }

    private func line(_ finding: Finding, against pinned: String?) -> Markup {
        let result = finding.result
        let outcome = HTMLCell.outcome(of: result)
        let reference: Markup? = pinned.map { ", against \($0)" }
        let more: Markup? = finding.count > 1 ? " <small>(\(finding.count) comparisons)</small>" : nil
        return """
            <li><span class="\(outcome.color)">\(ComparisonText(result).verdict)</span> \
            \(link(result, "<bdi>\(finding.title)</bdi>"))\(result.identifier)\(reference)\(more)\
            \(environment(result))</li>

            """
    }

    private func card(_ finding: Finding) -> Markup {
        let result = finding.result
        let leads = index.leads(of: result).map { "<p>\(PageIndex.lookAt) \($0)</p>\n" as Markup }
        return """
            <article class="card \(HTMLCell.outcome(of: result).style)">
            <h3><span class="\(HTMLCell.outcome(of: result).color)">\(ComparisonText(result).verdict)</span><br>\
            <bdi>\(finding.title)</bdi>\(result.identifier)\(environment(result))</h3>
            \(HTMLCell(result, commits: report.commits).plot)\(consequences(finding))\(pages(finding))\(leads)\(commands(finding))\
            <p>\(link(result, "Samples and rule"))\(hasRow(result) ? Markup() : " are in the JSON report")</p>
            </article>

            """
    }

    /// The other changes of the page, which show that they belong together.
    private func consequences(_ finding: Finding) -> Markup {
        let others = finding.isLost ? [] : finding.parts[0].consequences
        guard !others.isEmpty else { return Markup() }
        let items = others.prefix(Self.mostNames).map { result -> Markup in
            "<li>\(link(result, "\(result.metricName)")) \(ComparisonText(result).values)</li>\n"
        }
        let left = others.count - items.count
        let more: Markup? = left > 0 ? "<li>and \(left) more</li>\n" : nil
        let title: Markup = finding.result.numbers != nil ? "Changed together" : "Also"
        return "<p>\(title):</p>\n<ul>\n\(items)\(more)</ul>\n"
    }

    private func pages(_ finding: Finding) -> Markup {
        guard finding.parts.count > 1 else { return Markup() }
        let items = finding.parts.prefix(Self.mostNames).map { part -> Markup in
            let text = ComparisonText(part.result)
            return
                "<li>\(link(part.result, "<bdi>\(part.result.page.name)</bdi>")) \(text.values)</li>\n"
        }
        let left = finding.parts.count - items.count
        let more: Markup? = left > 0 ? "<li>and \(Figure.count(left, "more page"))</li>\n" : nil
        return "<p>On \(finding.parts.count) pages:</p>\n<ul>\n\(items)\(more)</ul>\n"
    }

    /// The commands for the finding's page; a command that explains it is open.
    private func commands(_ finding: Finding) -> Markup {
        guard let block = blocks.first(where: { $0.pages == [finding.result.page] }) else { return Markup() }
        let explained = block.steps.filter { $0.command.verb == .explain }
        let others = block.steps.filter { $0.command.verb != .explain }
        let rest: Markup =
            others.isEmpty ? Markup() : "<details><summary>What to do</summary>\n\(Self.list(others))</details>\n"
        return "\(explained.isEmpty ? Markup() : Self.list(explained))\(rest)"
    }

    private static func list(_ steps: [NextStep]) -> Markup {
        let items = steps.map { step -> Markup in
            "<dt>\(step.purpose)</dt>\n<dd><pre tabindex=\"0\"><code>\(step.command.text)</code></pre></dd>\n"
        }
        return "<dl class=\"steps\">\n\(items)</dl>\n"
    }

    /// The commands that aren't on a card.
    private var next: Markup {
        let shown = Set(all.prefix(Self.mostCards).map(\.result.page))
        let left = blocks.filter { $0.pages.count != 1 || !shown.contains($0.pages[0]) }
        guard !left.isEmpty else { return Markup() }
        let parts = left.map { block -> Markup in
            guard let title = block.title else { return Self.list(block.steps) }
            let state: Markup = block.pages.count > 1 ? " open" : Markup()
            return "<details\(state)><summary><bdi>\(title)</bdi></summary>\n\(Self.list(block.steps))</details>\n"
        }
        let remainder: Markup? = NextBlock.remainder(of: report).map { "<p>\($0)</p>\n" }
        return "<section id=\"next\">\n<h2>What to do</h2>\n\(parts)\(remainder)</section>\n"
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

    /// The commits of the runs, by run identifier.
    var commits: [String: String] {
        let stored = environments.flatMap(\.baselineRuns).compactMap { run in run.commit.map { (run.id, $0) } }
        return Dictionary(stored + runs.compactMap { run in run.commit.map { (run.id, $0) } }) { first, _ in first }
    }
}

extension PinnedFindings {
    /// The findings against the pinned reference.
    var findings: [Finding] { Finding.all(of: comparisons) }
}
