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
