/// How the score of a page is made from its metrics.
///
///     score = 100 · Σ wᵢ · curveᵢ(capped mean of metric i)
///
/// Scores of different versions aren't comparable. Above 70 is good, below 50 poor (`ScoreBand`).
public struct ScoreFormula: Hashable, Sendable {
    /// The name under which scores of this formula are compared.
    public let version: String

    /// The metrics with their weights and curves, in the order of `PageMetric`; their weights sum to 1.
    public let components: [ScoreComponent]

    /// Checks that every component is usable and that the weights sum to 1.
    public init(version: String, components: [ScoreComponent]) throws(ScoreError) {
        guard !components.isEmpty else { throw .empty }
        var seen: Set<PageMetric> = []
        for component in components {
            guard seen.insert(component.metric).inserted else { throw .repeated(component.metric) }
            try Self.check(component)
        }
        self.init(knownVersion: version, components: components)
        let sum = self.components.reduce(0) { $0 + $1.weight }
        guard abs(sum - 1) < 1e-9 else { throw .sum(sum) }
    }

    /// Takes components that are known to be usable.
    init(knownVersion version: String, components: [ScoreComponent]) {
        self.version = version
        self.components = PageMetric.allCases.compactMap { metric in components.first { $0.metric == metric } }
    }

    private static func check(_ component: ScoreComponent) throws(ScoreError) {
        guard component.weight > 0, component.weight.isFinite else { throw .weight(component.metric, component.weight) }
        guard let cap = component.cap else { return }
        guard cap > 0, cap.isFinite else { throw .cap(component.metric, cap) }
    }

    /// The score of a page; `samples` are those of all visits of a run, in milliseconds.
    public func score(of samples: [PageMetric: [Double]]) -> PageScore {
        PageScore(formula: version, parts: components.map { $0.part(of: samples[$0.metric] ?? []) })
    }
}
