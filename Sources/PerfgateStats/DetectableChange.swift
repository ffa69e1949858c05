import LibC

/// The smallest rise of a time that a comparison detects reliably: in about nine of ten runs.
///
/// In logarithms, with m_log = ln(1 + m / median): X = 1.25·max(m_log + 1.28·SE_t, a + z(α_f)·SE_w + 1.28·SE_t), a =
/// max(h·m_log, 3.2·τ₀·√(1/S + 1/R)) with τ₀ of all times together, SE_w = 1.023·σ·√(1/n_c + 1/n_b), SE_t = √(SE_w² +
/// τ²·(1/S + 1/R)). 1.28 is the normal quantile of nine in ten, √(π/3) the cost of ranks, and 1.25 fitted to simulations.
///
/// For a time with a young baseline, tested by noise, SE is from `NoiseTest`, SE = √(τ₀²·(1/R + 1/S) + (π/2)·v·(1/(n_b
/// + ½) + 1/(n_c + ½))), and X = max(m_log, t(α_f)·SE) + 1.28·SE_t, with t for the test's degrees of freedom. SE_t is
/// the same with max(τ, τ₀), for a time whose own runs differ more than the test assumes.
package struct DetectableChange: Equatable, Sendable {
    /// m_log, the tolerance in logarithms; 0 or more.
    package let tolerance: Double
    /// σ within a run, in logarithms; 0 or more.
    package let withinRun: Double
    /// τ between runs, in logarithms; 0 or more. If unknown, from the noise test or `Noise.assumedBetweenRuns`.
    package let betweenRuns: Double
    package let significance: Significance
    /// τ of all times together in logarithms, which the rule allows for with a settled baseline; 0 or more.
    package let allowed: Double
    /// The terms of the noise test for a young baseline; `nil`: ranks.
    package let young: NoiseTest.Terms?

    /// `nil` without known noise, or if the median isn't above 0: then X has no meaning, as for counts.
    package init?(
        noise: Noise, allowed: Double? = nil, young: NoiseTest.Terms? = nil, margin: Double, median: Double,
        significance: Significance
    ) {
        guard let withinRun = noise.withinRun ?? young.map({ $0.commonVariance.squareRoot() }), median > 0, margin >= 0
        else { return nil }
        (self.withinRun, self.young, self.significance) = (withinRun, young, significance)
        tolerance = log1p(margin / median)
        self.allowed = allowed ?? 0
        betweenRuns = noise.betweenRuns ?? young?.betweenRuns ?? Noise.assumedBetweenRuns
    }

    /// X as a fraction of the median, above 0: 0.2 is +20 %. `nil` if a side is empty or has no runs, or if samples of
    /// these sizes can't fail (p_min > α_f).
    package func relative(_ design: Design) -> Double? { canFail(design) ? logarithmic(design).map { expm1($0) } : nil }

    /// Whether samples of these sizes can fail.
    package func canFail(_ design: Design) -> Bool {
        terms(design) != nil || design.smallestProbability <= significance.failing
    }

    /// The terms of the noise test; `nil` if ranks decide.
    private func terms(_ design: Design) -> NoiseTest.Terms? {
        design.baselineRuns < Design.settledBaselineRuns && design.pairs == 0 ? young : nil
    }

    /// X in logarithms; `nil` if a side is empty or has no runs.
    package func logarithmic(_ design: Design) -> Double? {
        errors(design).map { (terms(design) == nil ? 1.25 : 1) * (threshold(design, $0) + 1.28 * $0.total) }
    }

    /// The approximate probability that an unchanged run fails, 0…1: 1 − Φ(max(m_log, h·m_log + z(α_f)·SE_w) / SE_t); in
    /// the noise test P(T ≥ max(m_log, t(α_f)·SE) / SE_t). `nil` if a side is empty or has no runs; 0 if it can't fail.
    package func falseAlarmChance(_ design: Design) -> Double? {
        errors(design).map { errors in
            guard errors.total > 0, canFail(design) else { return 0 }
            let distance = threshold(design, errors) / errors.total
            return terms(design).map { StudentT.upperTail(distance, freedom: Double($0.degrees)) }
                ?? Normal.upperTail(distance)
        }
    }

    /// SE_w, 0 in the noise test; and SE_t.
    private typealias Errors = (within: Double, total: Double)

    /// The rise at which a comparison fails on average: it exceeds the tolerance, and the test rejects.
    private func threshold(_ design: Design, _ errors: Errors) -> Double {
        if let terms = terms(design) {
            return max(tolerance, terms.threshold(of: significance.failing, withinRun: withinRun, design))
        }
        let between = design.baselineRuns >= Design.settledBaselineRuns ? allowed : 0
        let allowance = max(design.marginShare * tolerance, design.betweenRunsAllowance(between, 1))
        return max(tolerance, allowance - Normal.quantile(significance.failing) * errors.within)
    }

    /// `nil` if a side is empty or has no runs. Runs that were measured in turn share the differences between runs.
    private func errors(_ design: Design) -> Errors? {
        let sizes = [design.baselineSamples, design.candidateSamples, design.baselineRuns, design.candidateRuns]
        guard sizes.allSatisfy({ $0 > 0 }) else { return nil }
        if let terms = terms(design) {
            return (0, terms.error(max(betweenRuns, terms.betweenRuns), withinRun: withinRun, design))
        }
        let samples = 1 / Double(design.candidateSamples) + 1 / Double(design.baselineSamples)
        let within = 1.023 * withinRun * samples.squareRoot()
        let runs = design.pairs > 0 ? 0 : 1 / Double(design.candidateRuns) + 1 / Double(design.baselineRuns)
        return (within, (within * within + betweenRuns * betweenRuns * runs).squareRoot())
    }

    /// The fewest candidate samples, in the design's runs, that detect a rise by this fraction (0.2 is +20 %); `nil` if
    /// even `most` samples don't: then more runs are needed, or less noise.
    package func samplesNeeded(toFind share: Double, in design: Design, upTo most: Int = 1_000) -> Int? {
        func finds(_ samples: Int) -> Bool {
            var larger = design
            larger.candidateSamples = samples
            return relative(larger).map { $0 <= share } ?? false
        }
        let fewest = max(1, design.candidateRuns)
        return fewest <= most && finds(most) ? (fewest..<most).bisected(finds) : nil
    }
}

/// The numbers of compared samples and runs, and what follows from them alone.
package struct Design: Equatable, Hashable, Sendable {
    /// n_b and R, the baseline's samples and its runs with samples; 0 or more.
    package var baselineSamples, baselineRuns: Int
    /// n_c and S, the same of the candidate.
    package var candidateSamples, candidateRuns: Int
    /// The number of pairs of runs measured in turn; 0 if all samples are compared together.
    package var pairs: Int

    /// Makes a design of these sizes; values below 0 count as 0.
    package init(baselineSamples: Int, baselineRuns: Int, candidateSamples: Int, candidateRuns: Int, pairs: Int = 0) {
        (self.baselineSamples, self.baselineRuns) = (max(0, baselineSamples), max(0, baselineRuns))
        (self.candidateSamples, self.candidateRuns) = (max(0, candidateSamples), max(0, candidateRuns))
        self.pairs = max(0, pairs)
    }

    /// The number of baseline runs from which the test assumes half the tolerance instead of all of it.
    package static let settledBaselineRuns = 5

    /// h, the fraction of the tolerance that the test assumes: ½ for a settled baseline, and for runs in turn, which share
    /// their differences; else 1, which covers these.
    package var marginShare: Double { pairs > 0 || baselineRuns >= Self.settledBaselineRuns ? 0.5 : 1 }

    /// The design with at least `settledBaselineRuns` runs of as many samples each.
    package var settled: Design {
        guard baselineRuns < Self.settledBaselineRuns, baselineRuns > 0, pairs == 0 else { return self }
        var settled = self
        settled.baselineSamples = baselineSamples * Self.settledBaselineRuns / baselineRuns
        settled.baselineRuns = Self.settledBaselineRuns
        return settled
    }

    /// The allowance for runs that differ by a known τ: 3.2·τ·√(1/R + 1/S)·median, in the median's unit; 0 or more.
    package func betweenRunsAllowance(_ betweenRuns: Double, _ median: Double) -> Double {
        guard pairs == 0, baselineRuns > 0, candidateRuns > 0 else { return 0 }
        let share = (1 / Double(baselineRuns) + 1 / Double(candidateRuns)).squareRoot()
        return (3.2 * betweenRuns * share * abs(median)).saturated
    }

    /// The τ with this `betweenRunsAllowance`, in logarithms; 0 without an allowance.
    package func betweenRuns(ofAllowance allowance: Double, _ median: Double) -> Double {
        let unit = betweenRunsAllowance(1, median)
        return unit > 0 ? allowance / unit : 0
    }

    /// p_min, the smallest p that these sizes can give if all samples are compared together; 0…1.
    package var smallestProbability: Double {
        MannWhitney.smallestProbability(baseline: baselineSamples, candidate: candidateSamples)
    }

    /// The fewest candidate samples, at least this design's, that can reach a p-value against this baseline. `nil` if even
    /// `most` can't: then it needs more runs; and for pairs, where the sizes of each pair matter.
    package func candidateSamplesNeeded(toReach chance: Double, upTo most: Int = 100) -> Int? {
        guard pairs == 0 else { return nil }
        return (candidateSamples...max(candidateSamples, most)).first { samples in
            var larger = self
            larger.candidateSamples = samples
            return larger.smallestProbability <= chance
        }
    }
}

package struct Significance: Equatable, Sendable {
    /// M, the number of gated comparisons in the run; 1 or more.
    package let comparisons: Int
    /// Whether two shares are compared besides the ranks, as for counts: then each test has a part of the level.
    package let comparesShares: Bool
    /// How often the same comparisons are made while data arrive; 1 or more.
    package let looks: Int

    /// Numbers below 1 count as 1.
    package init(comparisons: Int, comparesShares: Bool = false, looks: Int = 1) {
        (self.comparisons, self.comparesShares, self.looks) = (max(1, comparisons), comparesShares, max(1, looks))
    }

    /// α_f = min(.005, 0.1 / M), the level of one comparison, above 0: by C. E. Bonferroni's bound, at most one in ten
    /// unchanged runs has a false alarm. Each look has an equal part.
    package var ofComparison: Double { min(0.005, 0.1 / Double(comparisons)) / Double(looks) }

    /// The level of the rank test: α_f, or .8·α_f where shares are compared too.
    package var failing: Double { comparesShares ? 0.8 * ofComparison : ofComparison }

    /// The level of each share: .1·α_f.
    package var ofShare: Double { 0.1 * ofComparison }

    /// α_s = .05: p-values up to this justify another look.
    package static let suspecting = 0.05
}

/// The smallest change that matters.
package struct Tolerance: Equatable, Sendable {
    /// As a fraction of the baseline's median, 0 or more: 0.1 is 10 %.
    package let relative: Double
    /// The smallest tolerance in the samples' unit, 0 or more.
    package let absolute: Double

    /// Throws `StatsError.outOfRange` for a number below 0, NaN or infinity.
    package init(relative: Double, absolute: Double) throws(StatsError) {
        for (value, setting) in [(relative, "the relative tolerance"), (absolute, "the smallest change")]
        where !value.isFinite || value < 0 {
            throw .outOfRange(setting: setting, allowed: "a finite number of 0 or more")
        }
        (self.relative, self.absolute) = (relative, absolute)
    }

    /// m = max(relative·|median|, absolute), in the samples' unit; finite.
    package func margin(median: Double) -> Double { max(relative * abs(median), absolute).saturated }
}
