/// In how many of all equally likely ways to divide pooled samples the statistic U comes out as small as asked.
///
/// Walks the groups of equal values upwards. A state is (values taken so far that belong to the *chosen* side, 2U so
/// far); a group of t values of which k are chosen, after `others` values of the other side, adds k·(2·others + t − k)
/// to 2U and can be divided in C(t, k) ways. Only positive numbers are ever added, so that the smallest tail is as
/// accurate, relatively, as the largest; states that can no longer end at or below the limit are never visited.
/// With mid-ranks this is the permutation distribution given the ties (E. L. Lehmann, *Nonparametrics*, 1975, §1.4;
/// the recursion over tie groups: J. H. Klotz, "The Wilcoxon, ties, and the computer", JASA 61 (1966) 772–787).
struct NullCounts {
    /// The sizes of the groups of equal values, in the order in which they are walked.
    let groups: [Int]
    /// The size of the side whose U is counted.
    let chosen: Int
    /// The size of the other side.
    let others: Int
    /// The greatest 2U of interest, at least 0.
    let limit: Int
    /// 2U is always a multiple of this: 2 where every group is of odd size, else 1.
    let step: Int
    /// Whether divisions are counted as they are, because their number is within the range of `Double`; else scaled.
    let countsWhole: Bool

    init(groups: [Int], chosen: Int, limit: Int) {
        self.groups = groups
        self.chosen = chosen
        self.others = groups.reduce(0, +) - chosen
        self.limit = limit
        self.step = groups.allSatisfy { $0 % 2 == 1 } ? 2 : 1
        self.countsWhole = Binomial.coefficient(chosen + others, chosen).isFinite
    }

    /// The number of divisions with 2U = 0, step, 2·step … up to the limit, at the index 2U / step.
    ///
    /// In the measure of `all`: as they are, or scaled where they overflow.
    /// `nil` where that takes more than the effort allowed.
    func counts(_ effort: Effort) -> [Double]? {
        let stretch = Stretch(self, groups.indices)
        let starts = stretch.rowStarts()
        let size = starts.last ?? 0
        guard size <= effort.cells else { return nil }
        return withUnsafeTemporaryAllocation(of: Double.self, capacity: size) { cells in
            guard let memory = cells.baseAddress else { return nil }
            var walk = Walk(stretch, starts: starts, cells: memory)
            return walk.takeAll(additions: effort.additions) ? Array(walk.row(chosen)) : nil
        }
    }

    /// The share of all divisions whose 2U is at most the limit; `nil` where that takes more than the effort allowed.
    func probability(_ effort: Effort) -> Double? {
        guard let counts = counts(effort) else { return nil }
        return min(1, counts.reduce(0, +) / all)
    }

    /// The number of all divisions, in the same measure as `counts`.
    var all: Double { ways(chosen + others, upTo: chosen)[chosen] }

    /// In how many ways 0, 1 … `most` of a group are chosen.
    ///
    /// Where there are more divisions than a `Double` can hold, each value counts as chosen with the chance
    /// chosen / (chosen + others) instead, which changes all divisions by the same factor.
    func ways(_ size: Int, upTo most: Int) -> [Double] {
        countsWhole
            ? Binomial.row(size, upTo: most)
            : Binomial.chances(size, upTo: most, share: Double(chosen) / Double(chosen + others))
    }

    /// How much may be spent on one count.
    struct Effort {
        /// The greatest number of cells in memory, of 8 bytes each.
        let cells: Int
        /// The number of additions after which the count is given up.
        let additions: Int

        /// No bound.
        static let unlimited = Effort(cells: .max, additions: .max)
    }
}
