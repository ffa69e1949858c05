/// The score of a page over a run, with what each metric contributed to it.
public struct PageScore: Hashable, Sendable {
    /// What one metric contributed.
    public struct Part: Hashable, Sendable {
        /// The metric.
        public let metric: PageMetric

        /// The share of the full score that the metric decides on, above 0, at most 1.
        public let weight: Double

        /// The capped mean of its samples in milliseconds; `nil` without one, or where one isn't a number.
        public let mean: Double?

        /// The share of its weight that the mean gets, from 0 to 1; `nil` without a mean.
        public let share: Double?

        /// The points that it adds to the score, of 100 · `weight` that there are; `nil` without a mean.
        public var points: Double? { share.map { 100 * weight * $0 } }
    }

    /// The version of the formula; scores of different versions aren't comparable.
    public let formula: String

    /// The parts in the order of `PageMetric`, one for each metric of the formula.
    public let parts: [Part]

    /// From 0 to 100, higher is better; `nil` where a metric is missing: the others' weights aren't stretched.
    public var value: Double? {
        var sum = 0.0
        var weights = 0.0
        for part in parts {
            guard let share = part.share else { return nil }
            sum += part.weight * share
            weights += part.weight
        }
        // The weights sum to 1 but for rounding; divided by, a page without any wait has exactly 100.
        return weights > 0 ? 100 * (sum / weights) : nil
    }

    /// The band of the score; `nil` where it is incomplete.
    public var band: ScoreBand? { value.map(ScoreBand.init(score:)) }

    /// The metrics that make the score incomplete, in the order of `PageMetric`.
    public var missing: [PageMetric] { parts.filter { $0.share == nil }.map(\.metric) }
}
