import LibC
import PerfgateModel
import PerfgateStats

/// The input of the rule for releases: one quantile of a page's metric, both sides' events and the policy.
struct ReleaseCase: Sendable {
    /// Missing events of a metric that were expected.
    struct Absence: Sendable, Hashable {
        let isOfPage: Bool
        /// The number of events on the days with both releases, 0 or more.
        let events: Int
        /// The expected number, from the other release and the traffic of all pages.
        let expected: Double
    }

    let page: Page
    let quantile: MetricQuantile
    let number: EventNumber
    /// The number of quanta per unit.
    let scale: Double
    let policy: CellPolicy
    /// All events of both releases, by day.
    let days: [ReleaseDay]
    let shared: SharedDays
    /// The candidate's missing events; `nil` if none are missing.
    let absence: Absence?
    /// Whether only a part of the pages was meant to be there.
    let isPartial: Bool
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
            QuantileShift(shared.base, shared.candidate, number, offset: shift.offset, deviations: deviations)
            ?? shift
        return cell
    }

    /// The fewest effective events per side for judging a quantile.
    static let fewestEvents = 300.0
    static let fewestDays = 2

    var isJudged: Bool { isCompared && shift != nil && Self.exposure(shared) == nil && tolerance > 0 }

    /// Whether the quantile is 0 in both releases.
    var isZero: Bool { [shared.base, shared.candidate].allSatisfy { ($0.histogram.value(of: number) ?? 0) < 1 } }

    /// The releases' lack of events or days for a comparison; `nil` if they have enough.
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

    /// The signed change in the metric's unit.
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

/// The terms shared by all comparisons of a pair.
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

/// The rule for releases: its steps in order; the first that decides wins.
///
/// > A quantile has regressed when its change exceeds the tolerance and would arise by chance from a change of half the
/// > tolerance with a probability below 0.1 / M, where M is the number of judged quantiles of all pages.
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
        guard Double(events.count) >= ReleaseCase.fewestEvents, let value = cell.value(events) else {
            return RuleStep(.fewEvents, value: Double(events.count), bound: ReleaseCase.fewestEvents)
        }
        let isBroken = cell.quantile.base.better == .lower ? value > limit.value : value < limit.value
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
