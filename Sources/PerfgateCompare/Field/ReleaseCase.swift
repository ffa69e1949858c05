import LibC
import PerfgateModel
import PerfgateStats

/// Two releases of an app, measured by their users: the input of `ReleaseJudge`.
package struct ReleasePair: Sendable {
    package struct Cell: Sendable {
        package let page: Page, metric: Metric
        /// The number of quanta per unit of the metric, above 0.
        package let scale: Double
        /// The days with events of either release, each once, in any order.
        package let days: [ReleaseDay]

        package init(page: Page, metric: Metric, scale: Double = 1_000, days: [ReleaseDay]) {
            (self.page, self.metric, self.scale, self.days) = (page, metric, scale, days)
        }
    }

    /// The app; `nil` if no event names it.
    package let app: String?
    package let base: String
    /// The newer release, which is judged.
    package let candidate: String
    package let cells: [Cell]
    /// The experiment whose arms the sides are; `nil`: they are releases.
    package var experiment: Experiment?

    package struct Experiment: Sendable, Hashable {
        /// The release of all users; `nil`: several.
        package let release: String?
        /// How often the experiment is checked; 1 or more.
        package let looks: Int
        /// The users' sums of all pages together by metric, day and side: base, then candidate.
        package let users: [String: [Int: [UserSums]]]

        package init(release: String?, looks: Int, users: [String: [Int: [UserSums]]] = [:]) {
            (self.release, self.looks, self.users) = (release, looks, users)
        }

        /// The effect on all pages that counts by default: chance moves arms less than releases.
        package static let tolerance = 0.02

        /// The variance of the effect on all pages from which users are in the arms, in logarithms: the mean of the
        /// days, which more days don't reduce, since users return; 0 or more; `nil` without users.
        func userVariance(of cells: [Cell], _ metric: String) -> Double? {
            typealias Events = (count: Double, sum: Double, squares: Double)
            var events: [Int: [Events]] = [:]
            for cell in cells where cell.metric.id == metric {
                for day in cell.days {
                    for (side, histogram) in [day.base.histogram, day.candidate.histogram].enumerated() {
                        for bucket in histogram.buckets {
                            let (index, count) = (Double(bucket.index), Double(bucket.count))
                            var sums: Events = events[day.day]?[side] ?? (0, 0, 0)
                            sums.count += count
                            sums.sum += count * index
                            sums.squares += count * index * index
                            events[day.day, default: [(0, 0, 0), (0, 0, 0)]][side] = sums
                        }
                    }
                }
            }
            let variances = (users[metric] ?? [:]).sorted { $0.key < $1.key }.compactMap { day, sides -> Double? in
                guard let own = events[day], own.allSatisfy({ $0.count > 0 }),
                    let base = sides[0].logVarianceOfUsers(among: own[0]),
                    let candidate = sides[1].logVarianceOfUsers(among: own[1])
                else { return nil }
                return base + candidate
            }
            return variances.isEmpty ? nil : max(0, variances.reduce(0, +) / Double(variances.count))
        }
    }

    package init(app: String?, base: String, candidate: String, cells: [Cell]) {
        (self.app, self.base, self.candidate, self.cells) = (app, base, candidate, cells)
    }

    package var environment: Environment {
        let sides = Environment.Field(
            name: experiment == nil ? "releases" : "arms", value: .text("\(base) → \(candidate)"))
        let release = experiment?.release.map { [Environment.Field(name: "release", value: .text($0))] } ?? []
        return Environment([.init(name: "app", value: app.map { .text($0) }), sides] + release)
    }
}

/// The input of the rule for releases: one quantile of a page's metric, both sides' events and the policy.
struct ReleaseCase: Sendable {
    struct Absence: Sendable, Hashable {
        let isOfPage: Bool
        /// The number of events on the days with both releases, 0 or more.
        let events: Int
        /// The expected number, from the other release and the traffic of all pages.
        let expected: Double
    }

    let page: Page, quantile: MetricQuantile, number: EventNumber, scale: Double
    let policy: CellPolicy, days: [ReleaseDay], shared: SharedDays, absence: Absence?, isPartial: Bool
    /// Whether the quantile is compared; otherwise only its limit is checked.
    let isCompared: Bool
    /// The offset added to quantiles of 0, in quanta: the smallest change that matters.
    private let offset: Double
    private(set) var shift: QuantileShift?
    let dailyShifts: [QuantileShift]

    init(
        _ cell: ReleasePair.Cell, _ shared: SharedDays, _ quantile: MetricQuantile, _ policy: CellPolicy,
        absence: Absence?, isPartial: Bool, isCompared: Bool
    ) {
        page = cell.page
        self.quantile = quantile
        number = quantile.percent.map { .quantile(Double($0) / 100) } ?? .share(quanta: cell.scale)
        scale = cell.scale
        self.policy = policy
        days = cell.days.sorted { $0.day < $1.day }
        (self.shared, self.absence, self.isPartial, self.isCompared) = (shared, absence, isPartial, isCompared)
        offset = policy.minChange.value * cell.scale
        shift = QuantileShift(shared.base, shared.candidate, number, offset: offset)
        let isEnough = isCompared && shift != nil && Self.exposure(shared) == nil
        dailyShifts = isEnough ? QuantileShift.daily(shared, number, offset: offset) : []
    }

    /// The case with the variance of its change at this many standard errors.
    func judged(at deviations: Double) -> ReleaseCase {
        var cell = self
        guard let shift else { return cell }
        cell.shift =
            QuantileShift(shared.base, shared.candidate, number, offset: shift.offset, deviations: deviations) ?? shift
        return cell
    }

    /// The fewest effective events per side for judging a quantile.
    static let fewestEvents = 300.0
    static let fewestDays = 2

    var isJudged: Bool { isCompared && shift != nil && Self.exposure(shared) == nil && tolerance > 0 }

    var isZero: Bool { [shared.base, shared.candidate].allSatisfy { ($0.histogram.value(of: number) ?? 0) < 1 } }

    /// `nil` if both releases have enough events and days.
    static func exposure(_ shared: SharedDays) -> RuleStep? {
        if shared.days.count < fewestDays {
            return RuleStep(.fewDays, value: Double(shared.days.count), bound: Double(fewestDays))
        }
        let least = min(shared.base.effectiveEvents, shared.candidate.effectiveEvents)
        return least < fewestEvents ? RuleStep(.fewEvents, value: least, bound: fewestEvents) : nil
    }

    var candidateEvents: WeightedHistogram { WeightedHistogram(merging: days.map(\.candidate.histogram)).unweighted }

    /// The compared number of a histogram in the metric's unit; `nil` without weight.
    func value(_ histogram: WeightedHistogram) -> Double? { histogram.value(of: number).map(shown) }

    /// A quantile in the metric's unit; less than a quantum is a measured 0.
    func shown(_ quanta: Double) -> Double { quanta < 1 && quantile.percent != nil ? 0 : quanta / scale }

    /// m, the larger of the tolerance times the base's quantile and the smallest change, in the metric's unit; ≥ 0.
    var tolerance: Double { max(policy.tolerance.value * (shift?.base ?? 0) / scale, policy.minChange.value) }

    var delta: Double { shown(shift?.candidate ?? 0) - shown(shift?.base ?? 0) }

    /// The logarithmic change δ, negated if higher is better: above 0 is worse.
    var worsening: Double { (quantile.base.better == .lower ? 1 : -1) * (shift?.delta ?? 0) }

    /// The part of the change's logarithmic variance due to users with more than one event; 0 or more.
    var userVariance: Double {
        let effect = (shared.base.designEffect.factor + shared.candidate.designEffect.factor) / 2
        return (shift?.samplingVariance ?? 0) * (1 - 1 / effect)
    }

    /// The rise of ln Q at this fraction of the tolerance.
    func margin(_ share: Double) -> Double {
        guard let shift else { return 0 }
        return log1p(share * tolerance * scale / (shift.base + shift.offset))
    }
}

struct ReleaseTerms: Sendable {
    /// τ², the day-to-day variance beyond the numbers of events, in logarithms.
    let dayVariance: Double
    let significance: Significance
    /// The worsening of all pages in logarithms, with its sign as in the metric; `nil` if within half the tolerance.
    let allPages: Double?

    /// The standard error of a change in logarithms: from events, and from days by their effective number.
    func standardError(_ cell: ReleaseCase) -> Double {
        let days = max(cell.shared.effectiveDays, 1)
        return ((cell.shift?.samplingVariance ?? 0) + dayVariance / days).squareRoot()
    }

    /// By how much the page got worse relative to all others; only a shift for the worse is subtracted.
    func own(_ cell: ReleaseCase) -> Double { cell.worsening - max(0, allPages ?? 0) }

    /// The probability of a worsening as large if the true one is half the tolerance, 0…1; p₀ with a share of 0.
    func chance(of worsening: Double, _ cell: ReleaseCase, share: Double = Self.marginShare) -> Double {
        let distance = worsening - cell.margin(share)
        let error = standardError(cell)
        return error > 0 ? Normal.upperTail(distance / error) : distance > 0 ? 0 : 1
    }

    /// The fraction of the tolerance that the test assumes.
    static let marginShare = 0.5
}

/// The rule for releases: as `VerdictRule`, where M is the number of judged quantiles of all pages.
enum ReleaseRule {
    static func decide(_ cell: ReleaseCase, _ terms: ReleaseTerms) -> Decision {
        var asked: [RuleStep] = []
        for step in [presence(cell), limit(cell), exposure(cell), worse(cell, terms), better(cell, terms)] {
            if step.found.isDeciding { return Decision(step, after: asked) }
            asked.append(step)
        }
        return Decision(RuleStep(.noObjection), after: asked)
    }

    private static func presence(_ cell: ReleaseCase) -> RuleStep {
        guard let absence = cell.absence else { return RuleStep(.measured) }
        let found: RuleStep.Found = !absence.isOfPage ? .noMetric : cell.isPartial ? .pageExcused : .noPage
        return RuleStep(found, value: Double(absence.events), bound: absence.expected)
    }

    /// A limit applies to all users of the candidate, independent of the other release.
    private static func limit(_ cell: ReleaseCase) -> RuleStep {
        guard let limit = cell.policy.limit?.value else { return RuleStep(.noLimit) }
        let events = cell.candidateEvents
        guard Double(events.count) >= ReleaseCase.fewestEvents, let value = cell.value(events)
        else { return RuleStep(.fewEvents, value: Double(events.count), bound: ReleaseCase.fewestEvents) }
        let isBroken = cell.quantile.base.better.isWorse(value, than: limit.value)
        return RuleStep(isBroken ? .overLimit : .withinLimit, subject: .quantile, value: value, bound: limit.value)
    }

    private static func exposure(_ cell: ReleaseCase) -> RuleStep {
        guard cell.isCompared else { return RuleStep(.limitOnly) }
        if cell.days.allSatisfy({ $0.base.histogram.count == 0 }) { return RuleStep(.noBaseline) }
        if let few = ReleaseCase.exposure(cell.shared) { return few }
        if cell.isJudged { return RuleStep(.comparable) }
        return cell.isZero ? RuleStep(.noObjection) : RuleStep(.noTolerance, value: cell.delta, bound: 0)
    }

    private static func worse(_ cell: ReleaseCase, _ terms: ReleaseTerms) -> RuleStep {
        let (value, bound) = (cell.delta, cell.tolerance)
        guard cell.worsening > cell.margin(1) else { return RuleStep(.notWorse, value: value, bound: bound) }
        let own = terms.own(cell)
        guard own > cell.margin(1) else { return RuleStep(.worseWithAll, value: value, bound: bound) }
        let (p, alpha) = (terms.chance(of: own, cell), terms.significance.failing)
        return RuleStep(p < alpha ? .worse : .cannotTell, value: value, bound: bound, p: p, alpha: alpha)
    }

    private static func better(_ cell: ReleaseCase, _ terms: ReleaseTerms) -> RuleStep {
        let (value, bound) = (cell.delta, cell.tolerance)
        guard -cell.worsening > cell.margin(1) else { return RuleStep(.notBetter, value: value, bound: bound) }
        let (p, alpha) = (terms.chance(of: -cell.worsening, cell), terms.significance.failing)
        return RuleStep(p < alpha ? .better : .betterByChance, value: value, bound: bound, p: p, alpha: alpha)
    }
}
