/// How many of the outermost differences an interval for the shift leaves out at one end.
///
/// The interval of order statistics that belongs to the Mann–Whitney test: M. Hollander and D. A. Wolfe,
/// *Nonparametric Statistical Methods*, §4.3. It uses the distribution of U without ties, as is usual.
enum OrderQuantile {
    /// k = #{u : P(U ≤ u) ≤ alpha} for sizes n and m, 0…n·m / 2: the k-th smallest difference bounds the shift from
    /// below with confidence 1 − alpha, and where k is 0 there is no bound. `alpha` is 0…½, one k for each.
    static func ranks(_ n: Int, _ m: Int, alphas: [Double], untied: UntiedDistribution? = nil) -> [Int] {
        if let untied = untied ?? UntiedDistribution(n, m) { return alphas.map(untied.rank) }
        let guesses = alphas.map { approximateRank(n, m, alpha: $0) }
        guard n * m <= MannWhitney.alwaysExactPairs else { return guesses }
        // A little beyond the guess is enough but for the smallest samples.
        let near = counts(min(n, m), max(n, m), through: min(n * m / 2, (guesses.max() ?? 0) + 8))
        let all = Binomial.coefficient(n + m, n)
        return alphas.map { alpha in
            rank(near, of: all, alpha: alpha)
                ?? rank(counts(min(n, m), max(n, m), through: n * m / 2), of: all, alpha: alpha) ?? n * m / 2
        }
    }

    /// Adds the counts from the lowest U on until they exceed alpha; `nil` where they don't.
    private static func rank(_ counts: [Double], of all: Double, alpha: Double) -> Int? {
        var below = 0.0
        return counts.firstIndex { count in
            below += count
            return below / all > alpha
        }
    }

    /// In how many divisions U = 0, 1 … `limit`: the Gaussian binomial coefficient ∏ (1 − q^(m+i)) / (1 − q^i), its
    /// factors one by one. It subtracts, and is exact up to 2⁵³ only: good for a rank, not for a small chance.
    private static func counts(_ n: Int, _ m: Int, through limit: Int) -> [Double] {
        var counts = Array(repeating: 0.0, count: limit + 1)
        counts[0] = 1
        for i in 1..<(n + 1) {
            for u in stride(from: limit, through: m + i, by: -1) { counts[u] -= counts[u - m - i] }
            for u in stride(from: i, through: limit, by: 1) { counts[u] += counts[u - i] }
        }
        return counts
    }

    /// The normal quantile with half a step of continuity, corrected for kurtosis (E. A. Cornish and R. A. Fisher,
    /// Rev. Int. Stat. Inst. 5 (1938) 307–320); within 1 of the exact rank for 20 or more samples a side.
    static func approximateRank(_ n: Int, _ m: Int, alpha: Double) -> Int {
        let (a, b) = (Double(n), Double(m))
        let deviation = (a * b * (a + b + 1) / 12).squareRoot()
        let kurtosis = -1.2 * (a * a + b * b + a * b + a + b) / (a * b * (a + b + 1))
        let z = -Normal.quantile(alpha)
        let corrected = z + kurtosis / 24 * (z * z * z - 3 * z)
        return max(0, Int((a * b / 2 + 0.5 - corrected * deviation).rounded(.down)))
    }
}
