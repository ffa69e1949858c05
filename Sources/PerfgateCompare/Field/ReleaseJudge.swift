import LibC
import PerfgateModel
import PerfgateStats

/// Compares two releases in the field, page by page and metric by metric.
package struct ReleaseJudge: Sendable {
    /// The policy.
    package let policy: Policy

    /// Makes a judge of a policy.
    package init(policy: Policy) {
        self.policy = policy
    }

    /// The percentages of the quantiles that are compared.
    package static let percentages = [50, 90]
    /// The page that stands for all pages in what is said of their common shift.
    package static let everyPage = Expectations.everyPage

    /// The comparisons of a pair, worst first: each metric of each page at p50, p90 and where a limit holds, and for each
    /// quantile the shift of all pages where it is beyond half of the tolerance, as one of `everyPage`.
    package func compare(_ pair: ReleasePair) -> [CellResult] {
        let cases = cases(of: pair)
        let byQuantile = Dictionary(grouping: cases.filter(\.isJudged), by: \.quantile)
        let shifts = byQuantile.mapValues { AllPages($0, policy: policy, in: pair.environment) }
        let gated = cases.count { $0.isJudged && $0.policy.isGated.value }
        let significance = Significance(comparisons: gated + shifts.values.count { $0.isAsked && $0.isGated })
        let report = ReleaseReport(pair: pair, policy: policy)
        var results: [CellResult] = []
        let deviations = -Normal.quantile(significance.failing)
        for cell in cases {
            let shift = shifts[cell.quantile]
            let terms = ReleaseTerms(
                dayVariance: shift?.dayVariance ?? 0, significance: significance, allPages: shift?.worsening)
            results.append(report.result(of: cell.judged(at: deviations), terms))
        }
        if gated == 0 { refuse(&results) }
        for (quantile, shift) in shifts {
            results += shift.result(of: quantile, significance, report).map { [$0] } ?? []
        }
        return results.sorted()
    }

    /// Marks what can't be told where nothing could: a release that hardly anybody has, or one that is compared with nothing,
    /// must not look like one that passed.
    private func refuse(_ results: inout [CellResult]) {
        let isRefused = [Verdict.inconclusive: true, .noBaseline: policy.noBaseline == .auto]
        for index in results.indices where isRefused[results[index].verdict] == true {
            results[index].detail = .nothingCompared
            results[index].reason += " Nothing of the two releases could be judged."
        }
    }
}

// MARK: What is compared

extension ReleaseJudge {
    private func cases(of pair: ReleasePair) -> [ReleaseCase] {
        let traffic = Traffic(pair)
        let environment = pair.environment
        var cases: [ReleaseCase] = []
        // Sums of doubles come out alike in one order only.
        let cells = (pair.cells + expectedCells(traffic)).sorted { ($0.page, $0.metric.id) < ($1.page, $1.metric.id) }
        for cell in cells {
            let shared = SharedDays(cell.days)
            let limited = policy.limitedPercentages(of: cell.metric.id)
            for percent in Set(Self.percentages).union(limited).sorted() {
                let quantile = MetricQuantile(of: cell.metric, percent: percent)
                let said = policy.cellPolicy(page: cell.page, quantile: quantile, environment: environment)
                let isCompared = Self.percentages.contains(percent)
                guard isCompared || said.limit != nil else { continue }
                let absence = traffic.absence(of: cell, isExpected: isExpected(cell, traffic))
                let prepared = ReleaseCase(
                    cell, shared, quantile, said, absence: said.isGated.value ? absence : nil,
                    isPartial: policy.isPartial, isCompared: isCompared)
                if said.isGated.value || cell.days.contains(where: { $0.candidate.histogram.count > 0 }) {
                    cases.append(prepared)
                }
            }
        }
        return cases
    }

    /// Whether the configuration expects a metric of a page: by its name, or any of a page that the candidate lacks.
    private func isExpected(_ cell: ReleasePair.Cell, _ traffic: Traffic) -> Bool {
        policy.expected.contains { expected in
            expected.page == cell.page
                && (expected.metrics.isEmpty
                    ? !traffic.candidatePages.contains(cell.page) : expected.metrics.contains(cell.metric.id))
        }
    }

    /// What the configuration expects and neither release has: of metrics that some other page has, since a list of
    /// expected metrics may name some of test runs.
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

/// How many events both releases have, which tells what is missing from what nobody came by.
private struct Traffic {
    /// The metrics of any page, by identifier.
    let metrics: [String: ReleasePair.Cell]
    /// The metrics of each page in either release.
    let pages: [Page: Set<String>]
    /// The pages that the candidate has any event of.
    let candidatePages: Set<Page>
    /// How many events the candidate has for one of the base, by day.
    private let ratios: [Int: Double]

    init(_ pair: ReleasePair) {
        metrics = Dictionary(pair.cells.map { ($0.metric.id, $0) }) { first, _ in first }
        pages = pair.cells.reduce(into: [:]) { $0[$1.page, default: []].insert($1.metric.id) }
        let ratios = Self.ratios(pair)
        self.ratios = ratios
        candidatePages = Set(pair.cells.filter { Exposure($0, ratios).isThere }.map(\.page))
    }

    /// How many events of a metric of a page the candidate has on the days that both releases were used, and how many were
    /// to be expected by the base's events and the traffic of all pages.
    private struct Exposure {
        /// What is less than this share of what was to be expected is a remnant: of a clock that is wrong, or of a switch
        /// that a few still have.
        static let remnant = 0.1

        var events = 0
        var expected = 0.0
        /// Whether it has events on any day.
        private let isAnywhere: Bool

        init(_ cell: ReleasePair.Cell, _ ratios: [Int: Double]) {
            isAnywhere = cell.days.contains { $0.candidate.histogram.count > 0 }
            for day in cell.days {
                guard let ratio = ratios[day.day], ratio > 0 else { continue }
                events += day.candidate.histogram.count
                expected += Double(day.base.histogram.count) * ratio
            }
        }

        var isRemnant: Bool {
            expected >= ReleaseCase.fewestEvents && Double(events) < Self.remnant * expected
        }

        var isThere: Bool { expected > 0 ? events > 0 && !isRemnant : isAnywhere }
    }

    /// By the metric that has the most events on a day, which is as good as all visits.
    private static func ratios(_ pair: ReleasePair) -> [Int: Double] {
        var events: [Int: [String: (base: Double, candidate: Double)]] = [:]
        for cell in pair.cells {
            for day in cell.days {
                events[day.day, default: [:]][cell.metric.id, default: (0, 0)].base += Double(day.base.histogram.count)
                events[day.day, default: [:]][cell.metric.id, default: (0, 0)].candidate += Double(
                    day.candidate.histogram.count)
            }
        }
        return events.mapValues { day in
            let most = (base: day.values.map(\.base).max() ?? 0, candidate: day.values.map(\.candidate).max() ?? 0)
            return most.base > 0 ? most.candidate / most.base : 0
        }
    }

    /// How the candidate lacks a metric of a page: where it has no event of it, or a remnant, and as many were to be expected
    /// as a judgement needs; `nil` where it doesn't.
    func absence(of cell: ReleasePair.Cell, isExpected: Bool) -> ReleaseCase.Absence? {
        let exposure = Exposure(cell, ratios)
        guard !exposure.isThere, exposure.isRemnant || isExpected || candidatePages.isEmpty else { return nil }
        return ReleaseCase.Absence(
            isOfPage: !candidatePages.contains(cell.page), events: exposure.events, expected: exposure.expected)
    }
}

// MARK: All pages

/// What all pages of a quantile have in common.
private struct AllPages {
    /// τ², what days do to one release, in logarithms.
    let dayVariance: Double
    private let shift: CommonShift?
    private let standardError: Double
    private let policy: CellPolicy
    private let cases: [ReleaseCase]

    init(_ cases: [ReleaseCase], policy: Policy, in environment: Environment) {
        self.cases = cases
        dayVariance = DayVariance.pooled(cases.map(\.dailyShifts))
        shift = CommonShift(cases.map(\.worsening))
        let said = policy.cellPolicy(
            page: ReleaseJudge.everyPage, quantile: cases[0].quantile, environment: environment)
        let isGated = said.isGated.value && cases.contains { $0.policy.isGated.value }
        // Limits and smallest changes are of single pages, in the metric's unit.
        self.policy = CellPolicy(
            isGated: Setting(isGated, from: said.isGated.origin), tolerance: said.tolerance,
            minChange: Setting(0, from: .builtIn), limit: nil)
        // A day may do the same to all pages, so that their number doesn't help against it.
        let days = cases.map { max($0.shared.effectiveDays, 1) }.reduce(0, +) / Double(cases.count)
        let chance = shift?.standardError ?? 0
        // So may users, who are the same on all pages: that part of a page's variance which is theirs.
        let users = cases.map(\.userVariance).sorted()[cases.count / 2]
        standardError = (chance * chance + dayVariance / days + users).squareRoot()
    }

    /// Whether there are pages enough to ask.
    var isAsked: Bool { shift != nil }

    /// Whether the shift can fail the release.
    var isGated: Bool { policy.isGated.value }

    private var tolerance: Double { policy.tolerance.value }

    /// The shift towards worse in logarithms; `nil` where it isn't beyond half of the tolerance.
    var worsening: Double? {
        shift.flatMap { abs($0.value) > log1p(tolerance * ReleaseTerms.marginShare) ? $0.value : nil }
    }

    /// The finding: `nil` where the shift isn't beyond half of the tolerance.
    func result(
        of quantile: MetricQuantile, _ significance: Significance, _ report: ReleaseReport
    ) -> CellResult? {
        guard let worsening else { return nil }
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
        let numbers = CellResult.Numbers(
            delta: delta, shift: delta,
            interval: [-1, 1].map { 100 * expm1(sign * worsening + $0 * ReleaseReport.deviations * standardError) },
            p: p, pImprove: improved, pZero: chance(worsening, 0), pMin: 0, alpha: alpha,
            comparisons: significance.comparisons, marginShare: ReleaseTerms.marginShare)
        let metric = Metric(id: quantile.metric.id, unit: Unit("%"), better: quantile.base.better)
        return report.result(
            of: Decision(step, after: [RuleStep(.comparable)]), page: ReleaseJudge.everyPage, metric, self.policy,
            baseline: side(\.shared.base, center: 100), candidate: side(\.shared.candidate, center: 100 + delta),
            numbers: numbers, releases: releases(report.pair, allPages: delta / 100), tolerance: bound)
    }

    private func side(_ side: KeyPath<ReleaseCase, SharedDays.Side>, center: Double) -> CellResult.Side {
        CellResult.Side(
            count: cases.reduce(0) { $0 + $1[keyPath: side].histogram.count },
            runs: cases.map(\.shared.days.count).max() ?? 0, center: center, samples: nil)
    }

    private func releases(_ pair: ReleasePair, allPages: Double) -> ReleaseNumbers {
        func side(_ name: String, _ side: KeyPath<ReleaseCase, SharedDays.Side>) -> ReleaseNumbers.Side {
            let sides = cases.map { $0[keyPath: side] }
            return ReleaseNumbers.Side(
                release: name, events: sides.reduce(0) { $0 + $1.histogram.count },
                effectiveEvents: sides.reduce(0) { $0 + $1.effectiveEvents },
                designEffect: sides.reduce(0) { $0 + $1.designEffect.factor } / Double(sides.count),
                isDesignEffectMeasured: sides.allSatisfy(\.designEffect.isMeasured))
        }
        return ReleaseNumbers(
            base: side(pair.base, \.shared.base), candidate: side(pair.candidate, \.shared.candidate),
            days: cases.map(\.shared.days.count).max() ?? 0,
            overlap: cases.reduce(0) { $0 + $1.shared.overlap } / Double(cases.count), standardError: standardError,
            daySpread: dayVariance.squareRoot(), allPages: allPages)
    }
}
