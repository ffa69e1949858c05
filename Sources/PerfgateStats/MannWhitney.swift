/// The one-sided Mann–Whitney test of a candidate against a baseline.
///
/// H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is stochastically larger than the
/// other", Ann. Math. Statist. 18 (1947) 50–60. Chosen because page metrics are skewed, tied and full of outliers, and
/// because its chances are exact for any distribution; the price is that small samples cannot give small chances
/// (`smallestProbability`). Mid-ranks, conditional on the pattern of ties; no random numbers.
///
/// A greater candidate sample never makes U less, and never the chance of a U as great greater, as long as the sizes of
/// the groups of equal values stay as they are, in their order. Where it breaks or makes a tie, the distribution is
/// another one: 0, 2, 2 against 1, 1, 1 has the chance 4/20, and 0, 2, 3, with the same U, 7/20.
package struct MannWhitney: Sendable {
    /// Up to this n_b·n_c the chances are always counted exactly.
    package static let alwaysExactPairs = 5_000

    private let pattern: TiePattern
    /// The distribution for these sizes without ties, where another test shares it.
    private let untied: UntiedDistribution?

    /// Compares `candidate − shift`, computed in IEEE double, with the baseline; a `shift` below 0 adds.
    ///
    /// Empty samples are allowed: every chance is then 1.
    package init(baseline: SortedSamples, candidate: SortedSamples, shift: Double = 0) throws(StatsError) {
        try self.init(baseline: baseline, candidate: candidate, shift: shift, untied: nil)
    }

    /// The same, sharing the distribution of samples of these sizes.
    init(
        baseline: SortedSamples, candidate: SortedSamples, shift: Double, untied: UntiedDistribution?
    ) throws(StatsError) {
        guard shift.isFinite else { throw .outOfRange(setting: "the shift", allowed: "a finite number") }
        pattern = TiePattern(baseline: baseline, candidate: candidate, shift: shift)
        self.untied = untied
    }

    /// U = #(candidate > baseline) + ½·#(candidate = baseline), in pairs; 0…n_b·n_c in steps of ½.
    package var u: Double { Double(pattern.doubledU) / 2 }

    /// P(U ≥ u) if both sides came from one distribution, 0…1: small where the candidate is greater.
    ///
    /// Exact, relatively too, while n_b·n_c ≤ `alwaysExactPairs`, and above it as long as the count stays
    /// below 5·10⁷ additions (some 130 against 130), or 5·10⁸ where more than half of all values are equal. Beyond that a
    /// saddlepoint is used, within about 0.1 % at a chance of 1e-4 (see `SaddlepointTail`).
    package var probabilityOfGreater: Double {
        tail(.top, gap: 2 * pairs - pattern.doubledU)
    }

    /// P(U ≤ u) if both sides came from one distribution, 0…1: small where the candidate is less.
    package var probabilityOfLess: Double {
        tail(.bottom, gap: pattern.doubledU)
    }

    /// 1 / C(n_b + n_c, n_c): the smallest chance that samples of these sizes can give, 0…1; 1 where a side is empty,
    /// 0 where it is below the range of `Double`.
    package static func smallestProbability(baseline: Int, candidate: Int) -> Double {
        1 / Binomial.coefficient(baseline + candidate, candidate)
    }

    private enum End {
        case top, bottom
        var other: End { self == .top ? .bottom : .top }
    }

    private var pairs: Int { pattern.baselineCount * pattern.candidateCount }

    /// The chance that 2U is at most `gap` away from that end of its range.
    private func tail(_ end: End, gap: Int) -> Double {
        guard pattern.sizes.count > 1, gap < 2 * pairs else { return 1 }
        if pattern.isUntied,
            let untied = untied ?? UntiedDistribution(pattern.baselineCount, pattern.candidateCount)
        {
            return untied.chance(atMost: gap / 2)
        }
        // The smaller tail is counted: it is quicker, and nothing cancels where it matters.
        if gap <= pairs { return smallTail(end, gap: gap) }
        return max(0, 1 - smallTail(end.other, gap: 2 * pairs - gap - 1))
    }

    private func smallTail(_ end: End, gap: Int) -> Double {
        let question = question(end, gap: gap)
        if pairs <= Self.alwaysExactPairs, 2 * question.groups.count > question.chosen + question.others {
            return question.probability()
        }
        if let exact = question.probability(effort) { return exact }
        let sizes = end == .top ? pattern.sizes : pattern.sizes.reversed()
        return SaddlepointTail(sizes: sizes, chosen: pattern.candidateCount).upper(2 * pairs - gap)
    }

    /// Values in clusters, as where most are zero, are what an approximation follows least: they are worth more effort.
    private var effort: NullCounts.Effort {
        if pairs <= Self.alwaysExactPairs { return .unlimited }
        let half = (pattern.baselineCount + pattern.candidateCount) / 2
        return pattern.sizes.contains { $0 > half } ? .clustered : .large
    }

    /// The same tail can be counted from either side: where the candidate's U is near its top, walking downwards,
    /// or where the baseline's is near its bottom, walking upwards. A group of more than half of all values costs least
    /// at the end of the walk; else the smaller side makes the smaller table.
    private func question(_ end: End, gap: Int) -> NullCounts {
        let upwards = end == .bottom ? pattern.candidateCount : pattern.baselineCount
        let downwards = end == .bottom ? pattern.baselineCount : pattern.candidateCount
        let half = (upwards + downwards) / 2
        if let last = pattern.sizes.last, last > half {
            return NullCounts(groups: pattern.sizes, chosen: upwards, limit: gap)
        }
        if upwards < downwards, pattern.sizes[0] <= half {
            return NullCounts(groups: pattern.sizes, chosen: upwards, limit: gap)
        }
        return NullCounts(groups: pattern.sizes.reversed(), chosen: downwards, limit: gap)
    }
}

extension NullCounts.Effort {
    /// What one chance of large samples may cost: 128 MB at most, and about 0.05 s.
    static let large = NullCounts.Effort(cells: 1 << 24, additions: 50_000_000)
    /// The same where more than half of all values are equal: about 0.5 s.
    static let clustered = NullCounts.Effort(cells: 1 << 24, additions: 500_000_000)
}

/// What remains of two samples once only their order matters: how many values are equal, from the lowest up.
struct TiePattern: Equatable {
    /// The size of each group of equal values, lowest value first; they sum to both samples' sizes.
    private(set) var sizes: [Int] = []
    /// Twice U, U = #(candidate > baseline) + ½·#(candidate = baseline); 0…2·n_b·n_c.
    private(set) var doubledU = 0
    /// The baseline's size.
    let baselineCount: Int
    /// The candidate's size.
    let candidateCount: Int

    /// Ranks the candidate, less `shift` in IEEE double, among the baseline.
    init(baseline: SortedSamples, candidate: SortedSamples, shift: Double) {
        baselineCount = baseline.count
        candidateCount = candidate.count
        // Rounding is monotone, so what was sorted stays sorted.
        merge(baseline.values, candidate.values.map { $0 - shift })
    }

    /// Whether no two values are equal.
    var isUntied: Bool { sizes.count == baselineCount + candidateCount }

    private mutating func merge(_ baseline: [Double], _ candidate: [Double]) {
        sizes.reserveCapacity(baseline.count + candidate.count)
        var (b, c) = (0, 0)
        while b < baseline.count || c < candidate.count {
            let value = Self.lowest(baseline, b, candidate, c)
            let (below, firstCandidate) = (b, c)
            while b < baseline.count, baseline[b] == value { b += 1 }
            while c < candidate.count, candidate[c] == value { c += 1 }
            sizes.append(b - below + c - firstCandidate)
            doubledU += (c - firstCandidate) * (below + b)
        }
    }

    private static func lowest(_ baseline: [Double], _ b: Int, _ candidate: [Double], _ c: Int) -> Double {
        guard b < baseline.count else { return candidate[c] }
        guard c < candidate.count else { return baseline[b] }
        return min(baseline[b], candidate[c])
    }
}
