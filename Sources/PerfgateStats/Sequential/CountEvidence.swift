import LibC

/// The evidence of one pair of runs that a count or rate grew: three e-values, given the pair's values and sizes.
///
/// An e-value has the mean 1 if the pair's samples are exchangeable, so the product over pairs is a test martingale, and
/// exceeds 1/α with a probability of at most α however often it is looked at (J. Ville 1939; V. Vovk and R. Wang,
/// "E-values", Ann. Statist. 49 (2021) 1736–1754). Each is exp(λT) over its mean for all C(n_b + n_h, n_h) divisions of the
/// samples into both sides, which is counted exactly.
package struct CountEvidence: Equatable, Sendable {
    /// ln e for T = U of the head's samples less half the margin; λ = ½ for up to 5 samples a side.
    package let ranks: Double
    /// ln e for T = the head's samples beyond the pair's lower median and three margins; λ = 2.5.
    package let tail: Double
    /// ln e for T = the head's samples beyond the limit; λ = 2.5. 0 without a limit.
    package let limit: Double

    private static let rankTilt = 0.5
    private static let shareTilt = 2.5
    /// The sum of both sides' samples, plus 1, beyond which the tilt of ranks shrinks: U grows with both.
    private static let usualSize = 11.0
    /// The most samples of a side that are ranked, in the order in which they were measured.
    private static let mostRanked = 20

    /// Measures a pair; larger samples are worse.
    ///
    /// - Parameters:
    ///   - base: The base's samples in the order of measurement; at least one.
    ///   - head: The head's samples, in the same form.
    ///   - margin: The tolerance in the samples' unit, 0 or more.
    ///   - limit: A bound that head's samples should keep, in the same unit; `nil`: none.
    package init(base: [Double], head: [Double], margin: Double, limit: Double?) throws(StatsError) {
        guard !base.isEmpty else { throw .noSamples(side: .baseline) }
        guard !head.isEmpty else { throw .noSamples(side: .candidate) }
        let (first, second) = (base.prefix(Self.mostRanked), head.prefix(Self.mostRanked))
        ranks = Self.logRanks(
            TiePattern(
                baseline: try SortedSamples(first), candidate: try SortedSamples(second), shift: margin / 2))
        let all = try SortedSamples(base + head)
        let cut = (all.lowerMedian ?? 0) + 3 * margin
        tail = Self.logShare(base, head, over: cut)
        self.limit = limit.map { Self.logShare(base, head, over: $0) } ?? 0
    }

    /// S = ln(½·Πe_ranks + ¼·Πe_tail + ¼·Πe_limit) over pairs.
    package static func score(_ pairs: some Sequence<CountEvidence>) -> Double {
        let sums = pairs.reduce(into: (0.0, 0.0, 0.0)) { sums, pair in
            sums = (sums.0 + pair.ranks, sums.1 + pair.tail, sums.2 + pair.limit)
        }
        let top = max(sums.0, sums.1, sums.2)
        return top + log(0.5 * exp(sums.0 - top) + 0.25 * exp(sums.1 - top) + 0.25 * exp(sums.2 - top))
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
