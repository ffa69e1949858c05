import LibC

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
        sigma = NormalDistribution.logarithm(median / better) / quantile
    }

    /// The share for `value`, from 0 to 1; not a number if `value` isn't a number.
    public func share(of value: Double) -> Double {
        if value <= 0 { return 1 }
        return NormalDistribution.cumulative(-NormalDistribution.logarithm(value / median) / sigma)
    }

    /// The 90 % and 70 % quantiles of the standard normal distribution.
    private enum Quantile {
        static let ninetieth = 1.281_551_565_544_600_4
        static let seventieth = 0.524_400_512_708_040_7
    }
}

enum NormalDistribution {
    /// Φ(x) = erfc(−x / √2) / 2: the share of the distribution below `x`, accurate in both tails.
    static func cumulative(_ x: Double) -> Double { erfc(-x / 2.0.squareRoot()) / 2 }

    static func logarithm(_ x: Double) -> Double { log(x) }
}

/// The reason why a formula can't give a score.
public enum ScoreError: Error, Hashable, Sendable {
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
}

extension ScoreError: CustomStringConvertible {
    /// The error and its remedy.
    public var description: String {
        switch self {
        case .empty:
            "the score's formula has no metric; give at least one"
        case .repeated(let metric):
            "\(metric.rawValue) is in the score's formula twice; give it once"
        case .weight(let metric, let weight):
            "the weight of \(metric.rawValue) is \(weight); give a number above 0, or leave the metric out"
        case .sum(let sum):
            "the weights of the score sum to \(sum); make them sum to 1"
        case .curve(let better, let worse):
            "a curve of the score goes from \(better) to \(worse); give two numbers above 0, the better one smaller"
        case .cap(let metric, let cap):
            "the cap of \(metric.rawValue) is \(cap); give a number above 0, or none"
        }
    }
}
