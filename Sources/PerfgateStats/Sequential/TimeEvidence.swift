import LibC

/// The log likelihood ratio of a time after some pairs of runs: "longer by the change that must be found" against
/// "unchanged", with each pair's part truncated, so that no single pair decides.
package struct TimeEvidence: Equatable, Sendable {
    /// S of the log ratios without the shifts of their pairs.
    package let score: Double
    /// S of the log ratios as measured, with the variance of the shifts.
    package let rawScore: Double
    /// S of the opposite question: whether it became shorter.
    package let mirrored: Double
    /// The mean log ratio without shifts, and as measured.
    package let mean, rawMean: Double
    /// V, the variance of a pair's log ratio; above 0.
    package let variance: Double
    /// θ, the logarithm of the change that must be found; above 0.
    package let detected: Double
    /// The logarithm of 1 plus the tolerance.
    package let tolerated: Double

    static let floor = -3.0
    /// d₀, the weight of V before it is measured, in pairs.
    private static let priorPairs = 3.0

    /// Scores a time by its pairs, two or more.
    ///
    /// - Parameters:
    ///   - ratios: d by pair, ln(median head / median base).
    ///   - shifts: f by pair, and its variance.
    ///   - known: V before the pairs' own scatter: 2τ² and the sampling variance of both medians.
    ///   - margin: The tolerance as a fraction of the base, above 0.
    ///   - detect: The change that must be found, in tolerances; above 1.
    ///   - cap: The most that a pair adds.
    package init(
        ratios: [Double], shifts: [PairShift], known: Double, margin: Double, detect: Double, cap: Double
    ) {
        let count = Double(ratios.count)
        let rests = zip(ratios, shifts).map { $0 - $1.shift }
        let mean = rests.reduce(0, +) / count
        let squares = rests.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let variance = max(known, (Self.priorPairs * known + squares) / (Self.priorPairs + count - 1))
        let detected = log(1 + detect * margin)
        func sum(_ values: [Double], _ added: (Int) -> Double) -> Double {
            values.indices.reduce(0) { sum, index in
                sum + min(cap, max(Self.floor, detected * (values[index] - detected / 2) / (variance + added(index))))
            }
        }
        (self.mean, self.variance, self.detected, tolerated) = (mean, variance, detected, log(1 + margin))
        score = sum(rests) { shifts[$0].variance }
        mirrored = sum(rests.map { 0 - $0 }) { shifts[$0].variance }
        rawScore = sum(ratios) { _ in 2 * PairShift.deviation * PairShift.deviation }
        rawMean = ratios.reduce(0, +) / count
    }

    /// The sampling variance of a pair's log ratio: (π/2)·v·(1/(n_b + ½) + 1/(n_h + ½)), with v the own variance within
    /// runs, shrunk towards that of all times.
    static func sampling(_ own: WithinRun?, common: Double, base: Int, head: Int) -> Double {
        NoiseTest.sampling(own, common: common, NoiseTest.Terms.sharedDegrees, base, head)
    }
}

/// How much slower all times of head's run are than those of base's run in a pair, in logarithms.
package struct PairShift: Equatable, Sendable {
    /// f.
    package let shift: Double
    /// u, the variance of its error, 0 or more.
    package let variance: Double

    /// D, the standard deviation of one run's shift.
    static let deviation = 0.04

    /// f of the first pairs: L + median(d_ij − d̄_i), with L the shorth of the means. L is at least −1.5 standard deviations
    /// of what runs differ by: if most times became faster, that isn't held against the others.
    ///
    /// - Parameter ratios: d by time and pair; every time has all pairs.
    package static func first(_ ratios: [[Double]]) -> [PairShift] {
        let pairs = ratios.first?.count ?? 0
        let means = ratios.map { $0.reduce(0, +) / Double(pairs) }
        var level = RunShift.shorth(means) ?? 0
        level = max(level, -1.5 * (2 * deviation * deviation / Double(pairs)).squareRoot())
        return (0..<pairs).map { pair in
            let rests = ratios.indices.map { ratios[$0][pair] - means[$0] }
            return PairShift(shift: level + (Noise.median(rests) ?? 0), variance: 0)
        }
    }

    /// τ², the variance of one run's own effect on a time beyond its samples': from the differences of two pairs, which
    /// hold no change, so any share of times may have changed.
    ///
    /// - Parameter sampling: The sampling variance of each time's log ratio.
    package static func ownVariance(_ ratios: [[Double]], sampling: [Double]) -> Double {
        let differences = ratios.map { $0[0] - $0[1] }
        let centre = Noise.median(differences) ?? 0
        let deviation = 1.4826 * (Noise.median(differences.map { abs($0 - centre) }) ?? 0) / 2.0.squareRoot()
        let least = leastOwn * leastOwn
        return max(least, (deviation * deviation - (Noise.median(sampling) ?? 0)) / 2)
    }

    private static let leastOwn = 0.015
    /// τ² with too few times to measure it.
    static let unknownOwn = 0.035 * 0.035
}
