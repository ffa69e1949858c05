/// One cell's candidate against its baseline: all numbers behind a verdict, without the verdict. `delta` and `estimate` are
/// as measured; everything named worse, worsening or improved accounts for the better direction.
@dynamicMemberLookup
package struct Comparison: Equatable, Sendable {
    /// n_b, R, n_c and S, and the number of pairs.
    package let design: Design
    /// The difference of the centres, and the tolerance; its members are also those of the comparison.
    private let change: Change
    /// The distance of the candidate's best sample beyond the baseline's worst, in the samples' unit; above 0: for the worse.
    package let gap: Double
    /// The candidate's smallest sample, in the samples' unit.
    package let leastOfCandidate: Double
    /// The Hodges–Lehmann shift with its intervals, as measured.
    package let estimate: ShiftEstimate
    /// p₀, the probability of a U at least as large if nothing has changed, with U the number of pairs of samples in which
    /// the candidate is worse; 0…1. In the noise test, of such a ratio.
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
    /// (π/2)·σ²·(1/(n_b + ½) + 1/(n_c + ½))), without the shift of the runs; `nil` if τ is unknown, or if it is no time.
    package let standardScore: Double?
    /// Whether three of four candidate samples, without their run's shift, are worse than the baseline's median by m/2.
    package let isMostlyWorse: Bool
    /// The shares of samples over the limit and over the baseline's 99th percentile; empty if only ranks are compared.
    package let shares: [ShareTest]
    /// The shares of samples that take far longer than usual; empty except for times.
    package let slow: [SlowShare]
    package let significance: Significance

    /// Compares all samples of both sides; throws `StatsError.noSamples` if a side is empty.
    /// - Parameter unshifted: The samples without the common shifts of their runs; `nil`: as measured.
    /// - Parameter slow: The shares of a time's samples that take far longer than usual.
    package init(
        baseline: MeasuredRuns, candidate: MeasuredRuns, terms: Terms, unshifted: Unshifted? = nil,
        slow: [SlowShare] = []
    ) throws(StatsError) {
        let own = unshifted ?? Unshifted(baseline: baseline, worse: candidate, improved: candidate)
        let untied = UntiedDistribution(baseline.pooled.count, candidate.pooled.count)
        let isYoung = baseline.runs.count < Design.settledBaselineRuns
        let test: Test
        if isYoung, let noise = terms.noise?.young, let tested = NoiseTest(own, noise, least: terms.tolerance.absolute)
        {
            test = .noise(noise, tested.chances(noise))
        } else {
            let (before, after) = (terms.better.turned(own.baseline.pooled), terms.better.turned(own.worse.pooled))
            let improved = own.improved == own.worse ? after : terms.better.turned(own.improved.pooled)
            test = .ranks { shift throws(StatsError) in
                try MannWhitney(
                    baseline: before, candidate: shift < 0 ? improved : after, shift: shift, untied: untied)
            }
        }
        try self.init(
            baseline, candidate, own, terms: terms, test: test, slow: slow,
            estimate: ShiftEstimate(baseline: baseline.pooled, candidate: candidate.pooled, untied: untied),
            strata: [PairedRuns.Stratum(baseline: baseline.pooled, candidate: candidate.pooled)], pairs: 0)
    }

    /// Compares runs that were measured in turn, pair by pair, with the noise of the pairs for times; `nil`: by ranks.
    package init(_ paired: PairedRuns, terms: Terms, noise: PairNoise? = nil) throws(StatsError) {
        let (strata, least) = (paired.strata, terms.tolerance.absolute)
        var own = Unshifted(baseline: paired.baseline, worse: paired.candidate, improved: paired.candidate)
        var slow: [SlowShare] = []
        let test: Test
        if let noise {
            own = try paired.unshifted(noise)
            if terms.significance.comparesShares { slow = noise.slowShares(paired, least: least) }
            test = .noise(noise.terms(pairs: strata.count), noise.chances(paired, least: least))
        } else {
            let turned = strata.map {
                PairedRuns.Stratum(
                    baseline: terms.better.turned($0.baseline), candidate: terms.better.turned($0.candidate))
            }
            test = .ranks { shift throws(StatsError) in try StratifiedMannWhitney(turned, shift: shift) }
        }
        try self.init(
            paired.baseline, paired.candidate, own, terms: terms, test: test, slow: slow,
            estimate: ShiftEstimate(paired), strata: strata, pairs: strata.count)
    }

    private enum Test {
        /// Mann–Whitney's, of the candidate minus a shift; larger samples are worse.
        case ranks((_ shift: Double) throws(StatsError) -> any RankTest)
        /// Against the noise, without a shift.
        case noise(NoiseTest.Terms, NoiseTest.Chances)
    }

    private init(
        _ baseline: MeasuredRuns, _ candidate: MeasuredRuns, _ own: Unshifted, terms: Terms, test: Test,
        slow: [SlowShare], estimate: ShiftEstimate, strata: [PairedRuns.Stratum], pairs: Int
    ) throws(StatsError) {
        guard let change = Change(baseline: baseline, candidate: candidate, own, terms) else {
            throw .noSamples(side: baseline.pooled.count == 0 ? .baseline : .candidate)
        }
        design = Design(
            baselineSamples: baseline.pooled.count, baselineRuns: baseline.runs.count,
            candidateSamples: candidate.pooled.count, candidateRuns: candidate.runs.count, pairs: pairs)
        significance = terms.significance
        (self.estimate, self.slow, self.change) = (estimate, slow, change)
        leastOfCandidate = candidate.pooled.values.first ?? 0
        let (before, after) = (terms.better.turned(baseline.pooled), terms.better.turned(candidate.pooled))
        gap = ((after.values.first ?? 0) - (before.values.last ?? 0)).saturated
        let isSettled = pairs == 0 && design.baselineRuns >= Design.settledBaselineRuns
        let between = isSettled ? terms.noise?.allowedBetweenRuns ?? 0 : 0
        allowance = max(design.marginShare * change.margin, design.betweenRunsAllowance(between, change.median))
        standardScore = pairs > 0 ? nil : terms.noise?.score(of: own, terms)
        let half = change.margin / 2
        isMostlyWorse =
            pairs > 0
            ? PairedRuns.isMostlyWorse(strata, than: half, terms.better) : own.isMostlyWorse(than: half, terms.better)
        switch test {
        case .ranks(let test):
            (noise, pZero) = (nil, try test(0).probabilityOfGreater)
            pMargin = try test(allowance).probabilityOfGreater
            pImproved = try test(0 - allowance).probabilityOfLess
            pMin = StratifiedMannWhitney.smallestProbability(strata)
        case .noise(let used, let chances):
            (noise, pMin, pZero, pMargin, pImproved) = (used, 0, chances.worse, chances.worse, chances.improved)
        }
        // The noise of a time is known from other runs, or from the pairs.
        shares =
            terms.significance.comparesShares && terms.noise == nil && noise == nil
            ? ShareTest.all(strata, baseline: baseline.pooled, limit: terms.limit, better: terms.better) : []
    }

    /// Whether the candidate is worse beyond chance: by ranks, or by a share.
    package var isBeyondChance: Bool {
        pMargin <= significance.failing || shares.contains { $0.isBeyondChance(significance.ofShare) }
    }

    /// Whether another look is worthwhile: chance alone would rarely look like this.
    package var isSuspect: Bool { ([pZero] + shares.map(\.p)).contains { $0 <= Significance.suspecting } }

    package subscript<Value>(dynamicMember path: KeyPath<Change, Value>) -> Value { change[keyPath: path] }

    /// The difference of the centres of both sides, which needs no test; in the samples' unit.
    package struct Change: Equatable, Sendable {
        /// The baseline's median.
        let median: Double
        package let baselineCentre, candidateCentre: Double
        /// Δ = candidate − baseline, as measured.
        package let delta: Double
        /// Δ negated if higher is better: above 0 is worse.
        package let worsening: Double
        /// Δ for the worse, and for the better, after subtracting the shift of the runs.
        package let ownWorsening, ownImprovement: Double
        /// m, the tolerance around the baseline's median; 0 or more.
        package let margin: Double

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

        /// Whether the change for the worse, with or without the shift of the runs, exceeds the tolerance: only then may
        /// more runs show that it is worse.
        package var isOpen: Bool { max(worsening, ownWorsening) > margin }
    }

    /// The samples of both sides without the common shifts of their runs.
    package struct Unshifted: Equatable, Sendable {
        package let baseline: MeasuredRuns
        /// The candidate's, for testing whether it became worse, or improved.
        package let worse, improved: MeasuredRuns

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

    /// Lower is better for times and dropped frames, higher for frames per second and scores.
    package enum Better: String, Sendable, CaseIterable {
        case lower, higher

        /// The samples, negated if necessary so that larger is worse.
        func turned(_ samples: SortedSamples) -> SortedSamples { self == .lower ? samples : samples.negated }
    }
}
