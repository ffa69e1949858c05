/// What users say of how much less their events tell than as many independent ones: whole numbers that a roll-up keeps for
/// a metric of a page, release and day.
///
/// m is how many events a user has, S the sum of their bucket indices, which are nearly logarithms of the values.
package struct UserSums: Sendable, Hashable {
    /// How many users; 0 or more.
    package var users = 0
    /// Σ m, the events that name a user.
    package var events = 0
    /// Σ m².
    package var squaredEvents = 0
    /// Σ S².
    package var squaredSums = 0
    /// Σ S·m.
    package var products = 0

    /// The sums over nobody.
    package init() {}

    /// Makes sums of their parts.
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

    /// The variance of the mean index with users drawn as a whole, by that with events drawn one by one; above 0, and
    /// `nil` below two users or where all indices are equal.
    ///
    /// The mean R = Σ S / Σ m is a ratio; its variance by linearisation is u / (u − 1) · Σ (S − R·m)² / (Σ m)² (W. G.
    /// Cochran, "Sampling Techniques", 3rd edition 1977, § 9.3 and 11.8, with the fraction drawn near 0), and that of
    /// independent events σ² / Σ m.
    ///
    /// - Parameter histogram: The events of the same metric, page, release and day; they give R and σ².
    package func designEffect(of histogram: WeightedHistogram) -> Double? {
        guard users > 1, events > 0, let (mean, variance) = histogram.indexMoments, variance > 0 else { return nil }
        let between =
            Double(squaredSums) - 2 * mean * Double(products) + mean * mean * Double(squaredEvents)
        guard between > 0 else { return nil }
        return between * Double(users) / Double(users - 1) / (Double(events) * variance)
    }
}

/// By how much the variance of a release's numbers is greater than that of as many independent events.
package struct DesignEffect: Sendable, Hashable {
    /// The factor, 1 or more.
    package let factor: Double
    /// Whether it was computed from users.
    package let isMeasured: Bool

    /// What is assumed where no event names its user.
    package static let assumed = DesignEffect(factor: 1.5, isMeasured: false)

    private init(factor: Double, isMeasured: Bool) {
        self.factor = factor
        self.isMeasured = isMeasured
    }

    /// The mean of the days' effects, 1 where it is less; `assumed` where no day tells any.
    ///
    /// A user who comes back another day counts as another one, so that it is too small where many do: by a bootstrap over
    /// users, errors are up to 1.6 times as great.
    package init(of days: [(users: UserSums?, histogram: WeightedHistogram)]) {
        let effects = days.compactMap { day in day.users?.designEffect(of: day.histogram) }
        guard !effects.isEmpty else {
            self = .assumed
            return
        }
        self.init(factor: max(1, effects.reduce(0, +) / Double(effects.count)), isMeasured: true)
    }
}
