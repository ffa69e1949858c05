import PerfgateCompare
import PerfgateModel

/// The report as a page for a browser: one file without a script and without a request to anywhere.
package struct HTMLReport: Sendable {
    /// Where the style sheet stands.
    package enum Assets: String, Sendable, Hashable, CaseIterable {
        /// In the page itself.
        case inline
        /// In `report.css` beside it, for servers that forbid styles in a page.
        case external
    }

    /// The file beside the page that holds the style sheet where it is external.
    package static let styleSheetFile = "report.css"

    /// The report.
    package let report: GateReport
    /// Where the style sheet stands.
    package let assets: Assets
    private let templates: TemplateSet

    /// Makes a renderer of a finished report.
    package init(_ report: GateReport, templates: TemplateSet, assets: Assets = .inline) {
        self.report = report
        self.templates = templates
        self.assets = assets
    }

    /// The page.
    package var text: String {
        let styleSheet = assets == .inline ? templates.styleSheet : nil
        return templates.render(.html, HTMLContext(report: report, styleSheet: styleSheet).context)
    }

    /// What `report.css` holds; `nil` where the style sheet stands in the page.
    package var styleSheet: String? { assets == .external ? templates.styleSheet : nil }
}

/// What the HTML frame is filled with.
struct HTMLContext {
    /// The report.
    let report: GateReport
    /// The style sheet that stands in the page; `nil` where it is a file beside it.
    let styleSheet: String?
    private let budget: HTMLBudget
    private let pages: PageIndex

    /// Prepares a report.
    init(report: GateReport, styleSheet: String?) {
        self.report = report
        self.styleSheet = styleSheet
        budget = HTMLBudget(report)
        pages = PageIndex(report)
    }

    /// The names and their values.
    var context: TemplateContext {
        let sentences = ReportSentences(report: report)
        let pair = report.releases
        return [
            "style_sheet": .markup(styleSheet), "title": .text("perfgate: \(report.headline)"),
            "headline": .text(report.headline), "outcome": .markup(report.outcome.rawValue),
            "tool": .text(report.tool), "exit_code": .text(String(report.exitCode)),
            "notes": .list(report.notes.map { ["text": .text($0)] }),
            "faults": items(sentences.faults),
            "overview": .list(report.comparisons.isEmpty && pinnedRows.isEmpty ? [] : [overview]),
            "next": .list(report.next.isEmpty ? [] : [next]),
            "contents": .list(places.count > 1 ? [contents] : []), "pages": .list(places.map(page)),
            "environments": items(pair == nil ? sentences.environments : []),
            "baseline_name": .text(pair?.base ?? "Baseline"), "candidate_name": .text(pair?.candidate ?? "Candidate"),
            "sides": .text(pair.map { "\($0.base) → \($0.candidate)" } ?? "Baseline → candidate"),
            "traffic": .list(report.environments.compactMap { HTMLTraffic($0)?.context }),
            "diagnostics": items(sentences.diagnostics),
        ]
    }

    private func items(_ sentences: [String]) -> TemplateValue {
        .list(sentences.isEmpty ? [] : [["items": .list(sentences.map { ["text": .text($0)] })]])
    }

    /// What to do about the worst page, and folded about the others.
    private var next: TemplateContext {
        let blocks = NextBlock.all(of: report).enumerated().map { index, block -> TemplateContext in
            let steps = block.steps.map { step -> TemplateContext in
                ["purpose": .text(step.purpose), "command": .text(step.command.text)]
            }
            return [
                "page": .text(block.page.map { $0.name }), "is_folded": .flag(index > 0 && block.page != nil),
                "steps": .list(steps),
            ]
        }
        return ["blocks": .list(blocks), "left": .text(NextBlock.remainder(of: report))]
    }

    private var overview: TemplateContext {
        let brief = report.comparisons.count { !budget.allows($0) }
        let shown = HTMLBudget.rows(of: report)
        let left = report.comparisons.count - shown
        let what = report.releases == nil ? "samples" : "numbers"
        let sentences = [
            left > 0
                ? "\(Figure.count(left, "more comparison")) stand\(left == 1 ? "s" : "") at their pages alone." : nil,
            brief == 0
                ? nil
                : "\(brief) comparisons stand in rows alone, to keep this page small; perfgate explain shows their \(what).",
        ].compactMap(\.self)
        let sentence = sentences.isEmpty ? nil : sentences.joined(separator: " ")
        return [
            "rows": .list(pinnedRows + report.comparisons.prefix(shown).map { row($0) }),
            "has_history": .flag(report.comparisons.contains { MedianHistory($0) != nil }), "brief": .text(sentence),
        ]
    }

    /// What fails against a pinned reference, each a row that leads to the comparison of the same metric.
    private var pinnedRows: [TemplateContext] {
        guard let pinned = report.pinned else { return [] }
        return pinned.comparisons.map { row($0, against: pinned.name) }
    }

    private func row(_ result: CellResult, against pinned: String? = nil) -> TemplateContext {
        let text = ComparisonText(result)
        return [
            "class": .markup(HTMLComparison.styleClass(of: result)),
            "verdict": .text(text.verdict),
            "page": .text(result.page.name),
            "environment": .text(report.environments.count > 1 ? result.environment.description : nil),
            "metric": .text(result.metric.id + (pinned.map { ", against \($0)" } ?? "")),
            "anchor": .markup(HTMLAnchor.metric(result.metric.id, of: result.place)),
            "baseline": .text(text.baseline), "candidate": .text(text.candidate), "change": .text(text.change),
            "limit": .text(text.judgedLimit), "leads": Self.leads(pages.leads(ofRow: result)),
            "history": .markup(history(of: result)),
        ]
    }

    /// How the metric went from run to run; `nil` where there is nothing to draw, or no room for it.
    private func history(of result: CellResult) -> String? {
        guard budget.allowsHistory(of: result) else { return nil }
        return MedianHistory(result).map { SVGSparkline($0).markup }
    }

    /// Every page in its environment with what was compared of it, by name.
    private var places: [(summary: PageSummary, results: [CellResult])] {
        Dictionary(grouping: report.comparisons, by: \.place).sorted { $0.key < $1.key }.map { place, results in
            (pages[place] ?? PageSummary(place: place), results)
        }
    }

    /// The links to all pages, each with its worst verdict.
    private var contents: TemplateContext {
        let isElsewhere = report.environments.count > 1
        let items = places.map { summary, results -> TemplateContext in
            let worst = results.min { ($0.isGated ? $0.verdict.rank : .max) < ($1.isGated ? $1.verdict.rank : .max) }
            return [
                "anchor": .markup(HTMLAnchor.page(summary.place)), "page": .text(summary.place.page.name),
                "environment": .text(isElsewhere ? summary.place.environment.description : nil),
                "class": .markup(worst.map(HTMLComparison.styleClass) ?? ""),
                "verdict": .text(worst.map { ComparisonText($0).verdict }),
            ]
        }
        return ["count": .text(String(items.count)), "items": .list(items)]
    }

    private func page(_ summary: PageSummary, _ results: [CellResult]) -> TemplateContext {
        let brief = results.filter { !budget.allows($0) }
        let trace = summary.trace.flatMap { budget.allowsTrace(of: summary.place) ? HTMLTrace($0) : nil }
        return [
            "anchor": .markup(HTMLAnchor.page(summary.place)), "page": .text(summary.place.page.name),
            "about": .text(about(summary)), "leads": Self.leads(summary.leads),
            "frames": .list([trace?.frames].compactMap(\.self)), "visit": .list([trace?.visit].compactMap(\.self)),
            "comparisons": .list(results.filter(budget.allows).map { HTMLComparison($0).context }),
            "others": .list(brief.isEmpty ? [] : [["rows": .list(brief.map { HTMLComparison($0).row })]]),
        ]
    }

    private static func leads(_ leads: [String]) -> TemplateValue {
        .list(leads.map { ["text": .text("\(PageIndex.lookAt) \($0)")] })
    }

    private func about(_ summary: PageSummary) -> String {
        let owner = summary.owner.map { "owned by \($0)" }
        let seconds = summary.seconds > 0 ? "measured for \(Figure.text(summary.seconds)) s" : nil
        let tests = summary.tests.isEmpty ? nil : "by " + summary.tests.joined(separator: ", ")
        return [summary.place.environment.description, summary.position, owner, seconds, tests]
            .compactMap(\.self).joined(separator: " · ")
    }
}

/// How much the releases of an app were used, and what their pages score: a part of the HTML report of a check in the
/// field.
struct HTMLTraffic {
    private let environment: Environment
    private let traffic: ReleaseTraffic

    /// Makes the part of an environment; `nil` where test runs were compared.
    init?(_ summary: EnvironmentSummary) {
        guard let traffic = summary.releases else { return nil }
        environment = summary.environment
        self.traffic = traffic
    }

    /// How many pages the table of scores has at most.
    static let mostPages = 600

    /// How long the part may become, in bytes.
    static func size(_ summary: EnvironmentSummary) -> Int {
        guard let traffic = summary.releases else { return 0 }
        let pages = traffic.scores.first?.pages.prefix(mostPages) ?? []
        return 2_000 + (traffic.days.count + traffic.strata.count) * 260
            + pages.reduce(0) { $0 + 320 + $1.page.name.utf8.count }
    }

    /// The names and their values.
    var context: TemplateContext {
        let scores = traffic.scores.first.map { [self.scores($0, traffic.scores.dropFirst().first)] } ?? []
        let parts = traffic.strata.map { part in
            row("\(part.name): \(part.value.isEmpty ? "unknown" : part.value)", part.events)
        }
        return [
            "title": .text(environment.description), "about": .text(ReportSentences.about(traffic)),
            "base": .text(traffic.base), "candidate": .text(traffic.candidate),
            "days": .list(traffic.days.map(day)),
            "strata": .list(parts.isEmpty ? [] : [["rows": .list(parts)]]), "scores": .list(scores),
        ]
    }

    private func day(_ day: ReleaseTraffic.Day) -> TemplateContext {
        func weight(_ sum: Int) -> TemplateValue {
            .text(Figure.text((Double(sum) / ReleaseTraffic.fullWeight).rounded()))
        }
        return [
            "day": .text(day.day), "base_events": .text(String(day.events.base)),
            "candidate_events": .text(String(day.events.candidate)), "base_weight": weight(day.weights.base),
            "candidate_weight": weight(day.weights.candidate),
            "overlap": .text("\(Figure.text((ReleaseTraffic.overlap([day]) * 100).rounded())) %"),
        ]
    }

    private func row(_ name: String, _ events: ReleaseTraffic.Events) -> TemplateContext {
        func share(_ count: Int, of all: Int) -> TemplateValue {
            .text(all > 0 ? "\(count) (\(Figure.text((Double(count) / Double(all) * 1_000).rounded() / 10)) %)" : "0")
        }
        return [
            "part": .text(name), "base_events": share(events.base, of: traffic.events.base),
            "candidate_events": share(events.candidate, of: traffic.events.candidate),
        ]
    }

    private func scores(_ scores: ReleaseTraffic.Scores, _ tried: ReleaseTraffic.Scores?) -> TemplateContext {
        let others = Dictionary((tried?.pages ?? []).map { ($0.page, $0) }) { first, _ in first }
        let rows = scores.pages.prefix(Self.mostPages).map { page -> TemplateContext in
            let other = others[page.page]
            return [
                "page": .text(page.page.name), "visits": .text(String(page.visits)), "base_score": score(page.base),
                "candidate_score": score(page.candidate), "change": change(page.base, page.candidate),
                "tried": .list(
                    tried == nil
                        ? [] : [["base_tried": score(other?.base), "candidate_tried": score(other?.candidate)]]),
            ]
        }
        let left = scores.pages.count - rows.count
        return [
            "formula": .text(scores.formula), "tried_formula": .text(tried?.formula),
            "left": .text(left > 0 ? "\(Figure.count(left, "page")) with fewer visits stand in the JSON report." : nil),
            "rows": .list(rows),
        ]
    }

    private func score(_ score: Double?) -> TemplateValue {
        .text(score.map { Figure.text(($0 * 10).rounded() / 10) } ?? "–")
    }

    private func change(_ base: Double?, _ candidate: Double?) -> TemplateValue {
        guard let base, let candidate else { return .text("–") }
        return .text(Figure.signed(candidate - base, Figure.Resolution(of: [100])))
    }
}

/// What to do next about one page, or about the whole run.
struct NextBlock {
    /// The page; `nil`: the whole run.
    let page: Page?
    /// The steps, in the order in which to try them; not empty.
    private(set) var steps: [NextStep]

    /// The blocks of a report in the order of its steps.
    static func all(of report: GateReport) -> [NextBlock] {
        report.next.reduce(into: []) { blocks, step in
            if let last = blocks.last, last.page == step.page {
                blocks[blocks.count - 1].steps.append(step)
            } else {
                blocks.append(NextBlock(page: step.page, steps: [step]))
            }
        }
    }

    /// What to say of the pages that fail and have no block; `nil` where there is none.
    static func remainder(of report: GateReport) -> String? {
        let told = Set(report.next.compactMap(\.page))
        let failing = report.comparisons.filter { result in
            result.isGated && result.verdict != .noBaseline && report.failing.failure(of: result) != nil
        }
        let left = Set(failing.map(\.page)).subtracting(told).count
        guard !told.isEmpty, left > 0 else { return nil }
        return "\(Figure.count(left, "more page")) fail\(left == 1 ? "s" : ""): the same commands hold for "
            + "\(left == 1 ? "its page and metric" : "their pages and metrics")."
    }
}
