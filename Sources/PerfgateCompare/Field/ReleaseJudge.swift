import LibC
import PerfgateModel
import PerfgateStats

package struct ReleaseJudge: Sendable {
    package let policy: Policy

    package init(policy: Policy) { self.policy = policy }

    /// The comparisons, worst first: each metric of each page at p50, p90 and limited quantiles, or its share of
    /// events; and per quantile the shift of all pages, if it is beyond half the tolerance.
    package func compare(_ pair: ReleasePair) -> [CellResult] {
        let cases = cases(of: pair)
        let byQuantile = Dictionary(grouping: cases.filter(\.isJudged), by: \.quantile)
        let shifts = byQuantile.mapValues { AllPages($0, policy: policy, of: pair) }
        let gated = cases.count { $0.isJudged && $0.policy.isGated.value }
        let significance = Significance(
            comparisons: gated + shifts.values.count { $0.isAsked && $0.isGated }, looks: pair.experiment?.looks ?? 1)
        let report = ReleaseReport(pair: pair)
        let deviations = -Normal.quantile(significance.failing)
        let terms = shifts.mapValues {
            ReleaseTerms(dayVariance: $0.dayVariance, significance: significance, allPages: $0.worsening)
        }
        let unshifted = ReleaseTerms(dayVariance: 0, significance: significance, allPages: nil)
        var drafts = cases.concurrentMap { cell in
            let facts = report.facts(of: cell.judged(at: deviations), terms[cell.quantile] ?? unshifted)
            return CellResult.Draft(facts.waived(policy))
        }
        if gated == 0 { refuse(&drafts) }
        for (quantile, shift) in shifts {
            drafts += shift.facts(quantile, significance, report).map { [.init($0.waived(policy))] } ?? []
        }
        SuspectedUnits(drafts.map(\.result)).doubt(&drafts)
        return drafts.map(\.result).sorted()
    }

    /// Marks quantiles as inconclusive if none could be judged: a release without users must not look like a pass.
    private func refuse(_ drafts: inout [CellResult.Draft]) {
        let isRefused = [Verdict.inconclusive: true, .noBaseline: policy.noBaseline == .auto]
        drafts.revise { one in
            isRefused[one.verdict] == true
                ? one.facts.remarked(.nothingCompared(.ofReleases), one.verdict, .nothingCompared) : nil
        }
    }
}

extension ReleaseJudge {
    private func cases(of pair: ReleasePair) -> [ReleaseCase] {
        let traffic = Traffic(pair)
        let environment = pair.environment
        // Floating-point sums are only reproducible in a fixed order.
        let cells = (pair.cells + expectedCells(traffic)).sorted { ($0.page, $0.metric.id) < ($1.page, $1.metric.id) }
        let cases = cells.concurrentMap { cell in
            var cases: [ReleaseCase] = []
            let shared = SharedDays(cell.days)
            let compared = MetricQuantile.compared(of: cell.metric)
            let all = policy.limitedQuantiles(of: cell.metric).union(compared)
            for quantile in all.sorted(by: { ($0.percent ?? 0) < ($1.percent ?? 0) }) {
                let said = policy.cellPolicy(page: cell.page, quantile: quantile, environment: environment)
                let isCompared = compared.contains(quantile)
                guard isCompared || said.limit != nil else { continue }
                let absence = traffic.absence(of: cell, isExpected: isExpected(cell, traffic))
                let prepared = ReleaseCase(
                    cell, shared, quantile, said, absence: said.isGated.value ? absence : nil,
                    isPartial: policy.isPartial, isCompared: isCompared)
                if said.isGated.value || cell.days.contains(where: { $0.candidate.histogram.count > 0 }) {
                    cases.append(prepared)
                }
            }
            return cases
        }
        return Array(cases.joined())
    }

    /// Whether the configuration expects a page's metric: by name, or any metric of a page that the candidate lacks.
    private func isExpected(_ cell: ReleasePair.Cell, _ traffic: Traffic) -> Bool {
        policy.expected.contains { expected in
            expected.page == cell.page
                && (expected.metrics.isEmpty
                    ? !traffic.candidatePages.contains(cell.page) : expected.metrics.contains(cell.metric.id))
        }
    }

    /// Expected cells that neither release has, if another page has the metric: some are only of test runs.
    private func expectedCells(_ traffic: Traffic) -> [ReleasePair.Cell] {
        Set(policy.expected.map(\.page)).sorted().flatMap { page in
            let known = traffic.pages[page] ?? []
            let named = Set(policy.expected.filter { $0.page == page }.flatMap(\.metrics))
            let isAny = known.isEmpty && policy.expected.contains { $0.page == page && $0.metrics.isEmpty }
            return traffic.metrics.values.sorted { $0.metric.id.precedesInUTF8($1.metric.id) }
                .filter { (isAny || named.contains($0.metric.id)) && !known.contains($0.metric.id) }
                .map { ReleasePair.Cell(page: page, metric: $0.metric, scale: $0.scale, days: []) }
        }
    }
}

/// The numbers of events of both releases, which distinguish missing pages from unvisited ones.
private struct Traffic {
    let metrics: [String: ReleasePair.Cell], pages: [Page: Set<String>], candidatePages: Set<Page>
    /// The candidate's events per event of the base, by day.
    private let ratios: [Int: Double]

    init(_ pair: ReleasePair) {
        metrics = Dictionary(pair.cells.map { ($0.metric.id, $0) }) { first, _ in first }
        pages = pair.cells.reduce(into: [:]) { $0[$1.page, default: []].insert($1.metric.id) }
        let ratios = Self.ratios(pair)
        self.ratios = ratios
        candidatePages = Set(pair.cells.filter { Exposure($0, ratios).isThere }.map(\.page))
    }

    /// The candidate's events of a page's metric on the days with both releases, and those expected by the traffic.
    private struct Exposure {
        /// Below this fraction of the expected number, events are a remnant: of a wrong clock, or of a switch few have.
        static let remnant = 0.1

        var events = 0, expected = 0.0
        private let isAnywhere: Bool

        init(_ cell: ReleasePair.Cell, _ ratios: [Int: Double]) {
            isAnywhere = cell.days.contains { $0.candidate.histogram.count > 0 }
            for day in cell.days {
                guard let ratio = ratios[day.day], ratio > 0 else { continue }
                events += day.candidate.histogram.count
                expected += Double(day.base.histogram.count) * ratio
            }
        }

        var isRemnant: Bool { expected >= ReleaseCase.fewestEvents && Double(events) < Self.remnant * expected }

        var isThere: Bool { expected > 0 ? events > 0 && !isRemnant : isAnywhere }
    }

    /// Uses the metric with the most events on a day, which approximates all visits.
    private static func ratios(_ pair: ReleasePair) -> [Int: Double] {
        var most: [Int: (base: Double, candidate: Double)] = [:]
        for cells in Dictionary(grouping: pair.cells, by: \.metric.id).values {
            var events: [Int: (base: Double, candidate: Double)] = [:]
            for day in cells.lazy.flatMap(\.days) {
                events[day.day, default: (0, 0)].base += Double(day.base.histogram.count)
                events[day.day, default: (0, 0)].candidate += Double(day.candidate.histogram.count)
            }
            most.merge(events) { (max($0.base, $1.base), max($0.candidate, $1.candidate)) }
        }
        return most.mapValues { $0.base > 0 ? $0.candidate / $0.base : 0 }
    }

    /// The candidate's missing events of a page's metric, if enough were expected to judge; `nil` if there are some.
    func absence(of cell: ReleasePair.Cell, isExpected: Bool) -> ReleaseCase.Absence? {
        let exposure = Exposure(cell, ratios)
        guard !exposure.isThere, exposure.isRemnant || isExpected || candidatePages.isEmpty else { return nil }
        return ReleaseCase.Absence(
            isOfPage: !candidatePages.contains(cell.page), events: exposure.events, expected: exposure.expected)
    }
}

private struct AllPages {
    /// τ², the effect of days on one release, in logarithms.
    let dayVariance: Double
    private let shift: Double?, standardError: Double, policy: CellPolicy, cases: [ReleaseCase]

    init(_ cases: [ReleaseCase], policy: Policy, of pair: ReleasePair) {
        self.cases = cases
        dayVariance = DayVariance.pooled(cases.map(\.dailyShifts))
        // A backend that fails everywhere fails each page: there is no level that all pages share.
        let isTime = cases[0].quantile.percent != nil
        let common = isTime && pair.experiment == nil ? CommonShift(cases.map(\.worsening)) : nil
        // In an experiment, the mean of the pages, each by what its events say.
        let weights =
            isTime && pair.experiment != nil ? cases.map { 1 / max($0.shift?.samplingVariance ?? 1, 1e-9) } : []
        let weight = weights.reduce(0, +)
        let mean = weight > 0 ? zip(weights, cases).reduce(0) { $0 + $1.0 * $1.1.worsening } / weight : nil
        shift = common?.value ?? mean
        let said = policy.cellPolicy(
            page: CellResult.Subject.everyPage, quantile: cases[0].quantile, environment: pair.environment)
        let isGated = said.isGated.value && cases.contains { $0.policy.isGated.value }
        // Limits and smallest changes apply to single pages, in the metric's unit.
        self.policy = CellPolicy(
            isGated: Setting(isGated, from: said.isGated.origin),
            tolerance: pair.experiment == nil || said.tolerance.origin != .builtIn
                ? said.tolerance : Setting(ReleasePair.Experiment.tolerance, from: .builtIn),
            minChange: Setting(0, from: .builtIn), limit: nil)
        // A day may affect all pages alike, so more pages don't reduce its variance.
        let days = cases.map { max($0.shared.effectiveDays, 1) }.reduce(0, +) / Double(cases.count)
        let chance = common.map { $0.standardError * $0.standardError } ?? (weight > 0 ? 1 / weight : 0)
        // So may users, who visit all pages: their part of a page's variance isn't reduced either.
        let ofPages = cases.map(\.userVariance).sorted()[cases.count / 2]
        let users = pair.experiment?.userVariance(of: pair.cells, cases[0].quantile.base.id) ?? ofPages
        standardError = (chance + dayVariance / days + users).squareRoot()
    }

    var isAsked: Bool { shift != nil }

    var isGated: Bool { policy.isGated.value }

    private var tolerance: Double { policy.tolerance.value }

    /// The shift for the worse in logarithms; `nil` if it isn't beyond half the tolerance.
    var worsening: Double? { shift.flatMap { abs($0) > log1p(tolerance * ReleaseTerms.marginShare) ? $0 : nil } }

    /// The finding; `nil` if the shift isn't beyond half the tolerance. In an experiment it is the effect, always shown.
    func facts(_ quantile: MetricQuantile, _ significance: Significance, _ report: ReleaseReport) -> CellResult.Facts? {
        guard let worsening = report.pair.experiment == nil ? worsening : shift else { return nil }
        let sign = quantile.base.better == .lower ? 1.0 : -1
        let delta = 100 * expm1(sign * worsening)
        let bound = 100 * tolerance
        let alpha = significance.failing
        func chance(_ value: Double, _ share: Double) -> Double {
            let distance = value - log1p(share * tolerance)
            return standardError > 0 ? Normal.upperTail(distance / standardError) : distance > 0 ? 0 : 1
        }
        let p = chance(worsening, ReleaseTerms.marginShare)
        let improved = chance(-worsening, ReleaseTerms.marginShare)
        let step =
            worsening > log1p(tolerance)
            ? RuleStep(p < alpha ? .worse : .cannotTell, value: delta, bound: bound, p: p, alpha: alpha)
            : -worsening > log1p(tolerance) && improved < alpha
                ? RuleStep(.better, value: delta, bound: bound, p: improved, alpha: alpha) : RuleStep(.noObjection)
        let metric = Metric(id: quantile.metric.id, unit: Unit("%"), better: quantile.base.better)
        var facts = CellResult.Facts(
            .allPages, metric, in: report.environment, Decision(step, after: [RuleStep(.comparable)]), under: policy)
        facts.baseline = side(\.shared.base, center: 100)
        facts.candidate = side(\.shared.candidate, center: 100 + delta)
        facts.numbers = CellResult.Numbers(
            delta: delta, shift: delta,
            interval: [-1, 1].map { 100 * expm1(sign * worsening + $0 * ReleaseReport.deviations * standardError) },
            p: p, pImprove: improved, pZero: chance(worsening, 0), alpha: alpha, comparisons: significance.comparisons,
            marginShare: ReleaseTerms.marginShare)
        facts.releases = releases(report.pair, allPages: delta / 100)
        facts.tolerance = bound
        return facts
    }

    private func side(_ side: KeyPath<ReleaseCase, SharedDays.Side>, center: Double) -> CellResult.Side {
        CellResult.Side(
            count: cases.reduce(0) { $0 + $1[keyPath: side].histogram.count },
            runs: cases.map(\.shared.days.count).max() ?? 0, center: center, samples: nil)
    }

    private func releases(_ pair: ReleasePair, allPages: Double) -> ReleaseNumbers {
        ReleaseNumbers(
            base: ReleaseNumbers.Side(pair.base, cases.map(\.shared.base)),
            candidate: ReleaseNumbers.Side(pair.candidate, cases.map(\.shared.candidate)),
            days: cases.map(\.shared.days.count).max() ?? 0,
            overlap: cases.reduce(0) { $0 + $1.shared.overlap } / Double(cases.count), standardError: standardError,
            daySpread: dayVariance.squareRoot(), allPages: allPages)
    }
}
