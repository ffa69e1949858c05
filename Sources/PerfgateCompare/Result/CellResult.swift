import PerfgateModel
import PerfgateStats

/// One finished comparison: the measurements, the verdict and the reason. Renderers only show it.
package struct CellResult: Sendable, Hashable {
    package var page: Page { parts.page }
    /// The metric with its unit and direction.
    package var metric: Metric {
        get { parts.metric }
        set { parts.metric = newValue }
    }
    package var environment: Environment { parts.environment }
    /// Whether it can fail the run.
    package var isGated: Bool { parts.isGated }
    package var verdict: Verdict {
        get { parts.verdict }
        set { parts.verdict = newValue }
    }
    /// The reason, if the verdict's name alone doesn't give it.
    package var detail: VerdictDetail? {
        get { parts.detail }
        set { parts.detail = newValue }
    }
    /// One sentence with the numbers, for people.
    package var reason: String {
        get { parts.reason }
        set { parts.reason = newValue }
    }
    /// The baseline's samples; `nil` without a baseline.
    package var baseline: Side? {
        _read { yield parts.baseline }
        set { parts.baseline = newValue }
    }
    /// The candidate's samples; `nil` if it wasn't measured.
    package var candidate: Side? {
        _read { yield parts.candidate }
        set { parts.candidate = newValue }
    }
    /// The numbers of the comparison; `nil` without one.
    package var numbers: Numbers? {
        _read { yield parts.numbers }
        set { parts.numbers = newValue }
    }
    /// The numbers of both releases, if field releases were compared; `nil` for test runs.
    package var releases: ReleaseNumbers? {
        _read { yield parts.releases }
        set { parts.releases = newValue }
    }
    /// The tolerance m in the metric's unit; `nil` without a baseline.
    package var tolerance: Double? {
        get { parts.tolerance }
        set { parts.tolerance = newValue }
    }
    /// The parts of the tolerance; `nil` if unknown.
    package var toleranceTerms: ToleranceTerms? { parts.toleranceTerms }
    /// The rule steps that were run, in order, the deciding one last; empty if unknown.
    package var rule: [RuleStep] {
        _read { yield parts.rule }
        set { parts.rule = newValue }
    }
    /// The origin of `isGated`; `nil` if unknown.
    package var gateOrigin: String? { parts.gateOrigin }
    /// The limit in the metric's unit, after scaling by the refresh rate, taken as written; `nil`: none.
    package var limit: Limit? {
        get { parts.limit }
        set { parts.limit = newValue }
    }
    /// The origin of the limit; `nil`: no limit.
    package var limitOrigin: String? {
        get { parts.limitOrigin }
        set { parts.limitOrigin = newValue }
    }
    /// How frames are counted.
    package var counting: Counting { parts.counting }
    /// The formula's version.
    package var formula: String { parts.formula }

    /// Reports copy results more often than they read them.
    @Shared private var parts: Parts

    private struct Parts: Sendable, Hashable {
        var page: Page
        var metric: Metric
        var environment: Environment
        var isGated: Bool
        var verdict: Verdict
        var detail: VerdictDetail?
        var reason: String
        var baseline: Side?
        var candidate: Side?
        var numbers: Numbers?
        var releases: ReleaseNumbers?
        var tolerance: Double?
        var toleranceTerms: ToleranceTerms?
        var rule: [RuleStep]
        var gateOrigin: String?
        var limit: Limit?
        var limitOrigin: String?
        var counting: Counting
        var formula: String
    }

    package init(
        page: Page, metric: Metric, environment: Environment, isGated: Bool, verdict: Verdict,
        detail: VerdictDetail? = nil, reason: String, baseline: Side? = nil, candidate: Side? = nil,
        numbers: Numbers? = nil, releases: ReleaseNumbers? = nil, tolerance: Double? = nil,
        toleranceTerms: ToleranceTerms? = nil,
        rule: [RuleStep] = [], gateOrigin: String? = nil, limit: Limit? = nil, limitOrigin: String? = nil,
        counting: Counting = .exact, formula: String = "1"
    ) {
        _parts = Shared(
            wrappedValue: Parts(
                page: page, metric: metric, environment: environment, isGated: isGated, verdict: verdict,
                detail: detail, reason: reason, baseline: baseline, candidate: candidate, numbers: numbers,
                releases: releases, tolerance: tolerance, toleranceTerms: toleranceTerms, rule: rule,
                gateOrigin: gateOrigin, limit: limit, limitOrigin: limitOrigin, counting: counting, formula: formula))
    }

    /// Whether a second run may decide it: it waits for confirmation, or one run was inconclusive.
    package var isSuspect: Bool {
        guard verdict == .inconclusive || detail == .withinNoise, releases == nil else { return false }
        return detail == .confirm || [.needMore, .withinNoise].contains(detail) && (candidate?.runs ?? 0) < 2
    }

    /// Whether it is inconclusive and looks like more than noise: its median is more than twice the baseline's, all of
    /// its few samples are, a share of them is too large to pass over in silence, or half of the visits fail where fewer
    /// than a tenth did. The mean of another count is often twice as large by chance.
    package var isGrossInconclusive: Bool {
        guard isGated, verdict == .inconclusive, releases == nil else { return false }
        if [.doubled, .told].contains(rule.last?.found) { return true }
        if metric.id == Metric.loadFailures.id { return (candidate?.center ?? 0) >= 0.5 && baseline?.center ?? 1 < 0.1 }
        guard metric.better == .lower, metric.centre == .median, let after = candidate?.center,
            let before = baseline?.center, before > 0,
            let worsening, let tolerance
        else { return false }
        return after > 2 * before && worsening > tolerance
    }

    /// Whether it fails the run by a measured value: it got worse, or broke its limit.
    package var isWorse: Bool { isGated && (verdict == .regressed || verdict == .overLimit) }

    package var cell: Cell { Cell(page: page, metric: metric.id, environment: environment) }

    package var place: PageInEnvironment { PageInEnvironment(page: page, environment: environment) }
}

extension CellResult {
    /// The limit step of the rule; `nil` if it wasn't run.
    package var limitStep: RuleStep? { rule.first { $0.found.step == .limit && $0.found != .noLimit } }

    /// Whether the value that the limit judges breaks it.
    package var isOverLimit: Bool { limitStep?.found == .overLimit }

    /// The value behind the verdict: the value compared with a broken limit, else the centre. `nil` if nothing was
    /// measured.
    package var judgedValue: Double? {
        isOverLimit ? limitStep?.value : candidate?.center
    }

    /// Whether it broke its limit, and regressed too: with a higher limit it would still fail.
    package var isOverLimitAndRegressed: Bool {
        guard verdict == .overLimit, let numbers, let worsening, let tolerance else { return false }
        return worsening > tolerance && numbers.isBeyondChance
    }

    /// Δ negated if higher is better, in the metric's unit: above 0 is worse.
    var worsening: Double? {
        numbers.map { metric.better == .lower ? $0.delta : 0 - $0.delta }
    }
}
