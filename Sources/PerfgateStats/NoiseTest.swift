import LibC

/// Whether a time differs from that of a young baseline by more than noise explains: a t test on the log ratio of the
/// medians. Up to four runs don't show how much runs differ, and few ranks give no small p; other times of them show it.
package struct NoiseTest: Equatable, Sendable {
    package struct Terms: Hashable, Sendable {
        /// τ, the variation between runs of one time, in logarithms; above 0.
        package internal(set) var betweenRuns: Double
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
            self.init(
                betweenRuns: max(earlier.betweenRuns ?? Noise.assumedBetweenRuns, Self.leastBetweenRuns),
                withinRun: earlier.withinRun ?? Self.assumedWithinRun, degrees: Self.degreesOfEarlier)
        }

        /// The terms as stored in a report; `withinRun` is the square root of `commonVariance`, 0 or more.
        package init(betweenRuns: Double, withinRun: Double, degrees: Int) {
            (self.betweenRuns, self.degrees) = (betweenRuns, degrees)
            commonVariance = withinRun * withinRun
            commonDegrees = degrees == Self.degreesOfEarlier ? nil : Self.sharedDegrees
        }

        /// The degrees of freedom with noise of an earlier epoch, or with all of a time's own; and the smallest τ of one.
        static let degreesOfEarlier = 20, leastBetweenRuns = 0.01
        /// The degrees of freedom of the common variance.
        static let sharedDegrees = 4.0
        /// The τ of a time if no common shift of the runs could be subtracted; and the smallest if it could.
        package static let unshiftedBetweenRuns = 0.045, shiftedBetweenRuns = 0.03
        /// The assumed σ if no run has two samples.
        package static let assumedWithinRun = 0.08
    }

    /// q = ln(median C / median B); and that of the candidate for testing whether it improved.
    let logRatio, improvedRatio: Double
    /// The sampling variance of the medians; and 1/R + 1/S, the factor of τ².
    let sampling, runsShare: Double

    /// Measures a time by its runs, without their common shift; `nil` if a side is empty.
    /// - Parameter terms: The common variance counts, and not τ.
    /// - Parameter smallest: The smallest change that matters, in the samples' unit; 0 or more.
    init?(_ own: Comparison.Unshifted, _ terms: Terms, least smallest: Double) {
        let (baseline, worse) = (own.baseline, own.worse)
        guard let before = baseline.pooled.median, let after = worse.pooled.median,
            let improved = own.improved.pooled.median
        else { return nil }
        let least = Self.least(baseline, smallest)
        func ratio(_ value: Double) -> Double { log(max(value, least)) - log(max(before, least)) }
        (logRatio, improvedRatio) = (ratio(after), ratio(improved))
        sampling = Self.sampling(
            WithinRun(baseline.runs + worse.runs, least: least), common: terms.commonVariance, terms.commonDegrees,
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

    /// The log ratio for the worse in standard errors.
    func standardScore(_ terms: Terms) -> Double { logRatio / max(error(terms), 1e-12) }

    /// The probabilities of a change at least as large, for the worse and for the better, if nothing has changed.
    typealias Chances = (worse: Double, improved: Double)

    func chances(_ terms: Terms) -> Chances {
        let (error, degrees) = (error(terms), Double(terms.degrees))
        func tail(_ ratio: Double) -> Double { StudentT.upperTail(ratio / error, freedom: degrees) }
        return (tail(logRatio), tail(-improvedRatio))
    }

    private func error(_ terms: Terms) -> Double {
        (terms.betweenRuns * terms.betweenRuns * runsShare + sampling).squareRoot()
    }

    /// The value to which smaller values are raised, so a value of 0 gets a logarithm: the smallest change that matters, or
    /// a thousandth of the baseline's median if that is larger.
    static func least(_ baseline: MeasuredRuns, _ smallestChange: Double) -> Double {
        max(smallestChange, (baseline.pooled.median ?? 0) / 1_000, 1e-9)
    }

    /// τ of a run's times, from the variation of their ratios to a baseline: τ² = max(.03², (MAD² of q − the median of
    /// the sampling variances) / (1/R + 1/S)), after subtracting their common shift.
    static func betweenRuns(_ tests: [NoiseTest]) -> Double? {
        guard let sampling = tests.map(\.sampling).median, let share = tests.map(\.runsShare).median else { return nil }
        let (spread, least) = (tests.map(\.logRatio).robustDeviation, Terms.shiftedBetweenRuns)
        return max(least * least, (spread * spread - sampling) / share).squareRoot()
    }
}

extension NoiseTest.Terms {
    /// t(α)·SE, the log ratio of the medians from which the test rejects, for a time with σ within a run; above 0.
    package func threshold(of alpha: Double, withinRun: Double, _ design: Design) -> Double {
        StudentT.upperQuantile(alpha, freedom: Double(degrees)) * error(betweenRuns, withinRun: withinRun, design)
    }

    /// SE = √(τ²·(1/R + 1/S) + the sampling variance), for a time with τ between runs and σ within.
    func error(_ betweenRuns: Double, withinRun: Double, _ design: Design) -> Double {
        let runs = 1 / Double(design.baselineRuns) + 1 / Double(design.candidateRuns)
        let free = design.baselineSamples + design.candidateSamples - design.baselineRuns - design.candidateRuns
        let sampling = NoiseTest.sampling(
            free > 0 ? WithinRun(deviation: withinRun, degrees: 0.6 * Double(free)) : nil, common: commonVariance,
            commonDegrees, design.baselineSamples, design.candidateSamples)
        return (betweenRuns * betweenRuns * runs + sampling).squareRoot()
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

    /// - Parameter isShifted: Whether the common shift of the runs was subtracted, or will be if there is no candidate.
    package init(_ times: [Time], isShifted: Bool) {
        settledBetweenRuns = Noise.betweenRuns(
            of: times.map(\.series).filter { $0.count >= Design.settledBaselineRuns })
        commonVariance = WithinRun.commonVariance(
            times.map { time in
                let runs = time.baseline.runs + (time.candidate?.runs ?? [])
                return WithinRun(runs, least: NoiseTest.least(time.baseline, time.least))
            })
        let terms = NoiseTest.Terms(betweenRuns: NoiseTest.Terms.unshiftedBetweenRuns, commonVariance: commonVariance)
        let isAsked = isShifted && times.contains { $0.baseline.runs.count < Design.settledBaselineRuns }
        let tests = (isAsked ? times : []).compactMap { time -> NoiseTest? in
            guard let runs = time.candidate else { return nil }
            return NoiseTest(.init(baseline: time.baseline, worse: runs, improved: runs), terms, least: time.least)
        }
        var expected = terms.betweenRuns
        if isShifted, times.allSatisfy({ $0.candidate == nil }) {
            let between = Noise.betweenRuns(of: times.map(\.series)) ?? Noise.assumedBetweenRuns
            expected = max(NoiseTest.Terms.shiftedBetweenRuns, between)
        }
        let young = NoiseTest.betweenRuns(tests) ?? expected
        // Where many pages changed, their ratios vary more than runs do; settled times beside them show how much runs do.
        let most = settledBetweenRuns.map { 2 * max($0, NoiseTest.Terms.shiftedBetweenRuns) }
        youngBetweenRuns = min(young, most ?? young)
    }

    package var young: NoiseTest.Terms { .init(betweenRuns: youngBetweenRuns, commonVariance: commonVariance) }
}

/// Whether the S newest runs of a time are so much faster than the older ones that a new epoch begins with them: all
/// medians are better by more than the tolerance, and T = −ln(median P / median O) / SE ≥ t(α/20; 20 degrees of freedom),
/// with P these runs together, O the older runs, and SE = √(τ²·(1/R + 1/S) + (π/2)·σ²·(1/(n_o + ½) + 1/(n_p + ½))).
/// Without an epoch the window mixes both levels, and a change that undoes the improvement is hidden.
package enum ImprovementTest {
    /// The fewest older runs, if the window has room for them; and beside the newest ones in a window.
    package static let fewestRuns = 5
    package static func fewestRuns(inWindow runs: Int) -> Int { max(3, min(fewestRuns, runs - usualRuns)) }
    /// S, and that of a time with noise of its own, where two lucky runs would hold all others back.
    package static let usualRuns = 2, noisyRuns = 4
    private static let leastBetweenRuns = 0.03, degrees = 20.0

    /// The noise that the new epoch uses, that of the older runs: σ, and τ of at most .2. `nil` if none begins, with fewer
    /// than three older runs, or if a median isn't above 0.
    /// - Parameter runs: The newest runs, without their shifts, as the older ones; not empty.
    /// - Parameter betweenRuns: τ of the older runs, in logarithms, counted as .03 or more; `withinRun` is their σ.
    package static func noiseOfEpoch(
        old: MeasuredRuns, runs: [MeasuredRuns], betweenRuns: Double, withinRun: Double, tolerance: Tolerance,
        significance: Significance
    ) -> Noise? {
        let newest = runs.map(\.pooled)
        guard old.runs.count >= 3, let before = old.pooled.median, before > 0,
            let together = try? SortedSamples(newest.flatMap(\.values)), let after = together.median, after > 0
        else { return nil }
        let tau = max(betweenRuns, leastBetweenRuns)
        let samples = 1 / (Double(old.pooled.count) + 0.5) + 1 / (Double(together.count) + 0.5)
        let between = tau * tau * (1 / Double(old.runs.count) + 1 / Double(newest.count))
        let t = -log(after / before) / (between + Double.pi / 2 * withinRun * withinRun * samples).squareRoot()
        let bound = before - tolerance.margin(median: before)
        guard newest.allSatisfy({ ($0.median ?? .infinity) < bound }),
            t >= StudentT.upperQuantile(significance.ofComparison / 20, freedom: degrees)
        else { return nil }
        return Noise(withinRun: withinRun, betweenRuns: min(tau, 0.2))
    }
}

/// Whether a time has drifted since its epoch began: its newest five runs against its first ones. The window moves with
/// a slow change, so each run passes. It has drifted if the change q of the mean ln medians, and o = q − F without the
/// drift of all times, exceed ln 1.05, and o / (s·√(1/5 + 1/n_A)) > t(.02 / M; 20 degrees of freedom), with s² = max(v₀,
/// (10·v₀ + SS) / (10 + 3 + n_A)), v₀ = max(.02, τ)² + the sampling variance of a run's median, and SS the squared
/// deviations within both groups.
package enum DriftTest {
    /// The newest runs, and the fewest of the epoch's first runs.
    package static let runs = 5
    /// The smallest change, in logarithms.
    package static let least = log(1.05)
    private static let priorDegrees = 10.0

    /// q, the change from the ln medians of the epoch's first runs to those of the newest five, above 0, in logarithms;
    /// `nil` if it isn't a drift for the worse, and with fewer than five on a side.
    /// - Parameter common: F, in logarithms, as `betweenRuns`, the τ of the time.
    /// - Parameter sampling: The sampling variance of a run's median, 0 or more.
    /// - Parameter critical: From `critical(comparisons:)`.
    package static func drift(
        first: [Double], newest: [Double], common: Double, betweenRuns: Double, sampling: Double, critical: Double
    ) -> Double? {
        guard first.count >= runs, newest.count >= runs else { return nil }
        let means = (first.compensatedMean, newest.compensatedMean)
        let change = means.1 - means.0
        let deviation = max(0.02, betweenRuns)
        let prior = deviation * deviation + sampling
        let squares = (first.map { $0 - means.0 } + newest.map { $0 - means.1 }).map { $0 * $0 }
        let degrees = priorDegrees + 3 + Double(first.count)
        let variance = max(prior, (priorDegrees * prior + CompensatedSum.of(squares)) / degrees)
        let error = (variance * (1 / Double(newest.count) + 1 / Double(first.count))).squareRoot()
        let own = change - common
        return min(change, own) > least && own / error > critical ? change : nil
    }

    /// t(.02 / M; 20) for M comparisons, 1 or more.
    package static func critical(comparisons: Int) -> Double {
        StudentT.upperQuantile(0.02 / Double(max(1, comparisons)), freedom: 20)
    }

    /// The mean change of the ln medians, in logarithms; 0 without values.
    package static func change(first: [Double], newest: [Double]) -> Double {
        newest.compensatedMean - first.compensatedMean
    }
}

/// The drift of all times of an environment together.
package struct CommonDrift: Equatable, Sendable {
    /// F, the shorth of the times' changes in logarithms.
    package let change: Double
    /// SE = s·√(1/5 + 1/10), with s the standard deviation of one run's shift.
    package let standardError: Double
    package static let fewestTimes = 12

    /// `nil` with too few times.
    package init?(_ changes: [Double], spread: ShiftSpread) {
        guard changes.count >= Self.fewestTimes, let shorth = RunShift.shorth(changes) else { return nil }
        change = shorth
        standardError = spread.deviation * (0.2 + 0.1).squareRoot()
    }

    /// Whether all pages together have drifted for the worse: F > ln 1.05 and F > 4·SE.
    package var isReported: Bool { change > DriftTest.least && change > 4 * standardError }

    /// The part that is subtracted from a time's change: at most two standard errors, and nothing if it is below −3 of
    /// them, which would accuse every time that stayed.
    package var taken: Double { ShiftSpread.taken(change, error: standardError, asking: .worse) }
}
