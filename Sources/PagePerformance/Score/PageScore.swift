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
    public init(score: Double) {
        self = score > 70 ? .good : score < 50 ? .poor : .fair
    }
}

/// The score of several pages together: Σ (score · traffic) / Σ traffic.
public struct TrafficWeightedScore: Sendable {
    private struct Page: Sendable {
        /// From 0 to 100; `nil` if the page's score is incomplete.
        let score: Double?

        let traffic: Double
    }

    private var pages: [Page] = []

    /// Makes a score without pages.
    public init() {}

    /// Adds a page with its `traffic`, in visits or any other common unit, finite and at least 0.
    public mutating func add(score: Double?, traffic: Double) {
        pages.append(Page(score: score, traffic: traffic))
    }

    /// The mean, from 0 to 100; `nil` without traffic, and if a page with traffic has no score.
    ///
    /// A page without traffic counts nothing, and a page with unknown traffic (negative or not finite) makes the mean
    /// `nil`. Pages are summed in the order of their values, so the order of adding doesn't change it.
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
