/// One cell's candidate against its baseline: all the numbers that a verdict is made from, and no verdict.
///
/// Directions are turned here and nowhere else: `delta` and `estimate` are as measured, while everything named worse,
/// worsening or improved already knows which direction is the better one.
public struct Comparison: Equatable, Sendable {
    /// n_b, R, n_c and S.
    public let design: Design
    /// The baseline's centre, in the samples' unit.
    public let baselineCentre: Double
    /// The candidate's centre, in the samples' unit.
    public let candidateCentre: Double
    /// Δ = candidate's centre − baseline's, in the samples' unit, as measured.
    public let delta: Double
    /// Δ with its sign turned where higher is better, in the samples' unit: above 0 is worse.
    public let worsening: Double
    /// m, the tolerance around the baseline's median, in the samples' unit; 0 or more.
    public let margin: Double
    /// How far the candidate's best sample is beyond the baseline's worst, in the samples' unit, above 0 where every
    /// candidate sample is worse than every baseline sample.
    public let gap: Double
    /// The Hodges–Lehmann shift with its intervals, as measured.
    public let estimate: ShiftEstimate
    /// U, in pairs, 0…n_b·n_c in steps of ½: in how many the candidate is worse, pairs of equals by half.
    public let u: Double
    /// p₀, the chance of a U as great where nothing has changed; 0…1.
    public let pZero: Double
    /// p_m, the same where the candidate has become worse by h·m; 0…1.
    public let pMargin: Double
    /// The mirror of `pMargin`: the chance of a U as small where the candidate has become better by h·m; 0…1.
    public let pImproved: Double
    /// p_min, the smallest p that these sizes can give; 0…1.
    public let pMin: Double
    /// α_f and the number of comparisons that it comes from.
    public let significance: Significance

    /// Throws `StatsError.noSamples` where a side is empty.
    public init(baseline: MeasuredRuns, candidate: MeasuredRuns, terms: Terms) throws(StatsError) {
        guard let before = baseline.pooled.centre(terms.centre), let median = baseline.pooled.median else {
            throw .noSamples(side: .baseline)
        }
        guard let after = candidate.pooled.centre(terms.centre) else { throw .noSamples(side: .candidate) }
        design = Design(
            baselineSamples: baseline.pooled.count, baselineRuns: baseline.runs.count,
            candidateSamples: candidate.pooled.count, candidateRuns: candidate.runs.count)
        significance = terms.significance
        pMin = design.smallestProbability
        baselineCentre = before
        candidateCentre = after
        delta = (after - before).saturated
        worsening = terms.better == .lower ? delta : 0 - delta
        margin = terms.tolerance.margin(median: median)
        let untied = UntiedDistribution(design.baselineSamples, design.candidateSamples)
        estimate = try ShiftEstimate(baseline: baseline.pooled, candidate: candidate.pooled, untied: untied)

        let allowance = design.marginShare * margin
        let b = terms.better.turned(baseline.pooled)
        let c = terms.better.turned(candidate.pooled)
        gap = ((c.values.first ?? 0) - (b.values.last ?? 0)).saturated
        let unshifted = try MannWhitney(baseline: b, candidate: c, shift: 0, untied: untied)
        u = unshifted.u
        pZero = unshifted.probabilityOfGreater
        pMargin = try MannWhitney(baseline: b, candidate: c, shift: allowance, untied: untied).probabilityOfGreater
        pImproved = try MannWhitney(baseline: b, candidate: c, shift: 0 - allowance, untied: untied).probabilityOfLess
    }
}
