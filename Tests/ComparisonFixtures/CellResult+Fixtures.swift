import PerfgateCompare
import PerfgateModel
import PerfgateStats

extension CellResult {
    /// A comparison of a page, as a report tells it.
    package convenience init(
        page: Page, metric: Metric, environment: Environment, isGated: Bool, verdict: Verdict,
        detail: VerdictDetail? = nil, reason: String, baseline: Side? = nil, candidate: Side? = nil,
        numbers: Numbers? = nil, releases: ReleaseNumbers? = nil, tolerance: Double? = nil,
        toleranceTerms: ToleranceTerms? = nil, rule: [RuleStep] = [], gateOrigin: String? = nil, limit: Limit? = nil,
        limitOrigin: String? = nil, counting: Counting = .exact, formula: String = "1"
    ) {
        let subject = Subject(listedAs: page, metric, isOfReleases: releases != nil)
        var facts = Facts(subject, metric, in: environment, isGated: isGated, verdict: verdict)
        facts.detail = detail
        facts.said = reason
        (facts.baseline, facts.candidate, facts.numbers) = (baseline, candidate, numbers)
        (facts.releases, facts.tolerance, facts.toleranceTerms) = (releases, tolerance, toleranceTerms)
        (facts.rule, facts.gateOrigin) = (rule, gateOrigin)
        (facts.limit, facts.limitOrigin) = (limit, limitOrigin)
        (facts.counting, facts.formula) = (counting, formula)
        self.init(facts)
    }

    /// The same comparison with other facts.
    package func with(_ change: (inout Facts) -> Void) -> CellResult {
        var facts = facts
        change(&facts)
        return CellResult(facts)
    }
}

extension Judge {
    /// The comparisons alone.
    package func compare(_ measurements: Measurements, with reference: Reference) throws(StatsError) -> [CellResult] {
        try judge(measurements, with: reference).comparisons
    }
}
