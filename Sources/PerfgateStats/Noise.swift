import LibC

/// The variation of times without changes, in logarithms: .03 is about 3 %.
package struct Noise: Equatable, Hashable, Sendable {
    /// σ, the standard deviation of ln(time) within a run, 0 or more; `nil` if no run has two samples, or if a sample
    /// isn't above 0.
    package let withinRun: Double?
    /// τ, the standard deviation between runs beyond the sampling error of the runs' medians, 0 or more; `nil` with
    /// fewer than 3 runs, or if a sample isn't above 0.
    package let betweenRuns: Double?
    /// The assumed τ of a baseline with too few runs; and the τ above which a baseline is unstable.
    package static let assumedBetweenRuns = 0.032, unstableBetweenRuns = 0.035

    package init(_ measured: MeasuredRuns) {
        let isPositive = (measured.pooled.values.first ?? 0) > 0
        withinRun = isPositive ? WithinRun(measured.runs)?.deviation : nil
        let squared = isPositive && measured.runs.count >= 3 ? Self.betweenRunsSquared(measured.runs) ?? 0 : nil
        betweenRuns = squared.map { max(0, $0).squareRoot() }
    }

    package init(withinRun: Double?, betweenRuns: Double?) {
        (self.withinRun, self.betweenRuns) = (withinRun, betweenRuns)
    }

    /// Whether runs differ so much that more runs won't make the gate more sensitive.
    package var isUnstable: Bool { betweenRuns.map { $0 > Self.unstableBetweenRuns } ?? false }

    /// The runs of a time, and the ln medians of those above 0 in time order.
    package struct Series: Equatable, Sendable {
        let measured: MeasuredRuns
        let logMedians: [Double]

        package init(_ measured: MeasuredRuns, logMedians: [Double]) {
            (self.measured, self.logMedians) = (measured, logMedians)
        }

        package var count: Int { measured.runs.count }
    }

    /// τ of several times together: their median; `nil` if no time has 3 runs. Clear levels are left out: that most pages
    /// improved for some nights, or began slowly, is no noise.
    package static func betweenRuns(of times: [Series]) -> Double? {
        let squares = times.compactMap { time in
            time.count < 3 ? nil : betweenRunsSquared(time.measured.runs, time.logMedians)
        }
        return squares.median.map { max(0, $0).squareRoot() }
    }

    /// τ of one time if its runs differ more than the τ of all times explains: v, the variance of the ln run medians
    /// without what is no noise, must exceed g(R)·(τ² + s), s = (π/2)·σ² / (k + ½); then it is √(v / c(R) − s). `nil` if
    /// it doesn't, and with fewer than 5 runs.
    ///
    /// What explains most is left out: the fastest run, a fall to a lower level, or clear levels, so v =
    /// (Σ(yᵢ − ȳ)² − max) / (R − 2). A night with an empty backend, slow first nights, or an improvement would make the page
    /// look noisy, and hide a real change. Later slow nights are held and aren't among these runs.
    package static func ownBetweenRuns(of time: Series, beside common: Double) -> Double? {
        // A sample of 0 has no logarithm, so the variation within runs is unknown.
        let isPositive = time.measured.runs.allSatisfy { ($0.values.first ?? 0) > 0 }
        guard time.logMedians.count >= fewestOwn, isPositive else { return nil }
        let sampling = sampling(of: time.measured.runs)
        let variance = levels(time.logMedians).rest / Double(time.logMedians.count - 2)
        let index = min(time.logMedians.count, fewestOwn + levelMean.count - 1) - fewestOwn
        let squared = variance / levelMean[index] - sampling
        let explained = (common * common + sampling) * greatestLevel[index]
        return squared > common * common && variance > explained ? squared.squareRoot() : nil
    }

    /// The squared deviations of values in time order that the smallest value, a fall to a lower level, or clear levels
    /// don't explain; and whether levels are clear. Up to three in a row, the second below the first, are clear if less
    /// than 1 in 200 series of normal values would show them: an F test of each of the n(n − 1)/2 partitions, with 2 and
    /// n − 3 degrees of freedom and the tail (rest / all)^((n − 3)/2), and Bonferroni's bound over them.
    private static func levels(_ values: [Double]) -> (rest: Double, isClear: Bool) {
        let count = values.count
        let (mean, all) = (values.compensatedMean, values.compensatedSquares)
        let sums = values.reduce(into: [0.0]) { $0.append($0[$0.count - 1] + $1 - mean) }
        var (simple, three) = (0.0, 0.0)
        for first in values.indices {
            for end in first + 1...(first == 0 ? count - 1 : count) {
                let (sum, length) = (sums[end] - sums[first], Double(end - first))
                if first == 0 || sum * Double(first) < sums[first] * length {
                    let before = first == 0 ? 0 : sums[first] * sums[first] / Double(first)
                    let after = end == count ? 0 : sums[end] * sums[end] / Double(count - end)
                    three = max(three, before + sum * sum / length + after)
                }
                guard sum < 0, end == first + 1 || end == count else { continue }
                simple = max(simple, sum * sum * Double(count) / (length * (Double(count) - length)))
            }
        }
        let rest = max(0, all - three)
        let chance = Double(count * (count - 1) / 2) * pow(rest / max(all, 1e-300), Double(count - 3) / 2)
        return chance < clearLevels ? (rest, true) : (max(0, all - simple), false)
    }

    private static let clearLevels = 0.005, fewestOwn = 5
    /// c(R), the mean of v for R = 5…30 unit normal values, from 400,000 draws.
    private static let levelMean = [
        0.579, 0.62, 0.652, 0.679, 0.701, 0.719, 0.734, 0.748, 0.76, 0.771, 0.781, 0.79, 0.798, 0.806, 0.812,
        0.818, 0.824, 0.829, 0.834, 0.839, 0.843, 0.847, 0.851, 0.854, 0.858, 0.861,
    ]
    /// g(R), the 99th percentile of v, from the same draws.
    private static let greatestLevel = [
        2.486, 2.272, 2.142, 2.045, 1.971, 1.912, 1.857, 1.81, 1.772, 1.742, 1.717, 1.692, 1.669, 1.647, 1.635,
        1.614, 1.601, 1.585, 1.571, 1.561, 1.55, 1.543, 1.532, 1.52, 1.513, 1.504,
    ]

    /// τ of one time if its runs jump more than the τ of all times explains: v = (d / (√2·z))² must exceed c(n)·(τ² +
    /// s); then it is √(v − s). `nil` if it doesn't. d is the upper quartile of the n differences |y₍ₜ₊₁₎ − yₜ|, with y
    /// the ln medians of runs in time order: the (i + 1)-th smallest, i = min(⌊3(n − 1)/4⌋, n − 5), and z that quantile
    /// of |N(0, 1)|. The four largest differences never count: a step of the time adds one, a single bad run two, and a
    /// change that is reverted and comes back three.
    /// - Parameters:
    ///   - logMedians: The ln medians of runs in time order, without the shifts of the runs.
    ///   - jumps: The absolute differences of the runs before these; the newest 39 differences count.
    ///   - sampling: s, the sampling variance of a run's median, 0 or more.
    package static func movingBetweenRuns(
        _ logMedians: [Double], after jumps: [Double] = [], beside common: Double, sampling: Double
    ) -> Double? {
        let differences = (jumps + zip(logMedians, logMedians.dropFirst()).map { abs($1 - $0) }).suffix(mostMoving)
        guard differences.count >= fewestMoving else { return nil }
        let index = min(3 * (differences.count - 1) / 4, differences.count - 5)
        let share = (Double(index) + 0.5) / Double(differences.count)
        let deviation = differences.sorted()[index] / (2.0.squareRoot() * Normal.quantile((1 - share) / 2))
        let squared = deviation * deviation
        let explained = greatestMoving[differences.count - fewestMoving] * (common * common + sampling)
        return squared > explained && squared - sampling > common * common ? (squared - sampling).squareRoot() : nil
    }

    private static let mostMoving = 39, fewestMoving = 6
    /// c(n), the 99th percentile of v for n = 6…39 differences of unit normal values, from 200,000 draws.
    private static let greatestMoving = [
        13.297, 7.921, 5.907, 4.907, 4.289, 3.841, 3.545, 3.308, 3.119, 2.973, 2.869, 2.741, 2.768,
        2.663, 2.592, 2.537, 2.537, 2.466, 2.409, 2.367, 2.364, 2.323, 2.271, 2.234, 2.238, 2.207, 2.174, 2.142,
        2.142, 2.101, 2.083, 2.061, 2.068, 2.037,
    ]

    /// var(ln run medians) / (1 − 2 / (9(R − 1)))³ − (π/2)·σ² / (k + ½), with k samples per run; below 0 if runs
    /// differ less than their samples explain.
    /// - Parameter ordered: The ln medians in time order; empty if the order is unknown.
    private static func betweenRunsSquared(_ runs: [SortedSamples], _ ordered: [Double] = []) -> Double? {
        let medians = runs.compactMap { $0.median.flatMap { $0 > 0 ? log($0) : nil } }.sorted()
        guard medians.count == runs.count, medians.count > 1 else { return nil }
        var (squares, degrees) = (medians.compensatedSquares, Double(medians.count - 1))
        if ordered.count == runs.count, ordered.count >= fewestOwn {
            let (rest, isClear) = levels(ordered)
            if isClear { (squares, degrees) = (rest, degrees - 2) }
        }
        return meanVariance(squares, degrees) - sampling(of: runs)
    }

    /// Squares / degrees / (1 − 2 / (9·degrees))³: the cube converts the median of variances, which is used over times, to
    /// their mean (E. B. Wilson and M. M. Hilferty, PNAS 17 (1931) 684–688).
    static func meanVariance(_ squares: Double, _ degrees: Double) -> Double {
        let ratio = 1 - 2 / (9 * degrees)
        return squares / degrees / (ratio * ratio * ratio)
    }

    /// s = (π/2)·σ² / (k + ½), the mean sampling variance of the medians of these runs, in squared logarithms; 0 if no
    /// run has two samples.
    /// - Parameter least: σ of runs before them, which are judged together with them; it counts if it is larger.
    package static func sampling(of runs: [SortedSamples], least: Double = 0) -> Double {
        guard !runs.isEmpty, let within = WithinRun(runs.filter { ($0.values.first ?? 0) > 0 }) else { return 0 }
        let shares = runs.map { 1 / (Double($0.count) + 0.5) }.sorted()
        return max(within.variance, least * least) * Double.pi / 2 * CompensatedSum.of(shares) / Double(runs.count)
    }
}

/// The variation of samples within a run, in logarithms, from differences of pairs of samples: deviations from a run's
/// own median are too small with few samples. Their median is used because one sample in fifty is an outlier.
package struct WithinRun: Equatable, Sendable {
    /// σ = 1.0483·median |ln xₐ − ln x_b| over the pairs of samples of one run: unbiased for a normal distribution.
    package let deviation: Double
    /// .6·(samples − runs), the degrees of freedom of the median of pairs; above 0.
    package let degrees: Double

    package var variance: Double { deviation * deviation }

    /// If a run has more samples, this many equally spaced ones make the pairs.
    static let mostSamples = 100

    /// `nil` if no run has two samples. Values below `least` are raised to it; above 0 if a value may be 0.
    package init?(_ runs: [SortedSamples], least: Double = 0) {
        var differences: [Double] = []
        for run in runs {
            let logs = Self.thinned(run.values).map { log(max($0, least)) }
            for first in logs.indices {
                for second in logs.indices.dropFirst(first + 1) { differences.append(logs[second] - logs[first]) }
            }
        }
        guard let median = differences.median else { return nil }
        deviation = 1.0483 * median
        degrees = 0.6 * Double(runs.reduce(0) { $0 + max(0, $1.count - 1) })
    }

    init(deviation: Double, degrees: Double) { (self.deviation, self.degrees) = (deviation, degrees) }

    /// σ₀², the median of σ² over several times; as assumed if no run has two samples.
    static func commonVariance(_ times: [WithinRun?]) -> Double {
        let assumed = NoiseTest.Terms.assumedWithinRun
        return times.compactMap { $0?.variance }.median ?? assumed * assumed
    }

    private static func thinned(_ values: [Double]) -> [Double] {
        guard values.count > mostSamples else { return values }
        return (0..<mostSamples).map { values[(2 * $0 + 1) * values.count / (2 * mostSamples)] }
    }
}

extension Comparison {
    /// The noise of this time, known from other times of the same runs.
    package struct KnownNoise: Equatable, Sendable {
        /// τ, for a settled baseline; `nil` if unknown.
        package let settledBetweenRuns: Double?
        /// The τ that ranks allow for: τ, or 1.25·τ where it is the time's own, which comes from ten runs; `nil`: unknown.
        package let allowedBetweenRuns: Double?
        package let young: NoiseTest.Terms

        /// - Parameter own: The time's own τ, if its runs differ more than the common τ explains, however many.
        package init(settledBetweenRuns: Double?, own: Double? = nil, young: NoiseTest.Terms) {
            self.settledBetweenRuns = own ?? settledBetweenRuns
            allowedBetweenRuns = own.map { 1.25 * $0 } ?? settledBetweenRuns
            var young = young
            if let own { young.betweenRuns = max(own, young.betweenRuns) }
            self.young = young
        }

        /// `standardScore` of samples.
        func score(of own: Unshifted, _ terms: Terms) -> Double? {
            var noise = young
            if own.baseline.runs.count >= Design.settledBaselineRuns {
                guard let settledBetweenRuns else { return nil }
                let within = WithinRun(own.baseline.runs, least: terms.tolerance.absolute)?.variance
                noise = NoiseTest.Terms(
                    betweenRuns: settledBetweenRuns,
                    withinRun: within?.squareRoot() ?? NoiseTest.Terms.assumedWithinRun,
                    degrees: NoiseTest.Terms.degreesOfEarlier)
            }
            return NoiseTest(own, noise, least: terms.tolerance.absolute)?.standardScore(noise)
        }
    }
}
