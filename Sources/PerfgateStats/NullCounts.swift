/// The number of equally likely ways to divide the pooled samples in which the statistic U is at most a limit.
///
/// It walks the tie groups upwards. A state is (number of values so far on the *chosen* side, 2U so far). A group of t
/// values with k chosen, after `others` values of the other side, adds k·(2·others + t − k) to 2U in C(t, k) ways. Only
/// positive numbers are added, so the smallest tail is relatively as accurate as the largest. With mid-ranks this is the
/// permutation distribution given the ties (E. L. Lehmann, *Nonparametrics*, 1975, §1.4; the recursion over tie groups:
/// J. H. Klotz, "The Wilcoxon, ties, and the computer", JASA 61 (1966) 772–787).
struct NullCounts {
    /// The sizes of the tie groups, in walking order.
    let groups: [Int]
    /// The size of the side whose U is counted, and of the other one.
    let chosen, others: Int
    /// The largest 2U of interest, at least 0.
    let limit: Int
    /// 2U is always a multiple of this: 2 if every group has odd size, else 1.
    let step: Int
    /// Whether divisions are counted unscaled, because their number is within the range of `Double`.
    let countsWhole: Bool

    init(groups: [Int], chosen: Int, limit: Int) {
        (self.groups, self.chosen, self.limit) = (groups, chosen, limit)
        others = groups.reduce(0, +) - chosen
        step = groups.allSatisfy { $0 % 2 == 1 } ? 2 : 1
        countsWhole = Binomial.coefficient(chosen + others, chosen).isFinite
    }

    /// The number of divisions with 2U = 0, step, 2·step … up to the limit, at the index 2U / step, in the unit of `all`,
    /// which is scaled where it overflows; `nil` if that takes more than the allowed effort.
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

    /// The fraction of all divisions whose 2U is at most the limit; `nil` if that takes more than the allowed effort.
    func probability(_ effort: Effort) -> Double? {
        guard let counts = counts(effort) else { return nil }
        return min(1, counts.reduce(0, +) / all)
    }

    /// The number of all divisions, in the same unit as `counts`.
    var all: Double { ways(chosen + others, upTo: chosen)[chosen] }

    /// The number of ways to choose 0, 1 … `most` of a group. Where a `Double` can't hold the divisions, each value is
    /// chosen with probability chosen / (chosen + others), which changes all divisions by the same factor.
    func ways(_ size: Int, upTo most: Int) -> [Double] {
        countsWhole
            ? Binomial.row(size, upTo: most)
            : Binomial.chances(size, upTo: most, share: Double(chosen) / Double(chosen + others))
    }

    struct Effort {
        /// The most cells in memory, 8 bytes each.
        let cells: Int
        /// The number of additions after which the count is aborted.
        let additions: Int
        static let unlimited = Effort(cells: .max, additions: .max)
    }

    /// The same for two groups or more, with half the additions: the groups below and above a cut each fill a small table,
    /// and both sides only need each other's number of chosen values.
    func probability() -> Double {
        let cut = cut
        let (lower, upper) = (Stretch(self, 0..<cut), Stretch(self, cut..<groups.count))
        let (lowerStarts, upperStarts) = (lower.rowStarts(), upper.rowStarts())
        let (lowerSize, upperSize) = (lowerStarts.last ?? 0, upperStarts.last ?? 0)
        return withUnsafeTemporaryAllocation(of: Double.self, capacity: lowerSize + upperSize) { cells in
            guard let memory = cells.baseAddress else { return 1 }
            var below = Walk(lower, starts: lowerStarts, cells: memory)
            var above = Walk(upper, starts: upperStarts, cells: memory + lowerSize)
            _ = below.takeAll(additions: .max)
            _ = above.takeAll(additions: .max)
            let within = (0...lower.most).reduce(0.0) { sum, taken in
                sum + joined(below.row(taken), lower, above.row(chosen - taken), upper, taken: taken)
            }
            return min(1, within / all)
        }
    }

    /// The first group of the upper half: near the middle value and after a tie group, because distinct values need no walk.
    private var cut: Int {
        var (before, best, distance) = (0, 1, Int.max)
        for index in groups.indices.dropLast() {
            before += groups[index]
            if groups[index] > 1, abs(2 * before - chosen - others) < distance {
                (best, distance) = (index + 1, abs(2 * before - chosen - others))
            }
        }
        return best
    }

    /// Divisions with `taken` chosen values below the cut within the limit; the upper row is accumulated in place.
    private func joined(
        _ below: UnsafeMutableBufferPointer<Double>, _ lower: Stretch, _ above: UnsafeMutableBufferPointer<Double>,
        _ upper: Stretch, taken: Int
    ) -> Double {
        let across = 2 * (chosen - taken) * (lower.size - taken)
        guard !below.isEmpty, !above.isEmpty, across <= limit else { return 0 }
        Self.accumulate(above)
        let left = limit - across
        let count = min(below.count, left >> lower.stepBits + 1)
        let (bits, upperBits, last) = (lower.stepBits, upper.stepBits, above.count &- 1)
        func pairs(_ index: Int) -> Double { below[index] * above[min((left &- index &<< bits) &>> upperBits, last)] }
        // Four parallel sums, because each addition waits for the previous one.
        var (sums, index) = (SIMD4<Double>.zero, 0)
        while index &+ 4 <= count {
            sums += SIMD4(pairs(index), pairs(index &+ 1), pairs(index &+ 2), pairs(index &+ 3))
            index &+= 4
        }
        var sum = sums.sum()
        while index < count {
            sum += pairs(index)
            index &+= 1
        }
        return sum
    }

    /// Replaces each count by the sum up to it, four at a time; only one addition per four waits for the previous ones.
    private static func accumulate(_ row: UnsafeMutableBufferPointer<Double>) {
        var (sum, index) = (0.0, 0)
        while index &+ 4 <= row.count {
            let (first, second) = (row[index], row[index] + row[index &+ 1])
            let (third, fourth) = (second + row[index &+ 2], second + (row[index &+ 2] + row[index &+ 3]))
            row[index] = sum + first
            row[index &+ 1] = sum + second
            row[index &+ 2] = sum + third
            sum += fourth
            row[index &+ 3] = sum
            index &+= 4
        }
        while index < row.count {
            sum += row[index]
            row[index] = sum
            index &+= 1
        }
    }
}

extension NullCounts {
    /// A range of adjacent groups: all of them, or those below or above a cut. Its own 2U only counts pairs within it.
    struct Stretch {
        let question: NullCounts
        /// Its groups, lowest first.
        let groups: ArraySlice<Int>
        /// The numbers of values below it, and in it.
        let before, size: Int
        /// 1 if its 2U is always even, because every group has odd size, else 0: rows are indexed by 2U >> stepBits.
        let stepBits: Int

        /// The groups in a range, not empty.
        init(_ question: NullCounts, _ range: Range<Int>) {
            self.question = question
            groups = question.groups[range]
            before = question.groups[..<range.lowerBound].reduce(0, +)
            size = groups.reduce(0, +)
            stepBits = groups.allSatisfy { $0 % 2 == 1 } ? 1 : 0
        }

        /// The most of its values that can be chosen.
        var most: Int { min(question.chosen, size) }

        /// The fewest of its first `seen` values that must be chosen, so the others aren't too many.
        func fewest(seen: Int) -> Int { max(0, seen - question.others) }

        /// The largest 2U for which a division can still end within the limit, with `taken` of `seen` values chosen. From
        /// the lowest value on, at best all remaining chosen values follow at once; above a cut, every chosen value is
        /// larger than all others below it.
        func bound(taken: Int, seen: Int) -> Int {
            before == 0
                ? question.limit - 2 * (question.chosen - taken) * (seen - taken)
                : question.limit - 2 * taken * max(0, before - question.chosen + taken)
        }

        /// The start of each row of the table, by number of chosen values so far, and the end of the last one. Row
        /// `taken` holds at most 2·taken·x, with x others so far, and within `bound` at most taken·limit / chosen if
        /// nothing lies below. With all groups, the last group only reaches the last row.
        func rowStarts() -> [Int] {
            let isWhole = size == question.chosen + question.others
            let seen = isWhole ? size - (groups.last ?? 0) : size
            var starts = [0]
            for taken in 0...most {
                let share = before == 0 ? taken * question.limit / max(1, question.chosen) : question.limit
                let reached = isWhole && taken == most ? question.limit : 2 * taken * max(0, seen - taken)
                starts.append(starts[taken] + min(share, reached) >> stepBits + 1)
            }
            return starts
        }
    }

    /// The table that `counts` fills: one row per number of chosen values so far, indexed by 2U >> stepBits. It uses memory
    /// lent by the caller, because checked and reference-counted storage makes the innermost loop, which is almost all of
    /// the work, several times slower.
    struct Walk {
        private let stretch: Stretch
        private let cells: UnsafeMutablePointer<Double>
        private let starts: [Int]
        /// The last used index in each row; -1 for an unreached row.
        private var tops: [Int]
        /// Rows below this are finished: they can no longer end within the limit.
        private var lowest = 0
        private var seen = 0
        /// C(t, 0), C(t, 1) … for the size t of the previous group, which is often the next one's too.
        private var ways: (size: Int, row: [Double]) = (0, [1])
        /// The number of cells added so far.
        private var work = 0

        /// An empty table in `cells`, which has room for the last of `starts`.
        init(_ stretch: Stretch, starts: [Int], cells: UnsafeMutablePointer<Double>) {
            (self.stretch, self.starts, self.cells) = (stretch, starts, cells)
            tops = [0] + Array(repeating: -1, count: stretch.most)
            cells[0] = 1
        }

        /// The counts of the divisions with this many chosen values, at the index 2U >> stepBits; empty if none is
        /// within the limit.
        func row(_ taken: Int) -> UnsafeMutableBufferPointer<Double> {
            guard (lowest...max(lowest, stretch.most)).contains(taken), taken < tops.count else {
                return UnsafeMutableBufferPointer(start: nil, count: 0)
            }
            return UnsafeMutableBufferPointer(start: cells + starts[taken], count: tops[taken] + 1)
        }

        /// Divides every group, or as many as `additions` allow; returns whether all were divided.
        mutating func takeAll(additions: Int) -> Bool {
            let distinct = stretch.groups.prefix { $0 == 1 }.count
            let fits = stretch.question.countsWhole && GaussianBinomial.fits(values: distinct, chosen: stretch.most)
            let alone = distinct > 1 && fits ? distinct : 0
            if alone > 0 { start(alone: alone) }
            for size in stretch.groups.dropFirst(alone) {
                take(group: size)
                if work > additions { return false }
            }
            return true
        }

        /// The table after the first values, which are distinct: each row is a Gaussian binomial.
        private mutating func start(alone: Int) {
            lowest = stretch.fewest(seen: alone)
            let most = min(stretch.most, alone)
            while lowest <= most, stretch.bound(taken: lowest, seen: alone) < 0 { lowest += 1 }
            // U has its largest range if half of the values are chosen.
            let widest = min(most, alone / 2) * (alone - min(most, alone / 2))
            var ways = GaussianBinomial(values: alone, through: min(widest, stretch.question.limit / 2))
            tops[0] = -1
            for taken in 0...most {
                if taken > 0 { ways.chooseOneMore() }
                let last = min(2 * taken * (alone - taken), stretch.bound(taken: taken, seen: alone))
                if taken >= lowest, last >= 0 { set(row: taken, to: ways, through: last / 2) }
            }
            seen = alone
        }

        private mutating func set(row taken: Int, to ways: borrowing GaussianBinomial, through last: Int) {
            let row = cells + starts[taken]
            let spread = 1 - stretch.stepBits
            if spread == 0 {
                for u in 0...last { row[u] = Double(ways[u]) }
            } else {
                // If 2U may be odd, every other cell is a U that distinct values never give.
                row[0] = Double(ways[0])
                for u in 1..<(last + 1) {
                    row[2 &* u &- 1] = 0
                    row[2 &* u] = Double(ways[u])
                }
            }
            tops[taken] = last << spread
            work += last
        }

        /// Divides one more tie group.
        private mutating func take(group size: Int) {
            if size != ways.size { ways = (size, stretch.question.ways(size, upTo: min(size, stretch.most))) }
            let after = seen + size
            var first = max(lowest, stretch.fewest(seen: after))
            while first <= stretch.most, stretch.bound(taken: first, seen: after) < 0 { first += 1 }
            let isPlain = size == 1 && ways.row[0] == 1
            // Downwards, so a row is read by the rows above before it changes.
            var taken = min(stretch.most, after)
            while taken >= first {
                let bound = stretch.bound(taken: taken, seen: after)
                if bound < 0 {
                    tops[taken] = -1
                } else if isPlain {
                    fill(row: taken, last: bound >> stretch.stepBits)
                } else {
                    fill(row: taken, group: size, last: bound >> stretch.stepBits)
                }
                taken -= 1
            }
            lowest = first
            seen = after
        }

        /// The row after a distinct value, the most common case: it is chosen in one way or not.
        private mutating func fill(row taken: Int, last: Int) {
            var top = min(tops[taken], last)
            if taken > lowest {
                let shift = (2 &* (seen &- taken &+ 1)) >> stretch.stepBits
                let end = min(tops[taken - 1], last &- shift)
                if end >= 0 {
                    let block = UnsafeBufferPointer(start: cells + starts[taken - 1], count: end + 1)
                    top = Self.add(block, times: nil, to: cells + starts[taken], at: shift, top: top)
                    work &+= end &+ 1
                }
            }
            tops[taken] = top
        }

        private mutating func fill(row taken: Int, group size: Int, last: Int) {
            let row = cells + starts[taken]
            var top = min(tops[taken], last)
            Self.scale(row, through: top, by: ways.row[0])
            var source = taken - 1
            while source >= max(lowest, taken - size) {
                let picked = taken - source
                let shift = (picked * (2 * (seen - source) + size - picked)) >> stretch.stepBits
                let end = min(tops[source], last - shift)
                if end >= 0 {
                    let block = UnsafeBufferPointer(start: cells + starts[source], count: end + 1)
                    top = Self.add(block, times: ways.row[picked], to: row, at: shift, top: top)
                    work += end + 1
                }
                source -= 1
            }
            tops[taken] = top
        }

        /// If none of a group is chosen: one way, unless ways are scaled.
        private static func scale(_ row: UnsafeMutablePointer<Double>, through top: Int, by ways: Double) {
            guard ways != 1, top >= 0 else { return }
            for index in 0...top { row[index] *= ways }
        }

        /// Adds a block to a row whose cells beyond `top` are unused, and returns the row's new last index; `nil` ways
        /// mean one, without multiplying.
        @inline(__always) private static func add(
            _ block: UnsafeBufferPointer<Double>, times ways: Double?, to row: UnsafeMutablePointer<Double>,
            at shift: Int, top: Int
        ) -> Int {
            let shared = min(max(0, top &+ 1 &- shift), block.count)
            let target = row + shift
            var index = 0
            while index < shared {
                target[index] += ways.map { $0 * block[index] } ?? block[index]
                index &+= 1
            }
            if top &+ 1 < shift { (row + top + 1).update(repeating: 0, count: shift &- top &- 1) }
            while index < block.count {
                target[index] = ways.map { $0 * block[index] } ?? block[index]
                index &+= 1
            }
            return max(top, shift &+ block.count &- 1)
        }
    }
}
