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

    init(groups: [Int], chosen: Int, limit: Int) {
        self.groups = groups
        self.chosen = chosen
        self.others = groups.reduce(0, +) - chosen
        self.limit = limit
        self.step = groups.allSatisfy { $0 % 2 == 1 } ? 2 : 1
    }

    /// The number of divisions with 2U = 0, step, 2·step … up to the limit, at the index 2U / step.
    ///
    /// `nil` where that takes more than the effort allowed.
    func counts(_ effort: Effort) -> [Double]? {
        guard var walk = Walk(self, space: effort.cells) else { return nil }
        var before = 0
        for size in groups {
            walk.take(group: size, before: before)
            guard walk.work <= effort.additions else { return nil }
            before += size
        }
        return walk.finished()
    }

    /// The share of all divisions whose 2U is at most the limit; `nil` where that takes more than the effort allowed,
    /// or where the number of divisions is beyond the range of `Double`.
    func probability(_ effort: Effort) -> Double? {
        let all = Binomial.coefficient(chosen + others, chosen)
        guard all.isFinite, let counts = counts(effort) else { return nil }
        return min(1, counts.reduce(0, +) / all)
    }

    /// The most 2U may have reached for a division to end within the limit, `taken` of `seen` values being chosen.
    ///
    /// At best every chosen value still to come follows at once, and is greater than the others seen so far.
    func bound(taken: Int, seen: Int) -> Int {
        limit - 2 * (chosen - taken) * (seen - taken)
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
