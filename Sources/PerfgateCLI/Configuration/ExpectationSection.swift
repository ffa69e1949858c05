import PerfgateCompare
import PerfgateModel

/// Reads the entries of `expected`.
struct ExpectationSection {
    /// The keys of an entry.
    enum Key: String, YAMLKey {
        case page, metrics, iterations
    }

    /// The metrics that can be expected: those that perfgate knows, and a team's own that the file names.
    let metrics: [String]

    /// Takes a policy, of which the settings of metrics are read.
    init(metricsOf policy: Policy) {
        let own = policy.ownMetrics.sorted { $0.precedesInUTF8($1) }
        metrics = MetricCatalog.all.map(\.metric.id) + own
    }

    /// An entry; `nil` where it names no page.
    func page(_ value: YAMLValue) -> ExpectedPage? {
        let fields = value.fields(Key.self)
        let metrics = fields[.metrics]?.list().compactMap(metric) ?? []
        let iterations = fields[.iterations]?.integer(atLeast: 1, "write how many iterations a run must have")
        guard let page = fields[.page] else {
            value.lacks(Key.page, "say which page must be measured")
            return nil
        }
        return page.text("write a page's name").map {
            ExpectedPage(page: Page($0), metrics: metrics, iterations: iterations)
        }
    }

    /// A metric's name; one that nothing gates on would never be missed, however it is meant.
    private func metric(_ value: YAMLValue) -> String? {
        guard let name = value.text("write a metric's name, such as ttil") else { return nil }
        guard !metrics.contains(name) else { return name }
        value.mismatch(
            "a metric that perfgate knows or that metrics: names",
            Suggestion.advice(
                for: name, among: metrics, otherwise: "write one of your own under metrics: first, with gate: true"))
        return nil
    }
}
