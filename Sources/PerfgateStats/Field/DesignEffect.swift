import LibC

/// Sums over users that show how much less information their events have than independent ones: integers that a roll-up
/// stores for a metric of a page, release and day. m is a user's number of events, S the sum of their bucket indices,
/// which are almost logarithms of the values.
package struct UserSums: Sendable, Hashable {
    package var users: Int
    /// Σ m, the number of events with a user.
    package var events: Int
    /// Σ m², Σ S² and Σ S·m.
    package var squaredEvents, squaredSums, products: Int

    package init(users: Int = 0, events: Int = 0, squaredEvents: Int = 0, squaredSums: Int = 0, products: Int = 0) {
        (self.users, self.events, self.squaredEvents, self.squaredSums) = (users, events, squaredEvents, squaredSums)
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
    /// `nil` with fewer than two users or if all indices are equal. The mean R = Σ S / Σ m has by linearisation the variance
    /// u / (u − 1) · Σ (S − R·m)² / (Σ m)² (W. G. Cochran, "Sampling Techniques", 3rd edition 1977, § 9.3 and 11.8, with a
    /// sampling fraction near 0); that of independent events is σ² / Σ m.
    /// - Parameter histogram: The events of the same metric, page, release and day, for R and σ².
    package func designEffect(of histogram: WeightedHistogram) -> Double? {
        guard users > 1, events > 0, let (mean, variance) = histogram.indexMoments, variance > 0 else { return nil }
        let ofMean = self.variance(ofMeanAt: mean)
        return ofMean > 0 ? ofMean * Double(events) / variance : nil
    }

    /// By how much sampling whole users makes the variance of the mean logarithm larger than sampling single events does;
    /// it may be below 0 by chance; `nil` with fewer than two users. If users come equally on each day, it is the same for
    /// a day and for all days together.
    /// - Parameter events: The number of the same events, above 0, and the sums of their bucket indices and squares.
    package func logVarianceOfUsers(among events: (count: Double, sum: Double, squares: Double)) -> Double? {
        guard users > 1, self.events > 0 else { return nil }
        let step = log(2) / Double(QuantumBucket.perDoubling)
        let mean = events.sum / events.count
        let ofEvents = (events.squares / events.count - mean * mean) / Double(self.events)
        return (variance(ofMeanAt: mean) - ofEvents) * step * step
    }

    private func variance(ofMeanAt mean: Double) -> Double {
        let between = Double(squaredSums) - 2 * mean * Double(products) + mean * mean * Double(squaredEvents)
        return between * Double(users) / Double(users - 1) / (Double(events) * Double(events))
    }
}

package struct DesignEffect: Sendable, Hashable {
    /// The factor by which the variance of a release's numbers exceeds that of independent events; 1 or more.
    package let factor: Double
    package let isMeasured: Bool
    /// The assumption if events have no users.
    package static let assumed = DesignEffect(factor: 1.5, isMeasured: false)

    private init(factor: Double, isMeasured: Bool) { (self.factor, self.isMeasured) = (factor, isMeasured) }

    /// The mean of the days' effects, at least 1; `assumed` if no day has one. A user who returns on another day counts as
    /// another user. If many do, the effect is too small: in a bootstrap over users, errors are up to 1.6 times as large.
    package init(of days: [(users: UserSums?, histogram: WeightedHistogram)]) {
        let effects = days.compactMap { day in day.users?.designEffect(of: day.histogram) }
        self = effects.isEmpty ? .assumed : DesignEffect(factor: max(1, effects.mean), isMeasured: true)
    }
}

/// The effect of a day on one release but not the other, in logarithms: backend load, a campaign, a rollout to other
/// users. Only more days average it out, not more events.
package enum DayVariance {
    /// τ², the variance of δ from day to day beyond the numbers of events, of all pages; 0 or more; 0 without two days.
    /// Σ (δ − δ̄)² / (v + τ²), with δ̄ the weighted mean of a page, equals its expectation, the number of days minus one per
    /// page (R. C. Paule and J. Mandel, "Consensus values and weighting factors", J. Res. NBS 87 (1982) 377–385).
    package static func pooled(_ pages: [[QuantileShift]]) -> Double {
        let pages = pages.filter { $0.count > 1 }
        let freedom = Double(pages.reduce(0) { $0 + $1.count - 1 })
        func isTooSmall(_ variance: Double) -> Bool { pages.reduce(0) { $0 + excess($1, variance) } > freedom }
        guard freedom > 0, isTooSmall(least) else { return 0 }
        var (low, high) = (least, 1e-4)
        while isTooSmall(high), high < 100 { high *= 4 }
        while high - low > 1e-6 * high {
            let middle = (low + high) / 2
            if isTooSmall(middle) { low = middle } else { high = middle }
        }
        return high
    }

    /// A tiny variance that prevents divisions by 0 for days without variance.
    private static let least = 1e-12

    private static func excess(_ days: [QuantileShift], _ variance: Double) -> Double {
        let weights = days.map { 1 / ($0.samplingVariance + variance) }
        let mean = zip(weights, days).reduce(0) { $0 + $1.0 * $1.1.delta } / weights.reduce(0, +)
        return zip(weights, days).reduce(0) { $0 + $1.0 * ($1.1.delta - mean) * ($1.1.delta - mean) }
    }
}

package struct CommonShift: Sendable, Hashable {
    /// The shorth: the mean of the shortest half of the shifts, in logarithms. If a third of the pages got worse, it
    /// stays among the others, while the median moves (D. F. Andrews et al., "Robust estimates of location", 1972).
    package let value: Double
    /// Its standard error in logarithms, 1.1 · length / ∛n; 0 or more: within a tenth of simulated values for 20 to 500
    /// normal shifts, larger for heavier tails. The rate is ∛n, not √n (J. Kim and D. Pollard, "Cube root asymptotics",
    /// Ann. Stat. 18 (1990) 191–219).
    package let standardError: Double
    package static let fewestPages = 20

    /// `nil` with fewer than `fewestPages`. Of several equally short halves, the mean is used.
    package init?(_ shifts: [Double]) {
        guard shifts.count >= Self.fewestPages else { return nil }
        let (halves, length) = RunShift.shortestHalves(shifts.sorted())
        value = halves.map(\.mean).mean
        standardError = 1.1 * length / cbrt(Double(shifts.count))
    }
}

/// The test whether users arrived in the arms of an experiment in the expected ratio. A mismatch means that users were
/// lost or assigned otherwise in one arm, so that the arms' users differ and no comparison of them is fair: A. Fabijan
/// et al., "Diagnosing sample ratio mismatch in online controlled experiments", Proc. KDD (2019) 2156–2164.
package struct SampleRatio: Sendable, Hashable {
    /// The probability of a day at least as far from the expected ratio by chance, of all days together; 0…1.
    package let p: Double
    /// Below this probability, the arms' users aren't comparable.
    package static let least = 0.001

    /// Tests the users by day, each in one arm; `nil` without users. The days share most users, so the worst day counts,
    /// times their number (C. E. Bonferroni's bound).
    /// - Parameter share: The expected share of the candidate's arm, above 0 and below 1.
    package init?(_ days: [(base: Int, candidate: Int)], candidate share: Double) {
        let days = days.filter { $0.base + $0.candidate > 0 }
        let chances = days.map { day in
            let users = Double(day.base + day.candidate)
            // Half a user: the continuity correction of F. Yates.
            let distance = max(0, abs(Double(day.candidate) - users * share) - 0.5)
            return 2 * Normal.upperTail(distance / (users * share * (1 - share)).squareRoot())
        }
        guard let least = chances.min() else { return nil }
        p = min(1, least * Double(days.count))
    }
}
