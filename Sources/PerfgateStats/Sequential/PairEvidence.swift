import LibC

/// The log likelihood ratio of a time after some pairs: "longer by the change that must be found" against "unchanged". Each
/// pair's part is truncated, so that no single pair decides.
package struct TimeEvidence: Equatable, Sendable {
    /// S of the log ratios without the shifts of their pairs; and of the opposite question, whether it became shorter.
    package let score, mirrored: Double
    /// S of the log ratios as measured, with the variance of the shifts.
    package let rawScore: Double
    /// The mean log ratio without shifts, and as measured.
    package let mean, rawMean: Double
    /// V, the variance of a pair's log ratio; above 0.
    package let variance: Double
    /// θ, the logarithm of the change that must be found, above 0; and that of 1 plus the tolerance.
    package let detected, tolerated: Double
    static let floor = -3.0
    /// d₀, the weight of V before it is measured, in pairs.
    private static let priorPairs = 3.0

    /// Scores a time by its pairs, two or more.
    /// - Parameter ratios: d by pair, ln(median head / median base).
    /// - Parameter shifts: f by pair, and its variance.
    /// - Parameter known: V before the pairs' own scatter: 2τ² and the sampling variance of both medians.
    /// - Parameter margin: The tolerance as a fraction of the base, above 0.
    /// - Parameter detect: The change that must be found, in tolerances; above 1.
    /// - Parameter cap: The most that a pair adds.
    package init(ratios: [Double], shifts: [PairShift], known: Double, margin: Double, detect: Double, cap: Double) {
        let rests = zip(ratios, shifts).map { $0 - $1.shift }
        let degrees = Self.priorPairs + Double(ratios.count) - 1
        let (mean, variance) = (rests.mean, max(known, (Self.priorPairs * known + rests.squares) / degrees))
        let detected = log(1 + detect * margin)
        func sum(_ values: [Double], _ added: [Double]) -> Double {
            zip(values, added).reduce(0) { sum, pair in
                sum + min(cap, max(Self.floor, detected * (pair.0 - detected / 2) / (variance + pair.1)))
            }
        }
        (self.mean, self.variance, self.detected, tolerated) = (mean, variance, detected, log(1 + margin))
        score = sum(rests, shifts.map(\.variance))
        mirrored = sum(rests.map { 0 - $0 }, shifts.map(\.variance))
        rawScore = sum(ratios, Array(repeating: PairShift.usualVariance, count: ratios.count))
        rawMean = ratios.mean
    }
}

/// How much slower all times of head's run are than those of base's run in a pair, in logarithms.
package struct PairShift: Equatable, Sendable {
    /// f; and u, the variance of its error, 0 or more.
    package let shift, variance: Double
    /// D, the standard deviation of one run's shift; and 2·D², the variance of a pair's.
    static let deviation = 0.04, usualVariance = 2 * deviation * deviation

    /// f of the first pairs: L + median(d_ij − d̄_i), with L the shorth of the means. L is at least −1.5 standard
    /// deviations of what runs differ by: if most times became faster, that isn't held against the others.
    /// - Parameter ratios: d by time and pair; every time has all pairs.
    package static func first(_ ratios: [[Double]]) -> [PairShift] {
        let pairs = ratios.first?.count ?? 0
        let means = ratios.map(\.mean)
        let level = max(RunShift.shorth(means) ?? 0, -1.5 * (usualVariance / Double(pairs)).squareRoot())
        return (0..<pairs).map { pair in
            let rests = ratios.indices.map { ratios[$0][pair] - means[$0] }
            return PairShift(shift: level + (rests.median ?? 0), variance: 0)
        }
    }

    /// τ², the variance of one run's own effect on a time beyond its samples': from the differences of two pairs, which
    /// hold no change, so any share of times may have changed.
    /// - Parameter sampling: The sampling variance of each time's log ratio.
    package static func ownVariance(_ ratios: [[Double]], sampling: [Double]) -> Double {
        let deviation = ratios.map { $0[0] - $0[1] }.robustDeviation / 2.0.squareRoot()
        return max(leastOwn * leastOwn, (deviation * deviation - (sampling.median ?? 0)) / 2)
    }

    private static let leastOwn = 0.015
    /// τ² with too few times to measure it.
    static let unknownOwn = 0.035 * 0.035
}

/// The evidence of one pair of runs that a count or rate grew: three e-values. An e-value has the mean 1 if the pair's
/// samples are exchangeable. So the product over pairs exceeds 1/α with a probability of at most α however often it is
/// looked at (J. Ville 1939; V. Vovk and R. Wang, "E-values", Ann. Statist. 49 (2021) 1736–1754). Each is exp(λT) over its
/// mean for all C(n_b + n_h, n_h) divisions of the samples into both sides, which is counted exactly.
package struct CountEvidence: Equatable, Sendable {
    /// ln e for T = U of the head's samples less half the margin; λ = ½ for up to 5 samples a side.
    package let ranks: Double
    /// ln e for T = the head's samples beyond the pair's lower median and three margins; λ = 2.5.
    package let tail: Double
    /// ln e for T = the head's samples beyond the limit; λ = 2.5. 0 without a limit.
    package let limit: Double
    private static let rankTilt = 0.5, shareTilt = 2.5
    /// The sum of both sides' samples, plus 1, beyond which the tilt of ranks shrinks: U grows with both.
    private static let usualSize = 11.0
    /// The most samples of a side that are ranked, in the order in which they were measured.
    private static let mostRanked = 20

    /// Measures a pair by samples in the order of measurement, at least one a side; larger ones are worse.
    /// - Parameter margin: The tolerance in the samples' unit, 0 or more.
    /// - Parameter limit: A bound that head's samples should keep, in the same unit; `nil`: none.
    package init(base: [Double], head: [Double], margin: Double, limit: Double?) throws(StatsError) {
        guard !base.isEmpty else { throw .noSamples(side: .baseline) }
        guard !head.isEmpty else { throw .noSamples(side: .candidate) }
        let (first, second) = (base.prefix(Self.mostRanked), head.prefix(Self.mostRanked))
        ranks = Self.logRanks(
            TiePattern(baseline: try SortedSamples(first), candidate: try SortedSamples(second), shift: margin / 2))
        let cut = (try SortedSamples(base + head).lowerMedian ?? 0) + 3 * margin
        tail = Self.logShare(base, head, over: cut)
        self.limit = limit.map { Self.logShare(base, head, over: $0) } ?? 0
    }

    /// S = ln(½·Πe_ranks + ¼·Πe_tail + ¼·Πe_limit) over pairs.
    package static func score(_ pairs: some Sequence<CountEvidence>) -> Double {
        let (ranks, tail, limit) = pairs.reduce((0.0, 0.0, 0.0)) { ($0.0 + $1.ranks, $0.1 + $1.tail, $0.2 + $1.limit) }
        let top = max(ranks, tail, limit)
        return top + log(0.5 * exp(ranks - top) + 0.25 * exp(tail - top) + 0.25 * exp(limit - top))
    }

    private static func logRanks(_ pattern: TiePattern) -> Double {
        let (n, m) = (pattern.baselineCount, pattern.candidateCount)
        let tilt = rankTilt * min(1, usualSize / Double(n + m + 1))
        let question = NullCounts(groups: pattern.sizes, chosen: m, limit: 2 * n * m)
        guard let counts = question.counts(.unlimited) else { return 0 }
        let mean = counts.enumerated().reduce(0.0) { sum, entry in
            sum + entry.element * exp(tilt * Double(entry.offset * question.step - pattern.doubledU) / 2)
        }
        return -log(mean / question.all)
    }

    private static func logShare(_ base: [Double], _ head: [Double], over bound: Double) -> Double {
        func side(_ samples: [Double]) -> ShareTest.Side {
            ShareTest.Side(all: samples.count, over: samples.count { $0 > bound })
        }
        let stratum = ShareTest.Stratum(baseline: side(base), candidate: side(head))
        let over = DiscreteChances(hypergeometric: stratum)
        return -log(over.mean { exp(shareTilt * Double($0 - stratum.candidate.over)) })
    }
}

extension PairSequence {
    /// The smallest change that all pairs would find with a probability of about .9, by simulation: of a time as a fraction
    /// of the base, of a count in the samples' unit if every sample were worse by it. `nil` before two pairs, if it is far
    /// beyond what must be found, and for times that need more pairs than the call may have. For times the larger of δ_K =
    /// θ/2 + (A + 1.28·√(K·θ²/V))·V / (K·θ), which K pairs show, and δ₂ = θ/2 + 1.15·√V, which the first pairs keep open.
    package func detectableChange(of index: Int) -> Double? {
        let now = evidence[index]
        guard now.pairs >= 2 else { return nil }
        let most = Double(rule.mostPairs)
        if let variance = now.variance, let detected = now.detected {
            guard rule.mostPairs >= rule.fewestToAccuse else { return nil }
            let spread = (most * detected * detected / variance).squareRoot()
            let shown = (now.needed + Self.foundUsually * spread) * variance / (most * detected)
            let kept = Self.keptOpen * variance.squareRoot()
            return expm1(max(detected / 2 + max(shown, kept), log(1 + histories[index].margin)))
        }
        let history = histories[index]
        let steps = (1...Self.mostSteps).lazy.map { Double($0) * max(history.margin, 1e-9) }
        return steps.first { step in
            let bases = history.bases.prefix(2)
            let shifted = bases.compactMap { base in
                try? CountEvidence(
                    base: base, head: base.map { $0 + step }, margin: history.margin, limit: cells[index].limit)
            }
            return CountEvidence.score(shifted) * most / Double(bases.count) >= now.needed
        }
    }

    /// How many more pairs an undecided cell needs, if it goes on like this; if it shows too little for that, if it had
    /// changed by what must be found. `nil` before two pairs, and for counts that show nothing.
    package func pairsNeeded(for index: Int) -> (pairs: Int, isIfChanged: Bool)? {
        let now = evidence[index]
        guard now.pairs >= 2 else { return nil }
        let left = now.needed - now.score
        if let variance = now.variance, let detected = now.detected {
            let growth = detected * (now.change - detected / 2) / variance
            let isClear = growth > now.needed / 50
            let each = isClear ? growth : detected * detected / (2 * variance)
            return (max(1, rule.fewestToAccuse - now.pairs, Int((left / each).rounded(.up))), !isClear)
        }
        let growth = now.score / Double(now.pairs)
        return growth > now.needed / 50 ? (max(1, Int((left / growth).rounded(.up))), false) : nil
    }

    private static let foundUsually = 1.28, keptOpen = 1.15, mostSteps = 8
}
