import LibC
import PerfgateModel
import PerfgateStats

/// Makes finished results from the decisions of the rule for releases.
struct ReleaseReport: Sendable {
    let pair: ReleasePair, environment: Environment
    private let dates: [Int: String]

    init(pair: ReleasePair) {
        self.pair = pair
        environment = pair.environment
        let days = Set(pair.cells.flatMap { $0.days.map(\.day) })
        dates = days.reduce(into: [:]) { dates, day in
            dates[day] = String(Timestamp(secondsSince1970: day * 86_400).text.prefix(10))
        }
    }

    /// The half-width of a 95 % interval in standard errors.
    static let deviations = 1.959964

    func facts(of cell: ReleaseCase, _ terms: ReleaseTerms) -> CellResult.Facts {
        let decision = ReleaseRule.decide(cell, terms)
        var facts = CellResult.Facts(
            .page(cell.page), cell.quantile.metric, in: environment, decision, under: cell.policy)
        facts.baseline = side(cell, \.base, cell.shared.base)
        facts.candidate = side(cell, \.candidate, cell.shared.candidate)
        facts.releases = releases(cell, terms, decision)
        if cell.isJudged { (facts.numbers, facts.tolerance) = (numbers(cell, terms), cell.tolerance) }
        return facts
    }
}

extension ReleaseReport {
    private static let year = 365.0

    /// The weighted events of the shared days, or without any all events unweighted.
    private func side(
        _ cell: ReleaseCase, _ own: KeyPath<ReleaseDay, ReleaseDay.Side>, _ shared: SharedDays.Side
    ) -> CellResult.Side? {
        let days = cell.days.filter { $0[keyPath: own].histogram.count > 0 }
        guard !days.isEmpty else { return nil }
        let isShared = shared.histogram.weight > 0
        let used = isShared ? cell.shared.days : days
        func weighed(_ histogram: WeightedHistogram) -> WeightedHistogram {
            isShared ? histogram : histogram.unweighted
        }
        let all =
            isShared ? shared.histogram : WeightedHistogram(merging: used.map { $0[keyPath: own].histogram }).unweighted
        let quantiles = CellResult.Side.quantileProbabilities.compactMap { all.quantile($0).map(cell.shown) }
        return CellResult.Side(
            count: all.count, runs: used.count, center: cell.value(all), samples: nil, quantiles: quantiles,
            shares: used.map { .init(run: dates[$0.day] ?? "", count: $0[keyPath: own].histogram.count) },
            history: used.compactMap { cell.value(weighed($0[keyPath: own].histogram)) }
                .suffix(CellResult.Side.mostHistory))
    }

    private func numbers(_ cell: ReleaseCase, _ terms: ReleaseTerms) -> CellResult.Numbers? {
        guard let shift = cell.shift else { return nil }
        let error = terms.standardError(cell)
        let level = (shift.base + shift.offset) / cell.scale
        return CellResult.Numbers(
            delta: cell.delta, shift: cell.delta,
            interval: [-1, 1].map { level * expm1(shift.delta + $0 * Self.deviations * error) },
            p: terms.chance(of: terms.own(cell), cell), pImprove: terms.chance(of: -cell.worsening, cell),
            pZero: terms.chance(of: terms.own(cell), cell, share: 0), pMin: 0, alpha: terms.significance.failing,
            comparisons: terms.significance.comparisons, marginShare: ReleaseTerms.marginShare)
    }

    private func releases(_ cell: ReleaseCase, _ terms: ReleaseTerms, _ decision: Decision) -> ReleaseNumbers {
        func side(_ name: String, _ side: SharedDays.Side) -> ReleaseNumbers.Side {
            let quantiles = ReleaseNumbers.Side.percentages.compactMap { side.histogram.quantile(Double($0) / 100) }
            return ReleaseNumbers.Side(name, [side], quantiles: quantiles.map(cell.shown))
        }
        let sign = cell.quantile.base.better == .lower ? 1.0 : -1
        return ReleaseNumbers(
            base: side(pair.base, cell.shared.base), candidate: side(pair.candidate, cell.shared.candidate),
            days: cell.shared.days.count, overlap: cell.shared.overlap,
            standardError: cell.isJudged ? terms.standardError(cell) : nil,
            daySpread: cell.isJudged ? terms.dayVariance.squareRoot() : nil,
            allPages: cell.isJudged ? terms.allPages.map { expm1(sign * $0) } : nil,
            spread: cell.quantile.percent.flatMap { _ in ReleaseNumbers.Spread(cell.shared, scale: cell.scale) },
            needed: needed(cell, terms, decision.deciding))
    }

    /// The days and events needed at the current traffic: both variances fall as days are added.
    private func needed(_ cell: ReleaseCase, _ terms: ReleaseTerms, _ step: RuleStep) -> ReleaseNumbers.Needed? {
        let days = Double(cell.shared.days.count)
        let times: Double
        switch step.found {
        case .fewDays,
            .fewEvents where cell.isCompared:
            let least = min(cell.shared.base.effectiveEvents, cell.shared.candidate.effectiveEvents)
            guard days > 0, least > 0 else { return nil }
            times = max(ReleaseCase.fewestEvents / least, Double(ReleaseCase.fewestDays) / days)
        case .cannotTell:
            let distance = terms.own(cell) - cell.margin(ReleaseTerms.marginShare)
            let ratio = -Normal.quantile(terms.significance.failing) * terms.standardError(cell) / distance
            times = ratio * ratio
        default: return nil
        }
        guard times * days <= Self.year else { return nil }
        return ReleaseNumbers.Needed(
            days: Int((times * days).rounded(.up)),
            events: Int((times * Double(cell.shared.candidate.histogram.count)).rounded(.up)))
    }
}

extension ReleaseNumbers.Side {
    init(_ release: String, _ sides: [SharedDays.Side], quantiles: [Double] = []) {
        self.init(
            release: release, events: sides.reduce(0) { $0 + $1.histogram.count },
            effectiveEvents: sides.reduce(0) { $0 + $1.effectiveEvents },
            designEffect: sides.reduce(0) { $0 + $1.designEffect.factor } / Double(sides.count),
            isDesignEffectMeasured: sides.allSatisfy(\.designEffect.isMeasured), quantiles: quantiles)
    }
}

extension ReleaseNumbers.Spread {
    /// The largest weight beyond the parts on each side, per release.
    private static let tail = 0.004

    /// The spread of the shared days' events; `nil` if none has a weight or is above 0.
    init?(_ shared: SharedDays, scale: Double) {
        let (base, candidate) = (shared.base.histogram, shared.candidate.histogram)
        let all = [base, candidate]
        guard let greatest = all.compactMap({ $0.quantile(1 - Self.tail) }).max(), greatest >= 1 else { return nil }
        let least =
            all.compactMap { histogram in
                // Zeros have no logarithm, so the axis begins above them.
                let zeros = histogram.shares(upTo: [0.5]).first ?? 0
                return histogram.quantile(zeros + Self.tail * (1 - zeros))
            }.min() ?? greatest
        let lower = max(0.5, min(least, greatest / 1.5))
        let step = log(greatest / lower) / Double(Self.parts)
        let edges = (0...Self.parts).map { lower * exp(step * Double($0)) }
        func shares(_ histogram: WeightedHistogram) -> [Int] {
            let below = [0] + histogram.shares(upTo: edges) + [1]
            return zip(below, below.dropFirst()).map { Int((($1 - $0) * Double(Self.whole)).rounded()) }
        }
        self.init(lower: lower / scale, upper: greatest / scale, base: shares(base), candidate: shares(candidate))
    }
}

/// Numbers of two releases on their shared days, in addition to the comparison's.
package struct ReleaseNumbers: Sendable, Hashable {
    package struct Side: Sendable, Hashable {
        package var release: String
        /// The number of events on the shared days; 0 or more.
        package var events = 0
        /// The number of equally weighted independent events with the same information; 0 or more.
        package var effectiveEvents = 0.0
        /// The factor by which users with more than one event increase the variance; 1 or more.
        package var designEffect = 1.0
        /// Whether the design effect was computed from users; otherwise it is assumed.
        package var isDesignEffectMeasured = false
        /// The quantiles at `percentages`, weighted, in the metric's unit; empty without events.
        package var quantiles: [Double] = []

        package static let percentages = [50, 75, 90, 99]
    }

    /// The distribution of both releases' weighted values, in parts of equal logarithmic width between two bounds.
    package struct Spread: Sendable, Hashable {
        /// The bounds, in the metric's unit; above 0.
        package var lower: Double, upper = 0.0
        /// The releases' shares in ten-thousandths: below `lower`, then part by part, then above `upper`.
        package var base: [Int] = [], candidate: [Int] = []

        package static let parts = 40
        /// The sum of a release's shares, except for rounding.
        package static let whole = 10_000
    }

    /// The amount of data that would make an inconclusive change conclusive.
    package struct Needed: Sendable, Hashable {
        /// The total number of shared days, at the same traffic; 2 or more.
        package var days: Int
        /// The total number of events of the newer release; 0 or more.
        package var events = 0
    }

    package var base: Side
    package var candidate = Side()
    package var days = 0
    /// The overlapping share of the traffic, from 0 (no common devices, systems and networks) to 1.
    package var overlap = 0.0
    /// The standard error of the logarithmic change, 0 or more; `nil` if nothing was compared.
    package var standardError: Double?
    /// τ, the standard deviation of a day's effect on one release only, in logarithms; `nil` if nothing was compared.
    package var daySpread: Double?
    /// The shift of all pages as a fraction, 0.1 for +10 %; `nil` if it isn't beyond half the tolerance.
    package var allPages: Double?
    /// `nil` if no value is above 0, or nothing is shared.
    package var spread: Spread?
    /// `nil` if the result is conclusive, or if a year of data wouldn't be enough.
    package var needed: Needed?
}

// The values that a reader of JSON fills in.
extension ReleaseNumbers { package init() { self.init(base: Side()) } }

extension ReleaseNumbers.Side { package init() { self.init(release: "") } }

extension ReleaseNumbers.Spread { package init() { self.init(lower: 0) } }

extension ReleaseNumbers.Needed { package init() { self.init(days: 0) } }
