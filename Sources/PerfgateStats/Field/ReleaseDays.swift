import LibC

/// A metric of a page on one day, in both releases of a pair. An event has weight 10⁴ · n(other release) / n(both) within
/// its stratum (OS, device class, network, low-power mode), rounded to an integer, so both sides have the same mix of
/// strata: the overlap weights of F. Li, K. L. Morgan and A. M. Zaslavsky, "Balancing covariates via propensity score
/// weighting", J. Am. Stat. Assoc. 113 (2018) 390–400.
package struct ReleaseDay: Sendable, Hashable {
    package struct Side: Sendable, Hashable {
        package var histogram: WeightedHistogram
        /// The sums of its users for the design effect; `nil` if events have no users.
        package var users: UserSums?

        package init(_ histogram: WeightedHistogram = WeightedHistogram(), users: UserSums? = nil) {
            (self.histogram, self.users) = (histogram, users)
        }
    }

    /// The day in UTC since 1970-01-01.
    package let day: Int
    package var base: Side
    /// The newer release, which is judged.
    package var candidate: Side

    package init(day: Int, base: Side = Side(), candidate: Side = Side()) {
        (self.day, self.base, self.candidate) = (day, base, candidate)
    }

    /// The largest weight of an event: in a stratum in which almost all events belong to the other release.
    package static let fullWeight = 10_000.0

    /// Whether events of both releases are comparable: some stratum has events of both.
    var isShared: Bool { base.histogram.weight > 0 && candidate.histogram.weight > 0 }
}

/// The combined shared days of both releases, on which quantiles are compared.
package struct SharedDays: Sendable {
    package struct Side: Sendable {
        package let histogram: WeightedHistogram
        package let designEffect: DesignEffect
        private let days: Int

        init(_ days: [ReleaseDay.Side], _ known: DesignEffect? = nil) {
            self.days = days.count
            histogram = WeightedHistogram(merging: days.map(\.histogram))
            designEffect = known ?? DesignEffect(of: days.map { ($0.users, $0.histogram) })
        }

        /// n_eff = (Σ w)² / Σ w², divided by the design effect: the equivalent independent events of equal weight.
        package var effectiveEvents: Double { histogram.effectiveCount / designEffect.factor }

        /// The same if users return every day, as far as they are known: a day's effect only counts the events of a day,
        /// and users differ more in failures than in times.
        var returningEvents: Double {
            let days = designEffect.isMeasured ? max(1, days) : 1
            return histogram.effectiveCount / (1 + (designEffect.factor - 1) * Double(days))
        }
    }

    /// The days with comparable events of both releases, ascending.
    package let days: [ReleaseDay]
    package let base, candidate: Side

    package init(_ days: [ReleaseDay]) {
        self.days = days.filter(\.isShared).sorted { $0.day < $1.day }
        base = Side(self.days.map(\.base))
        candidate = Side(self.days.map(\.candidate))
    }

    /// The equivalent number of days of equal weight for day-to-day differences: (Σ W)² / Σ W² over the days' weights;
    /// from 0 to the number of days.
    package var effectiveDays: Double {
        let weights = days.map { Double($0.base.histogram.weight) + Double($0.candidate.histogram.weight) }
        let (sum, squares) = (weights.reduce(0, +), weights.reduce(0) { $0 + $1 * $1 })
        return squares > 0 ? sum * sum / squares : 0
    }

    /// The overlapping share of the traffic.
    package var overlap: Double {
        days.reduce(into: TrafficOverlap()) { overlap, day in
            let (base, candidate) = (day.base.histogram, day.candidate.histogram)
            overlap.add(base: base.count, candidate: candidate.count, weights: (base.weight, candidate.weight))
        }.share
    }
}

/// The overlap of two releases' traffic: Σ n_b·n_c / n over strata and days, divided by the same with all strata of a
/// day merged.
package struct TrafficOverlap: Sendable {
    private var weights = 0.0, most = 0.0

    package init() {}

    /// Adds a day: the events of both releases, and the sums of their weights.
    package mutating func add(base: Int, candidate: Int, weights: (base: Int, candidate: Int)) {
        guard base > 0 || candidate > 0 else { return }
        let (b, c) = (Double(base), Double(candidate))
        // Both sides' weights are the same sum except for rounding.
        self.weights += (Double(weights.base) + Double(weights.candidate)) / 2 / ReleaseDay.fullWeight
        most += b * c / (b + c)
    }

    /// 1 for the same mix of strata, 0 for none in common, and without events.
    package var share: Double { most > 0 ? min(1, weights / most) : 0 }
}

package enum EventNumber: Sendable, Hashable {
    /// The quantile with this fraction of the weight below it, above 0 and below 1.
    case quantile(Double)
    /// The share of events whose value is this many quanta instead of 0, times these quanta.
    case share(quanta: Double)
}

extension WeightedHistogram {
    /// The number in quanta; `nil` without weight.
    package func value(of number: EventNumber) -> Double? {
        switch number {
        case .quantile(let share): quantile(share)
        case .share(let quanta): weight > 0 ? quanta * (1 - shares(upTo: [quanta / 2])[0]) : nil
        }
    }
}

/// The change of one quantile or share between two releases, in logarithms, with its variance.
package struct QuantileShift: Sendable, Hashable {
    /// The numbers of the older and the newer release, in quanta.
    package let base, candidate: Double
    /// δ = ln(candidate + offset) − ln(base + offset), as measured.
    package let delta: Double
    /// The variance of δ from the number of events alone; 0 or more.
    package let samplingVariance: Double
    /// The offset added before taking logarithms, in quanta; 0 for quantiles above 0.
    package let offset: Double
}

extension QuantileShift {
    /// Compares two histograms at a quantile; `nil` if a side has no weight, or if a quantile is 0 without an offset.
    ///
    /// The variance is R. S. Woodruff's ("Confidence intervals for medians and other position measures", J. Am. Stat.
    /// Assoc. 47 (1952) 635–646): the share below a quantile has the standard error e = √(p·(1 − p) / n_eff), and the
    /// quantiles at p ± z·e bound an interval. In logarithms, its half width divided by z is the standard error of ln Q.
    /// At z = 1 it depends on the few events next to the quantile, and chance exceeds 3.4 such errors three times as often
    /// as it should; so z is the value at which the error is used.
    ///
    /// Shares always get an offset, at least a hundredth of the events. Their variance is p·(1 − p)·(1 / n_base +
    /// 1 / n_candidate) / (p + offset)², with p the share of both together and half an event added (K. Pearson's test of
    /// 1900, with effective events): it doesn't vanish where a release has no such event.
    /// - Parameter offset: The offset if a quantile is less than one quantum, so it has a logarithm; 0 or more.
    /// - Parameter deviations: z, above 0.
    package init?(
        _ base: SharedDays.Side, _ candidate: SharedDays.Side, _ number: EventNumber, offset: Double = 0,
        deviations: Double = usualDeviations
    ) {
        let share: Double
        switch number {
        case .quantile(let p): share = p
        case .share(let quanta):
            self.init(shares: base, candidate, quanta, offset)
            return
        }
        guard let b = WoodruffInterval(base, at: share, deviations),
            let c = WoodruffInterval(candidate, at: share, deviations)
        else { return nil }
        let isZero = min(b.value, c.value) < 1
        guard !isZero || offset > 0 else { return nil }
        let added = isZero || min(b.lower, c.lower) < 1 ? offset : 0
        guard min(b.lower, c.lower) + added > 0 else { return nil }
        self.init(
            base: b.value, candidate: c.value, delta: c.logarithm(added) - b.logarithm(added),
            samplingVariance: b.logVariance(added) + c.logVariance(added), offset: added)
    }

    private init?(shares base: SharedDays.Side, _ candidate: SharedDays.Side, _ quanta: Double, _ offset: Double) {
        let (n, m, offset) = (base.returningEvents, candidate.returningEvents, max(offset, quanta / 100))
        guard n > 0, m > 0, let b = base.histogram.value(of: .share(quanta: quanta)),
            let c = candidate.histogram.value(of: .share(quanta: quanta))
        else { return nil }
        let p = min(((b * n + c * m) / quanta + 0.5) / (n + m + 1), 1 - 0.5 / (n + m + 1))
        let level = p + offset / quanta
        self.init(
            base: b, candidate: c, delta: log((c + offset) / (b + offset)),
            samplingVariance: p * (1 - p) * (1 / n + 1 / m) / (level * level), offset: offset)
    }

    package static let usualDeviations = 2.0

    /// The same shift on each day with at least `fewestEvents` effective events per side. A day uses the design effect of
    /// all days, since one day's alone is too uncertain.
    package static func daily(_ shared: SharedDays, _ number: EventNumber, offset: Double = 0) -> [QuantileShift] {
        shared.days.compactMap { day in
            let base = SharedDays.Side([day.base], shared.base.designEffect)
            let candidate = SharedDays.Side([day.candidate], shared.candidate.designEffect)
            guard min(base.effectiveEvents, candidate.effectiveEvents) >= fewestEvents else { return nil }
            return QuantileShift(base, candidate, number, offset: offset)
        }
    }

    /// The fewest effective events per side for a day's own shift: at p90, five of them lie above.
    static let fewestEvents = 50.0
}

/// A quantile with Woodruff's interval around it, in quanta.
private struct WoodruffInterval {
    let value, lower, upper: Double
    private let deviations: Double

    init?(_ side: SharedDays.Side, at share: Double, _ deviations: Double) {
        guard side.effectiveEvents > 0 else { return nil }
        let reach = deviations * (share * (1 - share) / side.effectiveEvents).squareRoot()
        guard let value = side.histogram.quantile(share), let lower = side.histogram.quantile(share - reach),
            let upper = side.histogram.quantile(share + reach)
        else { return nil }
        (self.value, self.lower, self.upper, self.deviations) = (value, lower, upper, deviations)
    }

    func logarithm(_ offset: Double) -> Double { log(value + offset) }

    func logVariance(_ offset: Double) -> Double {
        let error = (log(upper + offset) - log(lower + offset)) / (2 * deviations)
        return error * error
    }
}
