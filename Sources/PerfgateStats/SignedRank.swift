/// The exact signed-rank test for pairs, such as the medians of runs measured in turn on one device.
///
/// F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945) 80–83: pairs without a
/// difference are left out, ties in size get mid-ranks, and the chances are exact given those (every sign is equally
/// likely).
public struct SignedRank: Sendable {
    /// The greatest number of pairs that is counted.
    public static let mostPairs = 300

    /// The pairs that differ; 0…`mostPairs`.
    public let count: Int
    /// Twice the rank of each difference by its size, ascending.
    private let doubledRanks: [Int]
    /// Twice the sum of the ranks of the pairs in which the candidate is greater.
    private let doubledSum: Int

    /// Pairs `candidate[i] − shift` with `baseline[i]`, in IEEE double.
    ///
    /// Throws where the two are not of one length, are longer than `mostPairs`, or hold a NaN or an infinity.
    public init(baseline: [Double], candidate: [Double], shift: Double = 0) throws(StatsError) {
        guard baseline.count == candidate.count else {
            throw .unpaired(baseline: baseline.count, candidate: candidate.count)
        }
        guard baseline.count <= Self.mostPairs else { throw .tooLarge(size: baseline.count, limit: Self.mostPairs) }
        guard shift.isFinite else { throw .outOfRange(setting: "the shift", allowed: "a finite number") }
        if let position = zip(baseline, candidate).map({ $0.isFinite && $1.isFinite }).firstIndex(of: false) {
            throw .notFinite(position: position)
        }
        let differences = zip(baseline, candidate).map { ($1 - shift - $0).saturated }
            .filter { $0 != 0 }.sorted { abs($0) < abs($1) }
        let ranks = Self.doubledRanks(differences.map { abs($0) })
        count = differences.count
        doubledRanks = ranks
        doubledSum = zip(differences, ranks).reduce(0) { $1.0 > 0 ? $0 + $1.1 : $0 }
    }

    /// W⁺, the sum of the ranks of the pairs in which the candidate is greater; 0…count·(count + 1)/2 in steps of ½.
    public var w: Double { Double(doubledSum) / 2 }

    /// P(W⁺ ≥ w) if every sign were equally likely, 0…1: small where the candidate is greater.
    public var probabilityOfGreater: Double { chance(through: count * (count + 1) - doubledSum) }

    /// P(W⁺ ≤ w) if every sign were equally likely, 0…1: small where the candidate is less.
    public var probabilityOfLess: Double { chance(through: doubledSum) }

    /// 2 to the power of −`count`: the smallest chance that so many differing pairs can give, above 0, at most 1.
    public var smallestProbability: Double { Double(sign: .plus, exponent: -count, significand: 1) }

    /// Both ends have the same distribution, so that only sums up to a limit are ever counted.
    private func chance(through limit: Int) -> Double {
        var chances = Array(repeating: 0.0, count: limit + 1)
        chances[0] = 1
        for rank in doubledRanks {
            for sum in stride(from: limit, through: 0, by: -1) {
                chances[sum] = (chances[sum] + (sum >= rank ? chances[sum - rank] : 0)) / 2
            }
        }
        return min(1, chances.reduce(0, +))
    }

    private static func doubledRanks(_ ascending: [Double]) -> [Int] {
        var ranks: [Int] = []
        while ranks.count < ascending.count {
            let before = ranks.count
            let size = ascending[before...].prefix { $0 == ascending[before] }.count
            ranks += Array(repeating: 2 * before + size + 1, count: size)
        }
        return ranks
    }
}
