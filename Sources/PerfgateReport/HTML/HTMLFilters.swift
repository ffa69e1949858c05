import PerfgateCompare
import PerfgateModel

/// Radio buttons that hide rows by outcome and metric without a script; browsers without support show all rows.
struct HTMLFilters {
    private let report: GateReport
    /// The numbers of the metrics with a filter, by identifier.
    let metrics: [String: Int]

    /// Takes a finished report.
    init(_ report: GateReport) {
        self.report = report
        let ids = Set(report.comparisons.map(\.metric.id)).sorted { $0.precedesInUTF8($1) }
        metrics = Dictionary(uniqueKeysWithValues: ids.prefix(Self.mostMetrics).enumerated().map { ($1, $0) })
    }

    /// The most metrics with a filter.
    private static let mostMetrics = 40

    /// The style rules.
    var rules: String {
        let styles = HTMLCell.Outcome.allCases.map(\.style.text) + (0..<metrics.count).map { "m\($0)" }
        return styles.map { style in
            "main:has(#show-\(style):checked) :is(.cell:not(.\(style)), :is(.page, .pages):not(:has(.\(style)))) "
                + "{ display: none; }\n"
        }.joined()
    }

    /// The buttons; empty with few comparisons.
    var markup: Markup {
        let outcomes = Dictionary(report.comparisons.map { (HTMLCell.outcome(of: $0), 1) }, uniquingKeysWith: +)
        guard report.comparisons.count > 3 else { return Markup() }
        func radio(_ group: Markup, _ id: Markup, _ text: String, isOn: Bool = false) -> Markup {
            let state: Markup = isOn ? " checked" : Markup()
            return "<label><input type=\"radio\" name=\"\(group)\" id=\"\(id)\"\(state)> \(text)</label>\n"
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
