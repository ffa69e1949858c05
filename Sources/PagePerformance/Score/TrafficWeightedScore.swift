/// The score of several pages together: Σ (score · traffic) / Σ traffic.
public struct TrafficWeightedScore: Sendable {
    private struct Page: Sendable {
        /// From 0 to 100; `nil` if the page's score is incomplete.
        let score: Double?

        /// How often the page was visited.
        let traffic: Double
    }

    private var pages: [Page] = []

    /// Pages without any.
    public init() {}

    /// Adds a page with its `traffic`, in visits or any other unit that is the same for all, finite and at least 0.
    public mutating func add(score: Double?, traffic: Double) {
        pages.append(Page(score: score, traffic: traffic))
    }

    /// The mean, from 0 to 100; `nil` without traffic, and where a page with traffic has no score.
    ///
    /// A page that nobody visits counts nothing, and one whose traffic isn't known (negative or not finite) makes the
    /// mean `nil`. Pages are summed in the order of their values, so that the order of adding doesn't change it.
    public var mean: Double? {
        let counted = pages.filter { $0.traffic != 0 }
        let scored = counted.compactMap { page in page.score.map { (score: $0, traffic: page.traffic) } }
        guard scored.count == counted.count, counted.allSatisfy({ $0.traffic > 0 }) else { return nil }
        let ordered = scored.sorted { ($0.score, $0.traffic) < ($1.score, $1.traffic) }
        let total = ordered.reduce(0) { $0 + $1.traffic }
        guard let least = ordered.first?.score, let most = ordered.last?.score, total.isFinite else { return nil }
        // No rounding may lead beyond the scores themselves.
        return min(most, max(least, ordered.reduce(0) { $0 + $1.score * ($1.traffic / total) }))
    }
}
