/// What one metric contributes to the score of a page.
public struct ScoreComponent: Hashable, Sendable {
    /// The metric, in milliseconds.
    public let metric: PageMetric

    /// The share of the full score that the metric decides on, above 0, at most 1.
    public let weight: Double

    /// The share of its weight that a mean of so many milliseconds gets.
    public let curve: ScoreCurve

    /// The most milliseconds that one visit counts, so that a single one can't ruin a mean; `nil` if there is no cap.
    public let cap: Double?

    /// Makes a component; the formula that takes it checks it.
    public init(_ metric: PageMetric, weight: Double, curve: ScoreCurve, cap: Double? = nil) {
        self.metric = metric
        self.weight = weight
        self.curve = curve
        self.cap = cap
    }

    /// What `samples` (milliseconds) contribute to the score.
    func part(of samples: [Double]) -> PageScore.Part {
        let mean = cappedMean(of: samples)
        return PageScore.Part(metric: metric, weight: weight, mean: mean, share: mean.map(curve.share(of:)))
    }

    /// The mean of `samples` (milliseconds), none of which counts more than `cap`.
    ///
    /// `nil` without a sample, or where one isn't a number. Samples are summed in the order of their values, so that
    /// their order doesn't change the result.
    public func cappedMean(of samples: [Double]) -> Double? {
        guard !samples.isEmpty, !samples.contains(where: \.isNaN) else { return nil }
        let cap = cap ?? .infinity
        let sum = samples.sorted().reduce(0) { $0 + min($1, cap) }
        return sum / Double(samples.count)
    }
}
