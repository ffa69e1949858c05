import LibC

/// Whether a time differs from that of a young baseline by more than noise explains: a t test on the log ratio of the
/// medians, with the noise that all times of the run show together.
///
/// Runs of up to four don't tell by their order what runs differ by, and a rank test of few samples can't give a small
/// chance. Other times of the same runs do.
package struct NoiseTest: Equatable, Sendable {
    /// The noise that it goes by.
    package struct Terms: Hashable, Sendable {
        /// τ, what runs do to one time, in logarithms; above 0.
        package let betweenRuns: Double
        /// σ₀², the variance of samples within a run that times have in common, or σ² of the time's earlier epoch.
        package let commonVariance: Double
        /// For how many degrees of freedom `commonVariance` counts beside the time's own; `nil`: its own counts for nothing.
        package let commonDegrees: Double?
        /// The degrees of freedom of the test.
        package let degrees: Int

        /// The terms for a baseline of which nothing but these runs is known.
        package init(betweenRuns: Double, commonVariance: Double) {
            self.betweenRuns = betweenRuns
            self.commonVariance = commonVariance
            commonDegrees = Self.sharedDegrees
            degrees = 10
        }

        /// The terms where an earlier epoch of the time showed its noise.
        package init(earlier: Noise) {
            betweenRuns = max(earlier.betweenRuns ?? Noise.assumedBetweenRuns, Self.leastBetweenRuns)
            let within = earlier.withinRun ?? Self.assumedWithinRun
            commonVariance = within * within
            commonDegrees = nil
            degrees = Self.degreesOfEarlier
        }

        /// The terms of a test of so many degrees, as a report keeps them.
        ///
        /// - Parameter withinRun: The square root of `commonVariance`, 0 or more.
        package init(betweenRuns: Double, withinRun: Double, degrees: Int) {
            self.betweenRuns = betweenRuns
            commonVariance = withinRun * withinRun
            commonDegrees = degrees == Self.degreesOfEarlier ? nil : Self.sharedDegrees
            self.degrees = degrees
        }

        /// The degrees of a test that goes by an earlier epoch.
        static let degreesOfEarlier = 20
        /// For how many degrees the common variance counts.
        static let sharedDegrees = 4.0
        /// The least τ that is believed of an earlier epoch.
        static let leastBetweenRuns = 0.01
        /// The τ of a time where no common shift of the runs could be taken out.
        package static let unshiftedBetweenRuns = 0.045
        /// The least τ of a time, where one could.
        package static let shiftedBetweenRuns = 0.03
        /// The σ to assume where no run has two samples.
        package static let assumedWithinRun = 0.08
    }

    /// q = ln(median C / median B).
    let logRatio: Double
    /// (π/2)·v·(1 / (n_b + ½) + 1 / (n_c + ½)): what the medians of so few samples differ by, as a variance.
    let sampling: Double
    /// 1/R + 1/S, by which τ² is multiplied.
    let runsShare: Double
    /// U of the same samples, in pairs of samples.
    let u: Double
    private let worseRatio: Double
    private let improvedRatio: Double

    /// Measures a time by its runs, their common shift taken out; `nil` where a side is empty.
    ///
    /// - Parameters:
    ///   - least: Lesser values count as it, in the samples' unit; above 0.
    ///   - improved: The candidate as it is asked whether it improved.
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

    /// (π/2)·v·(1 / (n_b + ½) + 1 / (n_c + ½)); v is σ₀², or σ² shrunk to it where that counts for some degrees: G. K. Smyth,
    /// Stat. Appl. Genet. Mol. Biol. 3 (2004), article 3.
    fileprivate static func sampling(
        _ own: WithinRun?, common: Double, _ commonDegrees: Double?, _ baselineSamples: Int, _ candidateSamples: Int
    ) -> Double {
        var variance = common
        if let commonDegrees, let own {
            variance = (commonDegrees * common + own.degrees * own.variance) / (commonDegrees + own.degrees)
        }
        return Double.pi / 2 * variance * (1 / (Double(baselineSamples) + 0.5) + 1 / (Double(candidateSamples) + 0.5))
    }

    /// The same with the noise that it goes by.
    init?(_ own: Comparison.Unshifted, _ terms: Terms, least: Double) {
        self.init(
            own.baseline, worse: own.worse, improved: own.improved, commonVariance: terms.commonVariance,
            commonDegrees: terms.commonDegrees, least: Self.least(own.baseline, least))
    }

    /// The chances of a change as great, and of one as much for the better, where nothing has changed.
    func chances(_ terms: Terms) -> (worse: Double, improved: Double) {
        let error = (terms.betweenRuns * terms.betweenRuns * runsShare + sampling).squareRoot()
        return (
            StudentT.upperTail(worseRatio / error, freedom: Double(terms.degrees)),
            StudentT.upperTail(-improvedRatio / error, freedom: Double(terms.degrees))
        )
    }
}

extension NoiseTest.Terms {
    /// t(α)·SE, the log ratio of the medians from which on the test rejects, for a time that varies by σ within a run;
    /// above 0.
    package func threshold(of alpha: Double, withinRun: Double, _ design: Design) -> Double {
        StudentT.upperQuantile(alpha, freedom: Double(degrees)) * error(betweenRuns, withinRun: withinRun, design)
    }

    /// SE = √(τ²·(1/R + 1/S) + sampling), for a time whose runs differ by τ.
    func error(_ betweenRuns: Double, withinRun: Double, _ design: Design) -> Double {
        let runs = 1 / Double(design.baselineRuns) + 1 / Double(design.candidateRuns)
        return (betweenRuns * betweenRuns * runs + sampling(withinRun: withinRun, design)).squareRoot()
    }

    /// `NoiseTest.sampling` of a design, for a time that varies by σ within a run.
    private func sampling(withinRun: Double, _ design: Design) -> Double {
        let free = design.baselineSamples + design.candidateSamples - design.baselineRuns - design.candidateRuns
        return NoiseTest.sampling(
            free > 0 ? WithinRun(deviation: withinRun, degrees: 0.6 * Double(free)) : nil, common: commonVariance,
            commonDegrees, design.baselineSamples, design.candidateSamples)
    }
}

extension NoiseTest {
    /// τ of the times of a run, by what their ratios to a baseline differ by: τ² = max(.03², (MAD² of q − the median of
    /// the sampling variances) / (1/R + 1/S)), where their common shift was taken out.
    static func betweenRuns(_ tests: [NoiseTest]) -> Double? {
        guard let centre = Noise.median(tests.map(\.logRatio)),
            let deviation = Noise.median(tests.map { abs($0.logRatio - centre) }),
            let sampling = Noise.median(tests.map(\.sampling)), let share = Noise.median(tests.map(\.runsShare))
        else { return nil }
        let spread = 1.4826 * deviation
        let least = Terms.shiftedBetweenRuns
        return max(least * least, (spread * spread - sampling) / share).squareRoot()
    }
}

/// What the times of a run and its baseline tell of each other's noise.
package struct CommonNoise: Equatable, Sendable {
    /// One time on both sides, the common shift of the runs taken out.
    package struct Time: Sendable {
        /// The baseline's runs.
        package let baseline: MeasuredRuns
        /// The candidate's; `nil` where it wasn't measured.
        package let candidate: MeasuredRuns?
        /// The smallest change that matters, in the samples' unit.
        package let least: Double

        /// Makes a time of its parts.
        package init(baseline: MeasuredRuns, candidate: MeasuredRuns?, least: Double) {
            self.baseline = baseline
            self.candidate = candidate
            self.least = least
        }
    }

    /// τ of times with a settled baseline; `nil` where none is.
    package let settledBetweenRuns: Double?
    /// τ of times with a young baseline; above 0.
    package let youngBetweenRuns: Double
    /// σ₀², the median of σ² over the times.
    package let commonVariance: Double

    /// Measures the noise of times.
    ///
    /// - Parameter isShifted: Whether the common shift of the runs was taken out of them; without a candidate, whether it will
    ///   be.
    package init(_ times: [Time], isShifted: Bool) {
        let settled = times.map(\.baseline).filter { $0.runs.count >= Design.settledBaselineRuns }
        settledBetweenRuns = Noise.betweenRuns(of: settled)
        let variances = times.compactMap {
            WithinRun($0.baseline.runs + ($0.candidate?.runs ?? []), least: NoiseTest.least($0.baseline, $0.least))?
                .variance
        }
        let assumed = NoiseTest.Terms.assumedWithinRun
        let common = Noise.median(variances) ?? assumed * assumed
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
                Noise.betweenRuns(of: times.map(\.baseline)) ?? Noise.assumedBetweenRuns)
            : NoiseTest.Terms.unshiftedBetweenRuns
        youngBetweenRuns = NoiseTest.betweenRuns(tests) ?? expected
    }

    /// What a time with a young baseline is tested by.
    package var young: NoiseTest.Terms {
        NoiseTest.Terms(betweenRuns: youngBetweenRuns, commonVariance: commonVariance)
    }
}

extension NoiseTest {
    /// What lesser values count as: the smallest change that matters, or a thousandth of the baseline's median where that
    /// is more. Differences below it are none, and a value of 0 has a logarithm.
    static func least(_ baseline: MeasuredRuns, _ smallestChange: Double) -> Double {
        max(smallestChange, (baseline.pooled.median ?? 0) / 1_000, 1e-9)
    }
}
