/// The distribution of U where no two values are equal: it depends on the two sizes alone, so that one of it serves
/// every test of a comparison.
struct UntiedDistribution {
    /// The two sizes' product, the greatest U; 1 or more.
    let pairs: Int
    /// In how many divisions U is at most the index, from 0 to half of `pairs`.
    private let upTo: [Int64]
    /// The number of all divisions.
    private let all: Double

    /// `nil` where a side is empty, n·m is above `MannWhitney.alwaysExactPairs`, or there are 2⁶³ divisions or more.
    init?(_ n: Int, _ m: Int) {
        let all = Binomial.coefficient(n + m, n)
        guard n > 0, m > 0, n * m <= MannWhitney.alwaysExactPairs, all < 0x1p63 else { return nil }
        pairs = n * m
        self.all = all
        upTo = Self.cumulative(min(n, m), max(n, m), through: n * m / 2)
    }

    /// P(U ≤ u), for u from 0 to below n·m; it is the chance of U ≥ n·m − u as well.
    func chance(atMost u: Int) -> Double {
        // Of the two tails the smaller is counted, and nothing cancels where it matters.
        u <= pairs / 2 ? Double(upTo[u]) / all : 1 - Double(upTo[pairs - u - 1]) / all
    }

    /// #{u : P(U ≤ u) ≤ alpha}, for alpha up to ½.
    func rank(_ alpha: Double) -> Int {
        upTo.firstIndex { Double($0) / all > alpha } ?? pairs / 2
    }

    private static func cumulative(_ n: Int, _ m: Int, through limit: Int) -> [Int64] {
        var divisions = GaussianBinomial(values: n + m, through: limit)
        for _ in 0..<n { divisions.chooseOneMore() }
        divisions.accumulate()
        return (0...limit).map { divisions[$0] }
    }
}
