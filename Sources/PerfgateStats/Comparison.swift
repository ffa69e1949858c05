/// One cell's candidate against its baseline: all numbers behind a verdict, without the verdict.
///
/// Only this type applies the direction: `delta` and `estimate` are as measured, while everything named worse,
/// worsening or improved accounts for the better direction.
package struct Comparison: Equatable, Sendable {
    /// n_b, R, n_c and S, and the number of pairs.
    package let design: Design
    /// The difference of the centres, and the tolerance.
    private let change: Change
    /// The distance of the candidate's best sample beyond the baseline's worst, in the samples' unit; above 0 if every
    /// candidate sample is worse than every baseline sample.
    package let gap: Double
    /// The candidate's smallest sample, in the samples' unit.
    package let leastOfCandidate: Double
    /// The Hodges–Lehmann shift with its intervals, as measured.
    package let estimate: ShiftEstimate
    /// U, in pairs of samples, 0…n_b·n_c in steps of ½: the number in which the candidate is worse; ties count half.
    /// For runs measured in turn, the sum over their pairs.
    package let u: Double
    /// p₀, the probability of a U at least as large if nothing has changed; 0…1. In the noise test, of such a ratio.
    package let pZero: Double
    /// p_m, the same if the candidate is worse by `allowance`; 0…1. In the noise test, p₀.
    package let pMargin: Double
    /// The mirror of `pMargin`: probability of a U at most as large if the candidate is better by the allowance; 0…1.
    package let pImproved: Double
    /// p_min, the smallest p that these sizes can give; 0…1. In the noise test, 0.
    package let pMin: Double
    /// The noise behind the probabilities; `nil`: they come from Mann–Whitney's ranks. The choice depends on the
    /// metric and the number of runs, never on the samples.
    package let noise: NoiseTest.Terms?
    /// The assumed change, in the samples' unit, 0 or more: h·m, or the differences between runs if they are larger.
    package let allowance: Double
    /// z, the distance of the medians for the worse in standard errors: ln(median C / median B) / √(τ²·(1/R + 1/S) +
    /// (π/2)·σ²·(1/(n_b + ½) + 1/(n_c + ½))), after subtracting the shift of the runs; `nil` if τ is unknown, as for
    /// everything but times.
    package let standardScore: Double?
    /// Whether three of four of the candidate's samples are worse than the baseline's median by more than half the
    /// tolerance, after subtracting the shift of the runs.
    package let isMostlyWorse: Bool
    /// The shares of samples over the limit and over the baseline's 99th percentile; empty if only ranks are compared.
    package let shares: [ShareTest]
    /// The shares of samples that take far longer than usual; empty except for times.
    package let slow: [SlowShare]
    /// α_f and the number of comparisons behind it.
    package let significance: Significance

    /// Compares all samples of both sides; throws `StatsError.noSamples` if a side is empty.
    /// - Parameter unshifted: The samples without the common shifts of their runs; `nil`: as measured.
    /// - Parameter slow: The shares of a time's samples that take far longer than usual.
    package init(
        baseline: MeasuredRuns, candidate: MeasuredRuns, terms: Terms, unshifted: Unshifted? = nil,
        slow: [SlowShare] = []
    ) throws(StatsError) {
        let sizes = (baseline.pooled.count, candidate.pooled.count)
        let untied = UntiedDistribution(sizes.0, sizes.1)
        let own = unshifted ?? Unshifted(baseline: baseline, worse: candidate, improved: candidate)
        let isYoung = baseline.runs.count < Design.settledBaselineRuns
        let test: RankTest
        if isYoung, let noise = terms.noise?.young, let tested = NoiseTest(own, noise, least: terms.tolerance.absolute)
        {
            test = .noise(tested, noise)
        } else {
            test = .pooled(
                terms.better.turned(own.baseline.pooled), terms.better.turned(own.worse.pooled),
                improved: own.improved == own.worse ? nil : terms.better.turned(own.improved.pooled), untied: untied)
        }
        try self.init(
            baseline, candidate, own, terms: terms, test: test, slow: slow,
            estimate: ShiftEstimate(baseline: baseline.pooled, candidate: candidate.pooled, untied: untied),
            strata: [PairedRuns.Stratum(baseline: baseline.pooled, candidate: candidate.pooled)], pairs: 0,
            pMin: test.noise == nil ? MannWhitney.smallestProbability(baseline: sizes.0, candidate: sizes.1) : 0)
    }

    /// Compares runs that were measured in turn, pair by pair, with the noise of the pairs for times; `nil`: by ranks.
    package init(_ paired: PairedRuns, terms: Terms, noise: PairNoise? = nil) throws(StatsError) {
        if let noise {
            try self.init(
                paired.baseline, paired.candidate, try paired.unshifted(noise), terms: terms,
                test: .turns(paired, noise, least: terms.tolerance.absolute),
                slow: terms.significance.comparesShares
                    ? noise.slowShares(paired, least: terms.tolerance.absolute) : [],
                estimate: ShiftEstimate(paired),
                strata: paired.strata, pairs: paired.strata.count, pMin: 0)
            return
        }
        let strata = paired.strata.map {
            PairedRuns.Stratum(baseline: terms.better.turned($0.baseline), candidate: terms.better.turned($0.candidate))
        }
        let own = Unshifted(baseline: paired.baseline, worse: paired.candidate, improved: paired.candidate)
        try self.init(
            paired.baseline, paired.candidate, own, terms: terms, test: .paired(strata),
            estimate: ShiftEstimate(paired),
            strata: paired.strata, pairs: strata.count, pMin: StratifiedMannWhitney(strata).smallestProbability)
    }

    private init(
        _ baseline: MeasuredRuns, _ candidate: MeasuredRuns, _ own: Unshifted, terms: Terms, test: RankTest,
        slow: [SlowShare] = [], estimate: ShiftEstimate, strata: [PairedRuns.Stratum], pairs: Int, pMin: Double
    ) throws(StatsError) {
        guard let change = Change(baseline: baseline, candidate: candidate, own, terms) else {
            throw .noSamples(side: baseline.pooled.count == 0 ? .baseline : .candidate)
        }
        design = Design(
            baselineSamples: baseline.pooled.count, baselineRuns: baseline.runs.count,
            candidateSamples: candidate.pooled.count, candidateRuns: candidate.runs.count, pairs: pairs)
        significance = terms.significance
        (self.pMin, self.estimate, self.slow, self.change) = (pMin, estimate, slow, change)
        let median = change.median
        leastOfCandidate = candidate.pooled.values.first ?? 0
        gap = Self.gap(baseline.pooled, candidate.pooled, terms.better)
        // The noise of a time is known from other runs, or from the pairs.
        shares =
            terms.significance.comparesShares && terms.noise == nil && test.noise == nil
            ? ShareTest.all(strata, baseline: baseline.pooled, limit: terms.limit, better: terms.better) : []

        let between = pairs > 0 ? nil : terms.noise?.allowedBetweenRuns
        allowance = max(
            design.marginShare * change.margin,
            design.baselineRuns >= Design.settledBaselineRuns ? design.betweenRunsAllowance(between ?? 0, median) : 0)
        standardScore = pairs > 0 ? nil : terms.noise?.score(of: own, terms)
        isMostlyWorse =
            pairs > 0
            ? PairedRuns.isMostlyWorse(strata, than: change.margin / 2, terms.better)
            : own.isMostlyWorse(than: change.margin / 2, terms.better)
        noise = test.noise
        let answer = try test.answer(shift: 0)
        u = answer.u
        pZero = answer.greater()
        if noise != nil {
            (pMargin, pImproved) = (pZero, answer.less())
        } else {
            pMargin = try test.answer(shift: allowance).greater()
            pImproved = try test.answer(shift: 0 - allowance).less()
        }
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
    /// Whether the candidate is worse beyond chance: by ranks, or by a share.
    package var isBeyondChance: Bool {
        pMargin <= significance.failing || shares.contains { $0.isBeyondChance(significance.ofShare) }
    }

    /// Whether another look is worthwhile: chance alone would rarely look like this.
    package var isSuspect: Bool { ([pZero] + shares.map(\.p)).contains { $0 <= Significance.suspecting } }

    /// The baseline's centre, in the samples' unit.
    package var baselineCentre: Double { change.baselineCentre }
    /// The candidate's centre, in the samples' unit.
    package var candidateCentre: Double { change.candidateCentre }
    /// Δ negated if higher is better, in the samples' unit: above 0 is worse.
    package var delta: Double { change.delta }
    /// Δ for the worse after subtracting the shift of the runs, in the samples' unit.
    package var worsening: Double { change.worsening }
    /// Δ for the better after subtracting the shift of the runs, in the samples' unit.
    package var ownWorsening: Double { change.ownWorsening }
    /// Δ towards better once the shift of the runs is taken out, in the samples' unit.
    package var ownImprovement: Double { change.ownImprovement }
    /// m, the tolerance around the baseline's median, in the samples' unit; 0 or more.
    package var margin: Double { change.margin }
    /// Whether the change for the worse, with or without the shift of the runs, exceeds the tolerance: only then may
    /// more runs show that it is worse.
    package var isOpen: Bool { change.isOpen }

    /// The difference of the centres of both sides, which needs no test.
    package struct Change: Equatable, Sendable {
        /// The baseline's median, in the samples' unit.
        let median: Double
        let baselineCentre, candidateCentre, delta, worsening, ownWorsening, ownImprovement, margin: Double

        /// `nil` if a side is empty. `own` are the samples without the shift of their runs; `nil`: as measured.
        package init?(baseline: MeasuredRuns, candidate: MeasuredRuns, _ own: Unshifted?, _ terms: Terms) {
            guard let before = baseline.pooled.centre(terms.centre), let median = baseline.pooled.median,
                let after = candidate.pooled.centre(terms.centre)
            else { return nil }
            self.median = median
            (baselineCentre, candidateCentre) = (before, after)
            delta = (after - before).saturated
            let sign = terms.better == .lower ? 1.0 : -1
            worsening = sign > 0 ? delta : 0 - delta
            let ownBefore = own?.baseline.pooled.centre(terms.centre) ?? before
            ownWorsening = sign * ((own?.worse.pooled.centre(terms.centre) ?? after) - ownBefore).saturated
            ownImprovement = 0 - sign * ((own?.improved.pooled.centre(terms.centre) ?? after) - ownBefore).saturated
            margin = terms.tolerance.margin(median: median)
        }

        /// Whether it exceeds the tolerance for the worse, with or without the shift of the runs.
        package var isOpen: Bool { max(worsening, ownWorsening) > margin }
    }

    /// The samples of both sides without the common shifts of their runs.
    package struct Unshifted: Equatable, Sendable {
        package let baseline: MeasuredRuns
        /// The candidate's, for testing whether it became worse.
        package let worse: MeasuredRuns
        /// The candidate's, for testing whether it improved.
        package let improved: MeasuredRuns

        package init(baseline: MeasuredRuns, worse: MeasuredRuns, improved: MeasuredRuns) {
            (self.baseline, self.worse, self.improved) = (baseline, worse, improved)
        }

        /// Whether three of four of the candidate's samples are worse than the baseline's median by more than
        /// `distance`, in the samples' unit.
        package func isMostlyWorse(than distance: Double, _ better: Better) -> Bool {
            let samples = better.turned(worse.pooled).values
            guard let median = better.turned(baseline.pooled).median, !samples.isEmpty else { return false }
            return samples[(samples.count + 3) / 4 - 1] > median + distance
        }
    }

    /// The settings of a comparison besides the samples.
    package struct Terms: Equatable, Sendable {
        package let tolerance: Tolerance
        package let centre: Centre
        package let better: Better
        package let significance: Significance
        /// The limit for the samples of a count, in their unit; `nil`: none.
        package let limit: Double?
        /// The known noise of times; `nil` for everything else.
        package let noise: KnownNoise?

        package init(
            tolerance: Tolerance, centre: Centre, better: Better, significance: Significance, limit: Double? = nil,
            noise: KnownNoise? = nil
        ) {
            (self.limit, self.noise, self.tolerance, self.centre) = (limit, noise, tolerance, centre)
            (self.better, self.significance) = (better, significance)
        }
    }

    package enum Better: String, Sendable, CaseIterable {
        /// Lower is better: times, dropped frames.
        case lower
        /// Higher is better: frames per second, scores.
        case higher

        /// The samples, negated if necessary so that larger is worse.
        func turned(_ samples: SortedSamples) -> SortedSamples { self == .lower ? samples : samples.negated }
    }
}
