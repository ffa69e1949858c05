/// Sums over users that show how much less information their events have than independent ones: integers that a
/// roll-up stores for a metric of a page, release and day.
///
/// m is a user's number of events, S the sum of their bucket indices, which are almost logarithms of the values.
package struct UserSums: Sendable, Hashable {
    /// The number of users; 0 or more.
    package var users = 0
    /// Σ m, the number of events with a user.
    package var events = 0
    /// Σ m².
    package var squaredEvents = 0
    /// Σ S².
    package var squaredSums = 0
    /// Σ S·m.
    package var products = 0

    /// The sums without users.
    package init() {}

    /// Makes sums from their parts.
    package init(users: Int, events: Int, squaredEvents: Int, squaredSums: Int, products: Int) {
        self.users = users
        self.events = events
        self.squaredEvents = squaredEvents
        self.squaredSums = squaredSums
        self.products = products
    }

    /// Adds a user with m events whose bucket indices sum to S.
    package mutating func add(events: Int, indices: Int) {
        users += 1
        self.events += events
        squaredEvents = squaredEvents.saturatingSum(events, times: events)
        squaredSums = squaredSums.saturatingSum(indices, times: indices)
        products = products.saturatingSum(indices, times: events)
    }

    /// The variance of the mean index when sampling whole users, divided by that when sampling single events; above 0;
    /// `nil` with fewer than two users or if all indices are equal.
    ///
    /// The mean R = Σ S / Σ m is a ratio. Its variance by linearisation is u / (u − 1) · Σ (S − R·m)² / (Σ m)² (W. G.
    /// Cochran, "Sampling Techniques", 3rd edition 1977, § 9.3 and 11.8, with a sampling fraction near 0); that of
    /// independent events is σ² / Σ m.
    ///
    /// - Parameter histogram: The events of the same metric, page, release and day, for R and σ².
    package func designEffect(of histogram: WeightedHistogram) -> Double? {
        guard users > 1, events > 0, let (mean, variance) = histogram.indexMoments, variance > 0 else { return nil }
        let between =
            Double(squaredSums) - 2 * mean * Double(products) + mean * mean * Double(squaredEvents)
        guard between > 0 else { return nil }
        return between * Double(users) / Double(users - 1) / (Double(events) * variance)
    }
}

/// The factor by which the variance of a release's numbers exceeds that of independent events.
package struct DesignEffect: Sendable, Hashable {
    /// The factor, 1 or more.
    package let factor: Double
    /// Whether it was computed from users.
    package let isMeasured: Bool

    /// The assumption if events have no users.
    package static let assumed = DesignEffect(factor: 1.5, isMeasured: false)

    private init(factor: Double, isMeasured: Bool) {
        self.factor = factor
        self.isMeasured = isMeasured
    }

    /// The mean of the days' effects, at least 1; `assumed` if no day has one.
    ///
    /// A user who returns on another day counts as another user, so the effect is too small if many do: in a bootstrap
    /// over users, errors are up to 1.6 times as large.
    package init(of days: [(users: UserSums?, histogram: WeightedHistogram)]) {
        let effects = days.compactMap { day in day.users?.designEffect(of: day.histogram) }
        guard !effects.isEmpty else {
            self = .assumed
            return
        }
        self.init(factor: max(1, effects.reduce(0, +) / Double(effects.count)), isMeasured: true)
    }
}
