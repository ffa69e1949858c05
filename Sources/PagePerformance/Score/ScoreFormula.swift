/// The formula that computes a page's score from its metrics.
///
///     score = 100 · Σ wᵢ · curveᵢ(capped mean of metric i)
///
/// Scores of different versions aren't comparable. Above 70 is good, below 50 poor (`ScoreBand`).
public struct ScoreFormula: Hashable, Sendable {
    /// The name under which scores of this formula are compared.
    public let version: String

    /// The metrics with their weights and curves, in the order of `PageMetric`; their weights sum to 1.
    public let components: [ScoreComponent]

    /// Checks that every component is valid and that the weights sum to 1.
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

    /// Takes components that are known to be valid.
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
        score { $0.cappedMean(of: samples[$0.metric] ?? []) }
    }

    /// The score of a page by the capped mean of each component in milliseconds, `nil` without one, for callers with
    /// sums instead of samples.
    package func score(by mean: (ScoreComponent) -> Double?) -> PageScore {
        PageScore(formula: version, parts: components.map { $0.part(with: mean($0)) })
    }
}

extension ScoreFormula {
    /// Version "1": perfgate's own defaults, for the five metrics of a native page with equal weights.
    ///
    /// The published score's weights and curves aren't known. These are starting points to replace with your own:
    /// good and poor in milliseconds, and a cap of ten times poor.
    public static let standard = ScoreFormula(
        knownVersion: "1",
        components: [
            component(.ttfl, good: 300, poor: 1_000),
            component(.ttil, good: 1_200, poor: 3_000),
            component(.scrollThreadHang, good: 100, poor: 500),
            component(.alt, good: 300, poor: 1_500),
            component(.rclt, good: 500, poor: 2_000),
        ])

    private static func component(_ metric: PageMetric, good: Double, poor: Double) -> ScoreComponent {
        ScoreComponent(metric, weight: 0.2, curve: ScoreCurve(knownGood: good, poor: poor), cap: 10 * poor)
    }
}

/// The contribution of one metric to the score of a page.
public struct ScoreComponent: Hashable, Sendable {
    /// The metric, in milliseconds.
    public let metric: PageMetric

    /// The metric's weight, as a share of the full score, above 0, at most 1.
    public let weight: Double

    /// The curve from a mean in milliseconds to the share of its weight.
    public let curve: ScoreCurve

    /// The most milliseconds that one visit counts, which limits its effect on the mean; `nil` if there is no cap.
    public let cap: Double?

    /// Makes a component; the formula checks it.
    public init(_ metric: PageMetric, weight: Double, curve: ScoreCurve, cap: Double? = nil) {
        (self.metric, self.weight, self.curve, self.cap) = (metric, weight, curve, cap)
    }

    /// The contribution of a capped mean (milliseconds) to the score.
    func part(with mean: Double?) -> PageScore.Part {
        PageScore.Part(metric: metric, weight: weight, mean: mean, share: mean.map(curve.share(of:)))
    }

    /// The mean of `samples` (milliseconds), each limited to `cap`.
    ///
    /// `nil` without a sample, or if one isn't a number. Samples are summed in the order of their values, so the order
    /// of `samples` doesn't change the result.
    public func cappedMean(of samples: [Double]) -> Double? {
        guard !samples.isEmpty, !samples.contains(where: \.isNaN) else { return nil }
        let cap = cap ?? .infinity
        let sum = samples.sorted().reduce(0) { $0 + min($1, cap) }
        return sum / Double(samples.count)
    }
}
