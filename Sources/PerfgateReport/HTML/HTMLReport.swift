import PerfgateCompare
import PerfgateModel

/// The report as an HTML page: one file without scripts and without external requests.
package struct HTMLReport: Sendable {
    package enum Assets: String, Sendable, Hashable, CaseIterable {
        case inline
        /// In `report.css` beside it, for servers that forbid inline styles.
        case external
    }

    package static let styleSheetFile = "report.css"
    static let mostBytes = 3_900_000

    package let report: GateReport
    package let assets: Assets
    private let templates: TemplateSet

    package init(_ report: GateReport, templates: TemplateSet, assets: Assets = .inline) {
        (self.report, self.templates, self.assets) = (report, templates, assets)
    }

    package var text: String { templates.render(.html, context) }

    /// The content of `report.css`; `nil` if the style sheet is in the page.
    package var styleSheet: String? { assets == .external ? rules : nil }

    private var rules: String { templates.styleSheet + HTMLFilters(report).rules }

    private var context: TemplateContext {
        let sentences = ReportSentences(report: report)
        func head(_ findings: HTMLFindings) -> Markup {
            Markup([
                list("inputs", "Inputs that could not be used", sentences.faults), findings.markup,
                list("notes", "Notes", report.notes),
                Markup(report.environments.compactMap { HTMLTraffic($0)?.markup }),
            ])
        }
        var findings = HTMLFindings(report)
        let whole = head(findings)
        let foot = Markup([
            list("environments", "Environments and runs", report.releases == nil ? sentences.environments : []),
            list("diagnostics", "Diagnostics", sentences.diagnostics),
        ])
        let pages = HTMLPages(
            report, drawn: findings.drawn, room: Self.mostBytes - whole.count - foot.count - rules.utf8.count - 4_000)
        findings.anchors = pages.anchors
        return [
            "style_sheet": .markup(assets == .inline ? rules : nil), "title": .text("perfgate: \(report.title)"),
            "headline": .text(report.title), "outcome": .markup(report.outcome.rawValue),
            "verdict": .text(report.outcome.label), "tool": .text(report.tool),
            "exit_code": .text(String(report.exitCode)),
            "facts": .list(
                facts.enumerated().map { index, fact in
                    ["is_first": .flag(index == 0), "text": .text(fact.text), "link": .text(fact.link)]
                }), "findings": .markup(head(findings).text), "pages": .markup(pages.markup.text),
            "details": .markup(foot.text),
        ]
    }

    private func list(_ id: Markup, _ title: Markup, _ sentences: [String]) -> Markup {
        guard !sentences.isEmpty else { return Markup() }
        let items = sentences.map { "<li>\($0)</li>\n" as Markup }
        return "<section id=\"\(id)\">\n<h2>\(title)</h2>\n<ul>\n\(items)</ul></section>\n"
    }
}

extension GateReport.Conclusion {
    fileprivate var label: String {
        switch self {
        case .passed: "✓ passed"
        case .failed: "▲ failed"
        case .inconclusive: "? can't tell"
        case .error: "○ not judged"
        }
    }
}

extension HTMLReport {
    private struct Fact {
        let text: String
        var link: String?
    }

    /// What was compared, in a line below the verdict; no fact is there twice.
    private var facts: [Fact] {
        guard report.releases == nil else { return report.environments.flatMap(traffic) }
        return [app, commit, change, environment, measured, baseline].compactMap(\.self)
    }

    private func traffic(_ summary: EnvironmentSummary) -> [Fact] {
        guard let traffic = summary.releases else { return [] }
        return [
            Fact(text: summary.environment.fields.first?.text ?? ""),
            Fact(text: "\(traffic.base) → \(traffic.candidate)"), Fact(text: "\(traffic.sharedDays) of real users"),
            Fact(text: "\(traffic.events.base) → \(Figure.count(traffic.events.candidate, "event"))"),
        ]
    }

    /// The distinct values of a condition over the runs, at most three.
    private func values(_ key: String) -> String? {
        let all = report.runs.compactMap { $0.context.text(key) }.filter { !$0.isEmpty }.unique
        return all.isEmpty ? nil : all.map { CleanText.line($0, most: 60) }.listed(most: 3)
    }

    private var app: Fact? {
        let parts = [values("app"), values("app_version")].compactMap(\.self)
        return parts.isEmpty ? nil : Fact(text: parts.joined(separator: " "))
    }

    private var commit: Fact? { values("commit").map { Fact(text: "commit \($0)", link: report.job?.address(of: $0)) } }

    private var change: Fact? {
        let branch = report.job?.branch.map { CleanText.line($0, most: 80) }
        guard let request = report.job?.request.map({ CleanText.line($0, most: 20) }) else {
            return branch.map { Fact(text: "branch \($0)") }
        }
        return Fact(text: branch.map { "\(request), \($0)" } ?? request, link: report.job?.requestAddress)
    }

    private var environment: Fact? {
        guard let first = report.environments.first else { return nil }
        let count = report.environments.count
        return Fact(text: count == 1 ? first.environment.conditions : "\(count) environments")
    }

    private var measured: Fact? {
        guard !report.runs.isEmpty else { return nil }
        let newest = report.runs.compactMap(\.startedAt).max().map { " of \($0.shownDay)" } ?? ""
        return Fact(text: Figure.count(report.runs.count, "run") + newest)
    }

    private var baseline: Fact? {
        let counts = report.environments.map(\.baselineRuns.count)
        guard let most = counts.max() else { return nil }
        guard most > 0 else { return Fact(text: "no baseline") }
        let newest = report.environments.flatMap(\.baselineRuns).compactMap(\.startedAt).max()
        let runs = counts.min() == most ? Figure.count(most, "run") : "up to \(Figure.count(most, "run"))"
        return Fact(text: "baseline of \(runs)\(newest.map { ", the newest of \($0.shownDay)" } ?? "")")
    }
}

extension String {
    /// The day of a time in ISO 8601, cut before its `T`.
    var shownDay: String { CleanText.line(String(prefix { $0 != "T" }), most: 30) }
}

/// Radio buttons that hide rows by outcome and metric without a script; browsers without support show all rows.
struct HTMLFilters {
    private let report: GateReport
    /// The numbers of the metrics with a filter, by identifier.
    let metrics: [String: Int]

    init(_ report: GateReport) {
        self.report = report
        let ids = Set(report.comparisons.map(\.metric.id)).sorted { $0.precedesInUTF8($1) }
        metrics = Dictionary(uniqueKeysWithValues: ids.prefix(Self.mostMetrics).enumerated().map { ($1, $0) })
    }

    private static let mostMetrics = 40

    var rules: String {
        let styles = HTMLCell.Outcome.allCases.map(\.style.text) + (0..<metrics.count).map { "m\($0)" }
        return styles.map { style in
            "main:has(#show-\(style):checked) :is(.cell:not(.\(style)), :is(.page, .pages):not(:has(.\(style)))) "
                + "{ display: none; }\n"
        }.joined()
    }

    var markup: Markup {
        let outcomes = Dictionary(report.comparisons.map { (HTMLCell.outcome(of: $0), 1) }, uniquingKeysWith: +)
        guard report.comparisons.count > 3 else { return Markup() }
        func radio(_ group: Markup, _ id: Markup, _ text: String, isOn: Bool = false) -> Markup {
            """
            <label><input type="radio" name="\(group)" id="\(id)"\(isOn ? " checked" : Markup())> \(text)</label>

            """
        }
        let shown = HTMLCell.Outcome.allCases.compactMap { outcome in
            outcomes[outcome].map { radio("outcome", "show-\(outcome.style)", "\(outcome.title) (\($0))") }
        }
        let all = report.comparisons.map { ($0.metric.id, $0.metricNameWithIdentifier) }
        let names = Dictionary(all) { first, _ in first }
        let byMetric = metrics.sorted { $0.value < $1.value }.map { id, number in
            radio("metric", "show-m\(number)", names[id] ?? id)
        }
        return """
            <form class="filters">
            <fieldset><legend>Outcome</legend>
            \(radio("outcome", "show-all", "all (\(report.comparisons.count))", isOn: true))\(shown)</fieldset>
            <details><summary>Metric</summary>
            <fieldset><legend>Metric</legend>
            \(radio("metric", "show-metrics", "all", isOn: true))\(byMetric)</fieldset></details>
            </form>

            """
    }
}

extension CellResult { var htmlAnchor: String { HTMLAnchor.metric(metric.id, of: place) } }

/// The anchors in the HTML report: functions of the content only.
enum HTMLAnchor {
    /// The anchor of a page in an environment, such as `search-5d1c09a3b2f4`.
    static func page(_ place: PageInEnvironment) -> String {
        let parts = [place.page.name] + place.environment.fields.flatMap { [$0.name, $0.text] }
        return slug(place.page.name) + "-" + hash(parts)
    }

    static func metric(_ metric: String, of place: PageInEnvironment) -> String {
        let slug = slug(metric)
        return page(place) + "-" + (slug == metric ? slug : slug + "-" + hash([metric]))
    }

    /// Lower-case ASCII letters, digits, `_` and `-`, at most 40; `page` if empty.
    private static func slug(_ name: String) -> String {
        var slug: [UInt8] = []
        for scalar in name.unicodeScalars.prefix(40) {
            let byte = scalar.isASCII ? UInt8(scalar.value) : 0
            if byte.isLetterOrDigit || byte == UInt8(ascii: "_") {
                slug.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte)
            } else if let last = slug.last, last != UInt8(ascii: "-") {
                slug.append(UInt8(ascii: "-"))
            }
        }
        if slug.last == UInt8(ascii: "-") { slug.removeLast() }
        return slug.isEmpty ? "page" : String(decoding: slug, as: UTF8.self)
    }

    private static func hash(_ parts: [String]) -> String {
        // A byte that no UTF-8 text contains ends each part.
        UInt64(fnv1a: parts.flatMap { Array($0.utf8) + [0xFF] }).upperDigits
    }
}
