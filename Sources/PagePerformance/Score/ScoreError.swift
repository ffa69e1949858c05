/// Why a formula can't give a score.
public enum ScoreError: Error, Hashable, Sendable {
    /// A formula without a metric.
    case empty

    /// A metric stands in the formula twice.
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
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .empty:
            "the score's formula has no metric; give at least one"
        case .repeated(let metric):
            "\(metric.rawValue) stands in the score's formula twice; give it once"
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
