import LibC

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
            let metric = component.metric
            guard seen.insert(metric).inserted else { throw .repeated(metric) }
            guard component.weight > 0, component.weight.isFinite else { throw .weight(metric, component.weight) }
            if let cap = component.cap, !(cap > 0 && cap.isFinite) { throw .cap(metric, cap) }
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

    /// The score of a page; `samples` are those of all visits of a run, in milliseconds.
    public func score(of samples: [PageMetric: [Double]]) -> PageScore {
        score { $0.cappedMean(of: samples[$0.metric] ?? []) }
    }

    /// The score of a page by the capped mean of each component in milliseconds, `nil` without one, for callers with
    /// sums instead of samples.
    package func score(by mean: (ScoreComponent) -> Double?) -> PageScore {
        PageScore(formula: version, parts: components.map { $0.part(with: mean($0)) })
    }

    /// Version "1": perfgate's own defaults, for the five metrics of a native page with equal weights. The published
    /// score's weights and curves aren't known. These are starting points to replace with your own: good and poor in
    /// milliseconds, and a cap of ten times poor.
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

    /// The mean of `samples` (milliseconds), each limited to `cap`. `nil` without a sample, or if one isn't a number.
    /// Samples are summed in the order of their values, so the order of `samples` doesn't change the result.
    public func cappedMean(of samples: [Double]) -> Double? {
        guard !samples.isEmpty, !samples.contains(where: \.isNaN) else { return nil }
        return samples.sorted().reduce(0) { $0 + min($1, cap ?? .infinity) } / Double(samples.count)
    }
}

/// The score of a page over a run, with the contribution of each metric.
public struct PageScore: Hashable, Sendable {
    /// The contribution of one metric.
    public struct Part: Hashable, Sendable {
        /// The metric.
        public let metric: PageMetric
        /// The metric's weight, as a share of the full score, above 0, at most 1.
        public let weight: Double
        /// The capped mean of its samples in milliseconds; `nil` without one, or if one isn't a number.
        public let mean: Double?
        /// The share of its weight that the mean gets, from 0 to 1; `nil` without a mean.
        public let share: Double?

        /// The points that it adds to the score, at most 100 · `weight`; `nil` without a mean.
        public var points: Double? { share.map { 100 * weight * $0 } }
    }

    /// The version of the formula; scores of different versions aren't comparable.
    public let formula: String
    /// The parts in the order of `PageMetric`, one for each metric of the formula.
    public let parts: [Part]

    /// From 0 to 100, higher is better; `nil` if a metric is missing: the other metrics' weights aren't increased.
    public var value: Double? {
        var sum = 0.0
        var weights = 0.0
        for part in parts {
            guard let share = part.share else { return nil }
            sum += part.weight * share
            weights += part.weight
        }
        // The weights sum to 1 except for rounding; after the division, a page without any wait has exactly 100.
        return weights > 0 ? 100 * (sum / weights) : nil
    }

    /// The band of the score; `nil` if the score is incomplete.
    public var band: ScoreBand? { value.map(ScoreBand.init(score:)) }

    /// The metrics that make the score incomplete, in the order of `PageMetric`.
    public var missing: [PageMetric] { parts.filter { $0.share == nil }.map(\.metric) }
}

/// The meaning of a score for its reader; shown beside the score, never a verdict by itself.
public enum ScoreBand: String, Hashable, Sendable, CaseIterable {
    /// Above 70.
    case good
    /// From 50 to 70.
    case fair
    /// Below 50.
    case poor

    /// The band of a score from 0 to 100.
    public init(score: Double) { self = score > 70 ? .good : score < 50 ? .poor : .fair }
}

/// The score of several pages together: Σ (score · traffic) / Σ traffic.
public struct TrafficWeightedScore: Sendable {
    /// Scores from 0 to 100; `nil` if the page's score is incomplete.
    private var pages: [(score: Double?, traffic: Double)] = []

    /// Makes a score without pages.
    public init() {}

    /// Adds a page with its `traffic`, in visits or any other common unit, finite and at least 0.
    public mutating func add(score: Double?, traffic: Double) { pages.append((score, traffic)) }

    /// The mean, from 0 to 100; `nil` without traffic, and if a page with traffic has no score. A page without traffic
    /// counts nothing, and a page with unknown traffic (negative or not finite) makes the mean `nil`. Pages are summed
    /// in the order of their values, so the order of adding doesn't change it.
    public var mean: Double? {
        let counted = pages.filter { $0.traffic != 0 }
        let scored = counted.compactMap { page in page.score.map { (score: $0, traffic: page.traffic) } }
        guard scored.count == counted.count, counted.allSatisfy({ $0.traffic > 0 }) else { return nil }
        let ordered = scored.sorted { ($0.score, $0.traffic) < ($1.score, $1.traffic) }
        let total = ordered.reduce(0) { $0 + $1.traffic }
        guard let least = ordered.first?.score, let most = ordered.last?.score, total.isFinite else { return nil }
        // Rounding must not exceed the range of the scores themselves.
        return min(most, max(least, ordered.reduce(0) { $0 + $1.score * ($1.traffic / total) }))
    }
}

/// Turns a metric into a share of the full score, between 1 (nothing to wait for) and 0.
///
///     curve(x) = 1 − Φ(ln(x / median) / σ), and 1 where x ≤ 0
///
/// This is the complement of a log-normal distribution, as Lighthouse scores its metrics
/// (*Lighthouse performance scoring*, developer.chrome.com).
public struct ScoreCurve: Hashable, Sendable {
    /// The value that gets half of the score, above 0.
    public let median: Double
    /// The spread of the logarithms, above 0.
    public let sigma: Double

    /// A curve that gives 0.9 at `p10` and 0.5 at `median`; 0 < `p10` < `median`.
    public init(p10: Double, median: Double) throws(ScoreError) {
        try self.init(better: p10, quantile: Quantile.ninetieth, worse: median)
    }

    /// A curve that gives 0.7 at `good` and 0.5 at `poor`; 0 < `good` < `poor`.
    public init(good: Double, poor: Double) throws(ScoreError) {
        try self.init(better: good, quantile: Quantile.seventieth, worse: poor)
    }

    /// The curve through 0.7 at `good` and 0.5 at `poor`, which are known to be in order.
    init(knownGood good: Double, poor: Double) { self.init(median: poor, better: good, quantile: Quantile.seventieth) }

    private init(better: Double, quantile: Double, worse: Double) throws(ScoreError) {
        guard better > 0, worse > better, worse.isFinite else { throw .curve(better: better, worse: worse) }
        self.init(median: worse, better: better, quantile: quantile)
        // The points are so close, or so far apart, that their quotient is 1 or not a number.
        guard sigma > 0, sigma.isFinite else { throw .curve(better: better, worse: worse) }
    }

    private init(median: Double, better: Double, quantile: Double) {
        self.median = median
        sigma = log(median / better) / quantile
    }

    /// The share for `value`, from 0 to 1; not a number if `value` isn't a number.
    public func share(of value: Double) -> Double {
        if value <= 0 { return 1 }
        return Self.normalShare(below: -log(value / median) / sigma)
    }

    /// Φ(x) = erfc(−x / √2) / 2: the share of the normal distribution below `x`, accurate in both tails.
    static func normalShare(below x: Double) -> Double { erfc(-x / 2.0.squareRoot()) / 2 }

    /// The 90 % and 70 % quantiles of the standard normal distribution.
    private enum Quantile {
        static let ninetieth = 1.281_551_565_544_600_4
        static let seventieth = 0.524_400_512_708_040_7
    }
}

/// The reason why a formula can't give a score.
public enum ScoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A formula without a metric.
    case empty
    /// A metric occurs in the formula twice.
    case repeated(PageMetric)
    /// A weight that isn't a number above 0.
    case weight(PageMetric, Double)
    /// Weights whose sum isn't 1.
    case sum(Double)
    /// Points of a curve that aren't numbers above 0 in ascending order: the better one and the worse one.
    case curve(better: Double, worse: Double)
    /// A cap that isn't a number above 0.
    case cap(PageMetric, Double)

    /// The error and its remedy.
    public var description: String {
        switch self {
        case .empty: "the score's formula has no metric; give at least one"
        case .repeated(let metric): "\(metric.rawValue) is in the score's formula twice; give it once"
        case .weight(let metric, let weight):
            "the weight of \(metric.rawValue) is \(weight); give a number above 0, or leave the metric out"
        case .sum(let sum): "the weights of the score sum to \(sum); make them sum to 1"
        case .curve(let better, let worse):
            "a curve of the score goes from \(better) to \(worse); give two numbers above 0, the better one smaller"
        case .cap(let metric, let cap): "the cap of \(metric.rawValue) is \(cap); give a number above 0, or none"
        }
    }
}
