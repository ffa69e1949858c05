import LibC
import PerfgateModel
import PerfgateStats

/// Everything that the rule for releases may look at: one quantile of a metric of a page, both sides' events and the policy.
struct ReleaseCase: Sendable {
    /// How a release lacks events of a metric that were to be expected.
    struct Absence: Sendable, Hashable {
        /// Whether it lacks those of the whole page.
        let isOfPage: Bool
        /// How many there are on the days that both releases were used, 0 or more.
        let events: Int
        /// How many were to be expected, by the other release and the traffic of all pages.
        let expected: Double
    }

    /// The page.
    let page: Page
    /// The quantile.
    let quantile: MetricQuantile
    /// How many quanta a unit has.
    let scale: Double
    /// What the policy says of it.
    let policy: CellPolicy
    /// All events of both releases, by day.
    let days: [ReleaseDay]
    /// What of them is compared.
    let shared: SharedDays
    /// How the candidate lacks what was to be expected of it; `nil` where it doesn't.
    let absence: Absence?
    /// Whether only a part of the pages was meant to be there.
    let isPartial: Bool
    /// Whether the quantile is compared; else only its limit is asked.
    let isCompared: Bool
    /// What is added to quantiles of 0, in quanta: the smallest change that matters.
    private let offset: Double
    /// The change; `nil` where there is nothing to compute it from.
    private(set) var shift: QuantileShift?
    /// The change by day.
    let dailyShifts: [QuantileShift]

    init(
        _ cell: ReleasePair.Cell, _ shared: SharedDays, _ quantile: MetricQuantile, _ policy: CellPolicy,
        absence: Absence?, isPartial: Bool, isCompared: Bool
    ) {
        page = cell.page
        self.quantile = quantile
        scale = cell.scale
        self.policy = policy
        days = cell.days.sorted { $0.day < $1.day }
        self.shared = shared
        self.absence = absence
        self.isPartial = isPartial
        self.isCompared = isCompared
        offset = policy.minChange.value * cell.scale
        shift = QuantileShift(shared.base, shared.candidate, at: quantile.share, offset: offset)
        let isEnough = isCompared && shift != nil && Self.exposure(shared) == nil
        dailyShifts = isEnough ? QuantileShift.daily(shared, at: quantile.share, offset: offset) : []
    }

    /// The same with the variance of its change at so many standard errors.
    func judged(at deviations: Double) -> ReleaseCase {
        var cell = self
        guard let shift else { return cell }
        cell.shift =
            QuantileShift(
                shared.base, shared.candidate, at: quantile.share, offset: shift.offset, deviations: deviations)
            ?? shift
        return cell
    }

    /// The fewest effective events a side of which a quantile is judged.
    static let fewestEvents = 300.0
    /// The fewest days that releases must share.
    static let fewestDays = 2

    /// Whether the change can be judged.
    var isJudged: Bool { isCompared && shift != nil && Self.exposure(shared) == nil && tolerance > 0 }

    /// Whether the quantile is 0 in both releases.
    var isZero: Bool {
        [shared.base, shared.candidate].allSatisfy { ($0.histogram.quantile(quantile.share) ?? 0) < 1 }
    }

    /// What of the releases is too little to compare them; `nil` where nothing is.
    static func exposure(_ shared: SharedDays) -> RuleStep? {
        if shared.days.count < fewestDays {
            return RuleStep(.fewDays, value: Double(shared.days.count), bound: Double(fewestDays))
        }
        let least = min(shared.base.effectiveEvents, shared.candidate.effectiveEvents)
        return least < fewestEvents ? RuleStep(.fewEvents, value: least, bound: fewestEvents) : nil
    }

    /// All events of the candidate, each as heavy as another.
    var candidateEvents: WeightedHistogram {
        WeightedHistogram(merging: days.map(\.candidate.histogram)).unweighted
    }

    /// The quantile of a histogram in the metric's unit; `nil` without weight.
    func value(_ histogram: WeightedHistogram) -> Double? { histogram.quantile(quantile.share).map(shown) }

    /// A quantile in the metric's unit: below a quantum nobody measured anything but 0.
    func shown(_ quanta: Double) -> Double { quanta < 1 ? 0 : quanta / scale }

    /// m, the larger of the tolerance's share of the base's quantile and the smallest change that matters, in the metric's
    /// unit; 0 or more.
    var tolerance: Double {
        max(policy.tolerance.value * (shift?.base ?? 0) / scale, policy.minChange.value)
    }

    /// The change in the metric's unit, with its own sign.
    var delta: Double { shown(shift?.candidate ?? 0) - shown(shift?.base ?? 0) }

    /// δ with its sign turned where higher is better, in logarithms: above 0 is worse.
    var worsening: Double { (quantile.base.better == .lower ? 1 : -1) * (shift?.delta ?? 0) }

    /// The part of the change's variance in logarithms that comes from users with more than one event; 0 or more.
    var userVariance: Double {
        let effect = (shared.base.designEffect.factor + shared.candidate.designEffect.factor) / 2
        return (shift?.samplingVariance ?? 0) * (1 - 1 / effect)
    }

    /// By how much ln Q rises with so much of the tolerance.
    func margin(_ share: Double) -> Double {
        guard let shift else { return 0 }
        return log1p(share * tolerance * scale / (shift.base + shift.offset))
    }
}

/// What all comparisons of a pair share: how the steps judge a change.
struct ReleaseTerms: Sendable {
    /// τ², the variance from day to day that the numbers of events don't explain, in logarithms.
    let dayVariance: Double
    /// The level of each comparison.
    let significance: Significance
    /// The shift of all pages towards worse in logarithms, turned where higher is better; `nil` where it isn't beyond half of
    /// the tolerance.
    let allPages: Double?

    /// The standard error of a change in logarithms: chance among events, and days by their effective number.
    func standardError(_ cell: ReleaseCase) -> Double {
        let days = max(cell.shared.effectiveDays, 1)
        return ((cell.shift?.samplingVariance ?? 0) + dayVariance / days).squareRoot()
    }

    /// By how much the page got worse beside all others: only what made all pages worse is taken off.
    func own(_ cell: ReleaseCase) -> Double { cell.worsening - max(0, allPages ?? 0) }

    /// The chance of a worsening as great where it is half of the tolerance, 0…1; p₀ with a share of 0.
    func chance(of worsening: Double, _ cell: ReleaseCase, share: Double = Self.marginShare) -> Double {
        let distance = worsening - cell.margin(share)
        let error = standardError(cell)
        return error > 0 ? Normal.upperTail(distance / error) : distance > 0 ? 0 : 1
    }

    /// The share of the tolerance that chance must not explain.
    static let marginShare = 0.5
}

/// The rule for releases: its steps in their order, the first that decides decides.
///
/// > A quantile has regressed when its change exceeds the tolerance and chance explains a change of more than half the
/// > tolerance less often than 0.1 in M, M being the number of judged quantiles of all pages.
enum ReleaseRule {
    /// The decision on a case with every step that was asked.
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
        let found: RuleStep.Finding = !absence.isOfPage ? .noMetric : cell.isPartial ? .pageExcused : .noPage
        return RuleStep(found, value: Double(absence.events), bound: absence.expected)
    }

    /// A limit holds for all users of the candidate, whatever the other release's are.
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
