import LibC

/// Whether the S newest runs of a time are so much faster than the older ones that a new epoch begins with them: all
/// medians are better by more than the tolerance, and T = −ln(median P / median O) / SE ≥ t(α/20; 20 degrees of
/// freedom), with P these runs together, O the older runs, and SE = √(τ²·(1/R + 1/S) + (π/2)·σ²·(1/(n_o + ½) +
/// 1/(n_p + ½))).
///
/// S is 2, or 4 for a time with noise of its own: two lucky runs of such a page would hold all others back. Without an
/// epoch the window mixes both levels, and a change that undoes the improvement is hidden.
package enum ImprovementTest {
    /// The fewest older runs, if the window has room for them.
    package static let fewestRuns = 5
    /// The fewest older runs beside the newest ones in a window.
    package static func fewestRuns(inWindow runs: Int) -> Int { max(3, min(fewestRuns, runs - usualRuns)) }
    /// S, and that of a time with noise of its own.
    package static let usualRuns = 2, noisyRuns = 4
    private static let leastBetweenRuns = 0.03, degrees = 20.0

    /// The noise that the new epoch uses, that of the older runs: σ, and τ of at most .2. `nil` if none begins, with fewer
    /// than three older runs, or if a median isn't above 0.
    /// - Parameter runs: The newest runs, without their shifts, as the older ones; not empty.
    /// - Parameter betweenRuns: τ of the older runs, in logarithms; smaller values than .03 count as .03.
    /// - Parameter withinRun: σ of the older runs, in logarithms.
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
/// a slow change, so each run passes. The change q of the mean ln medians is compared after subtracting F, the drift of
/// all times together: o = q − F. It has drifted if q and o exceed ln 1.05 and o / (s·√(1/5 + 1/n_A)) > t(.02 / M; 20
/// degrees of freedom), with s² = max(v₀, (10·v₀ + SS) / (10 + 3 + n_A)), v₀ = max(.02, τ)² + the sampling variance of
/// a run's median, and SS the squared deviations within both groups.
package enum DriftTest {
    /// The newest runs, and the fewest of the epoch's first runs.
    package static let runs = 5
    /// The smallest change, in logarithms.
    package static let least = log(1.05)
    private static let priorDegrees = 10.0

    /// q, the change from the ln medians of the epoch's first runs to those of the newest five, above 0, in logarithms;
    /// `nil` if it isn't a drift for the worse, and with fewer than five on a side.
    /// - Parameter common: F, in logarithms.
    /// - Parameter betweenRuns: τ of the time, in logarithms.
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
