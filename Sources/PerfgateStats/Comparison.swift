/// One cell's candidate against its baseline: all the numbers that a verdict is made from, and no verdict.
///
/// Directions are turned here and nowhere else: `delta` and `estimate` are as measured, while everything named worse,
/// worsening or improved already knows which direction is the better one.
package struct Comparison: Equatable, Sendable {
    /// n_b, R, n_c and S, and in how many pairs.
    package let design: Design
    /// The baseline's centre, in the samples' unit.
    package let baselineCentre: Double
    /// The candidate's centre, in the samples' unit.
    package let candidateCentre: Double
    /// Δ = candidate's centre − baseline's, in the samples' unit, as measured.
    package let delta: Double
    /// Δ with its sign turned where higher is better, in the samples' unit: above 0 is worse.
    package let worsening: Double
    /// m, the tolerance around the baseline's median, in the samples' unit; 0 or more.
    package let margin: Double
    /// How far the candidate's best sample is beyond the baseline's worst, in the samples' unit, above 0 where every
    /// candidate sample is worse than every baseline sample.
    package let gap: Double
    /// The Hodges–Lehmann shift with its intervals, as measured.
    package let estimate: ShiftEstimate
    /// U, in pairs of samples, 0…n_b·n_c in steps of ½: in how many the candidate is worse, equals by half. Of runs
    /// measured in turn the sum over their pairs.
    package let u: Double
    /// p₀, the chance of a U as great where nothing has changed; 0…1.
    package let pZero: Double
    /// p_m, the same where the candidate has become worse by h·m; 0…1.
    package let pMargin: Double
    /// The mirror of `pMargin`: the chance of a U as small where the candidate has become better by h·m; 0…1.
    package let pImproved: Double
    /// p_min, the smallest p that these sizes can give; 0…1.
    package let pMin: Double
    /// The shares of samples over the limit and over the baseline's 99th percentile; empty where only ranks are compared.
    package let shares: [ShareTest]
    /// α_f and the number of comparisons that it comes from.
    package let significance: Significance

    /// Compares all samples of both sides; throws `StatsError.noSamples` where a side is empty.
    package init(baseline: MeasuredRuns, candidate: MeasuredRuns, terms: Terms) throws(StatsError) {
        let sizes = (baseline.pooled.count, candidate.pooled.count)
        let untied = UntiedDistribution(sizes.0, sizes.1)
        let b = terms.better.turned(baseline.pooled)
        let c = terms.better.turned(candidate.pooled)
        try self.init(
            baseline, candidate, terms: terms, test: .pooled(b, c, untied: untied),
            estimate: ShiftEstimate(baseline: baseline.pooled, candidate: candidate.pooled, untied: untied),
            strata: [PairedRuns.Stratum(baseline: baseline.pooled, candidate: candidate.pooled)], pairs: 0,
            pMin: MannWhitney.smallestProbability(baseline: sizes.0, candidate: sizes.1))
    }

    /// Compares runs that were measured in turn, each pair for itself.
    package init(_ paired: PairedRuns, terms: Terms) throws(StatsError) {
        let strata = paired.strata.map {
            PairedRuns.Stratum(
                baseline: terms.better.turned($0.baseline), candidate: terms.better.turned($0.candidate))
        }
        try self.init(
            paired.baseline, paired.candidate, terms: terms, test: .paired(strata), estimate: ShiftEstimate(paired),
            strata: paired.strata, pairs: strata.count, pMin: StratifiedMannWhitney(strata).smallestProbability)
    }

    private init(
        _ baseline: MeasuredRuns, _ candidate: MeasuredRuns, terms: Terms, test: RankTest, estimate: ShiftEstimate,
        strata: [PairedRuns.Stratum], pairs: Int, pMin: Double
    ) throws(StatsError) {
        guard let before = baseline.pooled.centre(terms.centre), let median = baseline.pooled.median else {
            throw .noSamples(side: .baseline)
        }
        guard let after = candidate.pooled.centre(terms.centre) else { throw .noSamples(side: .candidate) }
        design = Design(
            baselineSamples: baseline.pooled.count, baselineRuns: baseline.runs.count,
            candidateSamples: candidate.pooled.count, candidateRuns: candidate.runs.count, pairs: pairs)
        significance = terms.significance
        self.pMin = pMin
        self.estimate = estimate
        baselineCentre = before
        candidateCentre = after
        delta = (after - before).saturated
        worsening = terms.better == .lower ? delta : 0 - delta
        margin = terms.tolerance.margin(median: median)
        gap = Self.gap(baseline.pooled, candidate.pooled, terms.better)
        shares =
            terms.significance.comparesShares
            ? ShareTest.all(strata, baseline: baseline.pooled, limit: terms.limit, better: terms.better) : []

        let allowance = design.marginShare * margin
        let unshifted = try test.answer(shift: 0)
        u = unshifted.u
        pZero = unshifted.greater()
        pMargin = try test.answer(shift: allowance).greater()
        pImproved = try test.answer(shift: 0 - allowance).less()
    }

    private static func gap(_ baseline: SortedSamples, _ candidate: SortedSamples, _ better: Better) -> Double {
        let (b, c) = (baseline.values, candidate.values)
        return switch better {
        case .lower: ((c.first ?? 0) - (b.last ?? 0)).saturated
        case .higher: ((b.first ?? 0) - (c.last ?? 0)).saturated
        }
    }
}

extension Comparison {
    /// Whether chance doesn't explain that the candidate is worse: by the ranks, or by a share.
    package var isBeyondChance: Bool {
        pMargin <= significance.failing || shares.contains { $0.isBeyondChance(significance.ofShare) }
    }

    /// Whether another look is worth it: chance alone would seldom look so.
    package var isSuspect: Bool {
        ([pZero] + shares.map(\.p)).contains { $0 <= Significance.suspecting }
    }

    /// What a comparison needs to know besides the samples.
    package struct Terms: Equatable, Sendable {
        /// The change that is too small to matter.
        package let tolerance: Tolerance
        /// Which number stands for the middle of a sample.
        package let centre: Centre
        /// Which direction is the better one.
        package let better: Better
        /// How improbable a change must be.
        package let significance: Significance
        /// The limit that the samples of a count are held against, in their unit; `nil`: none.
        package let limit: Double?

        /// The terms of a comparison.
        package init(
            tolerance: Tolerance, centre: Centre, better: Better, significance: Significance, limit: Double? = nil
        ) {
            self.limit = limit
            self.tolerance = tolerance
            self.centre = centre
            self.better = better
            self.significance = significance
        }
    }

    /// Which direction is the better one.
    package enum Better: String, Sendable, CaseIterable {
        /// Less is better: times, dropped frames.
        case lower
        /// More is better: frames a second, scores.
        case higher

        /// The samples with their signs such that greater is worse.
        func turned(_ samples: SortedSamples) -> SortedSamples {
            self == .lower ? samples : samples.negated
        }
    }
}

/// The test that a comparison's chances come from: of all samples together, or pair of runs by pair of runs.
enum RankTest {
    /// Samples of both sides, greater being worse, with the distribution for their sizes where it is at hand.
    case pooled(SortedSamples, SortedSamples, untied: UntiedDistribution?)
    /// The samples of each pair, greater being worse.
    case paired([StratifiedMannWhitney.Stratum])

    /// What a test says at one shift.
    struct Answer {
        /// U, or the sum of the pairs' U.
        let u: Double
        /// The chance of a U as great, and of one as small.
        let greater, less: () -> Double
    }

    /// The test of `candidate − shift` against the baseline.
    func answer(shift: Double) throws(StatsError) -> Answer {
        switch self {
        case .pooled(let baseline, let candidate, let untied):
            let test = try MannWhitney(baseline: baseline, candidate: candidate, shift: shift, untied: untied)
            return Answer(u: test.u, greater: { test.probabilityOfGreater }, less: { test.probabilityOfLess })
        case .paired(let strata):
            let test = try StratifiedMannWhitney(strata, shift: shift)
            return Answer(u: test.u, greater: { test.probabilityOfGreater }, less: { test.probabilityOfLess })
        }
    }
}

/// The change that is too small to matter.
package struct Tolerance: Equatable, Sendable {
    /// As a share of the baseline's median, 0 or more: 0.1 is 10 %.
    package let relative: Double
    /// In the samples' unit, 0 or more: the least tolerance, whatever the median.
    package let absolute: Double

    /// Throws `StatsError.outOfRange` for a number below 0, NaN or infinity.
    package init(relative: Double, absolute: Double) throws(StatsError) {
        guard relative.isFinite, relative >= 0 else {
            throw .outOfRange(setting: "the relative tolerance", allowed: "a finite number of 0 or more")
        }
        guard absolute.isFinite, absolute >= 0 else {
            throw .outOfRange(setting: "the smallest change", allowed: "a finite number of 0 or more")
        }
        self.relative = relative
        self.absolute = absolute
    }

    /// m = max(relative·|median|, absolute), in the samples' unit; finite.
    package func margin(median: Double) -> Double {
        max(relative * abs(median), absolute).saturated
    }
}
