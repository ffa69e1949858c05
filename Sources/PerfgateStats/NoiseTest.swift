import LibC

/// Whether a time differs from that of a young baseline by more than noise explains: a t test on the log ratio of the
/// medians, with the common noise of all times in the run.
///
/// Up to four runs don't show by their order how much runs differ, and a rank test of few samples can't give a small
/// p-value. Other times of the same runs show it.
package struct NoiseTest: Equatable, Sendable {
    package struct Terms: Hashable, Sendable {
        /// τ, the variation between runs of one time, in logarithms; above 0.
        package let betweenRuns: Double
        /// σ₀², the common variance of samples within a run, or σ² of the time's earlier epoch.
        package let commonVariance: Double
        /// The degrees of freedom of `commonVariance` beside the time's own; `nil`: the time's own variance isn't used.
        package let commonDegrees: Double?
        package let degrees: Int

        /// The terms for a baseline with nothing known except these runs.
        package init(betweenRuns: Double, commonVariance: Double) {
            (self.betweenRuns, self.commonVariance) = (betweenRuns, commonVariance)
            commonDegrees = Self.sharedDegrees
            degrees = 10
        }

        /// The terms with known noise of an earlier epoch of the time.
        package init(earlier: Noise) {
            betweenRuns = max(earlier.betweenRuns ?? Noise.assumedBetweenRuns, Self.leastBetweenRuns)
            let within = earlier.withinRun ?? Self.assumedWithinRun
            commonVariance = within * within
            commonDegrees = nil
            degrees = Self.degreesOfEarlier
        }

        /// The terms with a time's own noise σ, 0 or more; the common variance isn't used.
        init(ownBetweenRuns: Double, withinRun: Double) {
            self.init(betweenRuns: ownBetweenRuns, withinRun: withinRun, degrees: Self.degreesOfEarlier)
        }

        /// The same terms with another τ, above 0.
        func with(betweenRuns: Double) -> Terms { Terms(betweenRuns, commonVariance, commonDegrees, degrees) }

        private init(_ betweenRuns: Double, _ commonVariance: Double, _ commonDegrees: Double?, _ degrees: Int) {
            (self.betweenRuns, self.commonVariance, self.commonDegrees) = (betweenRuns, commonVariance, commonDegrees)
            self.degrees = degrees
        }

        /// The terms as stored in a report; `withinRun` is the square root of `commonVariance`, 0 or more.
        package init(betweenRuns: Double, withinRun: Double, degrees: Int) {
            self.betweenRuns = betweenRuns
            commonVariance = withinRun * withinRun
            commonDegrees = degrees == Self.degreesOfEarlier ? nil : Self.sharedDegrees
            self.degrees = degrees
        }

        /// The degrees of freedom with noise from an earlier epoch.
        static let degreesOfEarlier = 20
        /// The degrees of freedom of the common variance.
        static let sharedDegrees = 4.0
        /// The smallest τ accepted from an earlier epoch.
        static let leastBetweenRuns = 0.01
        /// The τ of a time if no common shift of the runs could be subtracted.
        package static let unshiftedBetweenRuns = 0.045
        /// The smallest τ of a time if it could.
        package static let shiftedBetweenRuns = 0.03
        /// The assumed σ if no run has two samples.
        package static let assumedWithinRun = 0.08
    }

    /// q = ln(median C / median B).
    let logRatio: Double
    /// (π/2)·v·(1 / (n_b + ½) + 1 / (n_c + ½)): the sampling variance of the medians.
    let sampling: Double
    /// 1/R + 1/S, the factor of τ².
    let runsShare: Double
    /// U of the same samples, in pairs of samples.
    let u: Double
    private let worseRatio: Double
    private let improvedRatio: Double

    /// Measures a time by its runs, without their common shift; `nil` if a side is empty.
    /// - Parameter least: Smaller values are raised to it, in the samples' unit; above 0.
    /// - Parameter improved: The candidate for testing whether it improved.
    init?(
        _ baseline: MeasuredRuns, worse: MeasuredRuns, improved: MeasuredRuns, commonVariance: Double,
        commonDegrees: Double?, least: Double
    ) {
        guard let before = baseline.pooled.median, let after = worse.pooled.median, let other = improved.pooled.median
        else { return nil }
        func ratio(_ value: Double) -> Double { log(max(value, least)) - log(max(before, least)) }
        logRatio = ratio(after)
        (worseRatio, improvedRatio) = (logRatio, ratio(other))
        u = (try? MannWhitney(baseline: baseline.pooled, candidate: worse.pooled))?.u ?? 0
        sampling = Self.sampling(
            WithinRun(baseline.runs + worse.runs, least: least), common: commonVariance, commonDegrees,
            baseline.pooled.count, worse.pooled.count)
        runsShare = 1 / Double(baseline.runs.count) + 1 / Double(worse.runs.count)
    }

    /// (π/2)·v·(1 / (n_b + ½) + 1 / (n_c + ½)); v is σ₀², or σ² shrunk towards it if σ₀² has degrees of freedom: G. K.
    /// Smyth, Stat. Appl. Genet. Mol. Biol. 3 (2004), article 3.
    static func sampling(
        _ own: WithinRun?, common: Double, _ commonDegrees: Double?, _ baselineSamples: Int, _ candidateSamples: Int
    ) -> Double {
        var variance = common
        if let commonDegrees, let own {
            variance = (commonDegrees * common + own.degrees * own.variance) / (commonDegrees + own.degrees)
        }
        return Double.pi / 2 * variance * (1 / (Double(baselineSamples) + 0.5) + 1 / (Double(candidateSamples) + 0.5))
    }

    init?(_ own: Comparison.Unshifted, _ terms: Terms, least: Double) {
        self.init(
            own.baseline, worse: own.worse, improved: own.improved, commonVariance: terms.commonVariance,
            commonDegrees: terms.commonDegrees, least: Self.least(own.baseline, least))
    }

    /// The log ratio for the worse in standard errors.
    func standardScore(_ terms: Terms) -> Double {
        worseRatio / max((terms.betweenRuns * terms.betweenRuns * runsShare + sampling).squareRoot(), 1e-12)
    }

    /// The probabilities of a change at least as large, for the worse and for the better, if nothing has changed.
    func chances(_ terms: Terms) -> (worse: Double, improved: Double) {
        let error = (terms.betweenRuns * terms.betweenRuns * runsShare + sampling).squareRoot()
        return (
            StudentT.upperTail(worseRatio / error, freedom: Double(terms.degrees)),
            StudentT.upperTail(-improvedRatio / error, freedom: Double(terms.degrees))
        )
    }
}

extension NoiseTest.Terms {
    /// t(α)·SE, the log ratio of the medians from which the test rejects, for a time with σ within a run; above 0.
    package func threshold(of alpha: Double, withinRun: Double, _ design: Design) -> Double {
        StudentT.upperQuantile(alpha, freedom: Double(degrees)) * error(betweenRuns, withinRun: withinRun, design)
    }

    /// SE = √(τ²·(1/R + 1/S) + sampling), for a time with τ between runs.
    func error(_ betweenRuns: Double, withinRun: Double, _ design: Design) -> Double {
        let runs = 1 / Double(design.baselineRuns) + 1 / Double(design.candidateRuns)
        return (betweenRuns * betweenRuns * runs + sampling(withinRun: withinRun, design)).squareRoot()
    }

    /// `NoiseTest.sampling` of a design, for a time with σ within a run.
    private func sampling(withinRun: Double, _ design: Design) -> Double {
        let free = design.baselineSamples + design.candidateSamples - design.baselineRuns - design.candidateRuns
        return NoiseTest.sampling(
            free > 0 ? WithinRun(deviation: withinRun, degrees: 0.6 * Double(free)) : nil, common: commonVariance,
            commonDegrees, design.baselineSamples, design.candidateSamples)
    }
}

extension NoiseTest {
    /// τ of a run's times, from the variation of their ratios to a baseline: τ² = max(.03², (MAD² of q − the median of
    /// the sampling variances) / (1/R + 1/S)), after subtracting their common shift.
    static func betweenRuns(_ tests: [NoiseTest]) -> Double? {
        guard let centre = tests.map(\.logRatio).median,
            let deviation = tests.map({ abs($0.logRatio - centre) }).median,
            let sampling = tests.map(\.sampling).median, let share = tests.map(\.runsShare).median
        else { return nil }
        let spread = 1.4826 * deviation
        let least = Terms.shiftedBetweenRuns
        return max(least * least, (spread * spread - sampling) / share).squareRoot()
    }
}

package struct CommonNoise: Equatable, Sendable {
    /// One time on both sides, without the common shift of the runs.
    package struct Time: Sendable {
        let series: Noise.Series
        package let candidate: MeasuredRuns?
        /// The smallest change that matters, in the samples' unit.
        package let least: Double

        package init(baseline: Noise.Series, candidate: MeasuredRuns?, least: Double) {
            (series, self.candidate, self.least) = (baseline, candidate, least)
        }

        var baseline: MeasuredRuns { series.measured }
    }

    /// τ of times with a settled baseline; `nil` if there are none.
    package let settledBetweenRuns: Double?
    /// τ of times with a young baseline; above 0.
    package let youngBetweenRuns: Double
    /// σ₀², the median of σ² over the times.
    package let commonVariance: Double

    /// Measures the noise of times.
    /// - Parameter isShifted: Whether the common shift of the runs was subtracted; without a candidate, whether it
    ///   will be.
    package init(_ times: [Time], isShifted: Bool) {
        settledBetweenRuns = Noise.betweenRuns(
            of: times.map(\.series).filter { $0.count >= Design.settledBaselineRuns })
        let variances = times.compactMap {
            WithinRun($0.baseline.runs + ($0.candidate?.runs ?? []), least: NoiseTest.least($0.baseline, $0.least))?
                .variance
        }
        let assumed = NoiseTest.Terms.assumedWithinRun
        let common = variances.median ?? assumed * assumed
        commonVariance = common
        let isAsked = isShifted && times.contains { $0.baseline.runs.count < Design.settledBaselineRuns }
        let tests =
            !isAsked
            ? []
            : times.compactMap { time in
                time.candidate.flatMap {
                    NoiseTest(
                        time.baseline, worse: $0, improved: $0, commonVariance: common,
                        commonDegrees: NoiseTest.Terms.sharedDegrees, least: NoiseTest.least(time.baseline, time.least))
                }
            }
        let isMeasured = times.contains { $0.candidate != nil }
        let expected =
            isShifted && !isMeasured
            ? max(
                NoiseTest.Terms.shiftedBetweenRuns,
                Noise.betweenRuns(of: times.map(\.series)) ?? Noise.assumedBetweenRuns)
            : NoiseTest.Terms.unshiftedBetweenRuns
        let young = NoiseTest.betweenRuns(tests) ?? expected
        // Where many pages changed, their ratios vary more than runs do; settled times beside them show how much runs do.
        let most = settledBetweenRuns.map { 2 * max($0, NoiseTest.Terms.shiftedBetweenRuns) }
        youngBetweenRuns = min(young, most ?? young)
    }

    package var young: NoiseTest.Terms {
        NoiseTest.Terms(betweenRuns: youngBetweenRuns, commonVariance: commonVariance)
    }
}

extension NoiseTest {
    /// The value to which smaller values are raised: the smallest change that matters, or a thousandth of the
    /// baseline's median if that is larger. Smaller differences don't matter, and a value of 0 gets a logarithm.
    static func least(_ baseline: MeasuredRuns, _ smallestChange: Double) -> Double {
        max(smallestChange, (baseline.pooled.median ?? 0) / 1_000, 1e-9)
    }
}
