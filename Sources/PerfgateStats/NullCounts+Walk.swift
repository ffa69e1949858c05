extension NullCounts {
    /// The table that `counts` fills: one row for each number of chosen values so far, indexed by 2U >> stepBits.
    ///
    /// It lives in memory that the caller lends it, because checked and counted storage makes the innermost loop, which
    /// is nearly all of the work, several times slower.
    struct Walk {
        private let stretch: Stretch
        private let cells: UnsafeMutablePointer<Double>
        /// Where each row starts.
        private let starts: [Int]
        /// The last index in use in each row; -1 for a row that no state has reached.
        private var tops: [Int]
        /// Rows below this are left behind: they can no longer end within the limit.
        private var lowest = 0
        private var seen = 0
        /// C(t, 0), C(t, 1) … for the size t of the group before, which most often is the next one's too.
        private var ways: (size: Int, row: [Double]) = (0, [1])
        /// How many cells have been added so far.
        private var work = 0

        /// An empty table in `cells`, which has room for the last of `starts`.
        init(_ stretch: Stretch, starts: [Int], cells: UnsafeMutablePointer<Double>) {
            self.stretch = stretch
            self.starts = starts
            self.cells = cells
            tops = [0] + Array(repeating: -1, count: stretch.most)
            cells[0] = 1
        }

        /// The counts of the divisions with so many chosen values, at the index 2U >> stepBits; empty where none is
        /// within the limit.
        func row(_ taken: Int) -> UnsafeMutableBufferPointer<Double> {
            guard (lowest...max(lowest, stretch.most)).contains(taken), taken < tops.count else {
                return UnsafeMutableBufferPointer(start: nil, count: 0)
            }
            return UnsafeMutableBufferPointer(start: cells + starts[taken], count: tops[taken] + 1)
        }

        /// Divides every group, or as many as `additions` allow; whether that was all of them.
        mutating func takeAll(additions: Int) -> Bool {
            var alone = stretch.groups.prefix { $0 == 1 }.count
            if alone > 1, stretch.question.countsWhole, GaussianBinomial.fits(values: alone, chosen: stretch.most) {
                start(alone: alone)
            } else {
                alone = 0
            }
            for size in stretch.groups.dropFirst(alone) {
                take(group: size)
                if work > additions { return false }
            }
            return true
        }

        /// The table after the first values, of which no two are equal: each row is a Gaussian binomial.
        private mutating func start(alone: Int) {
            lowest = stretch.fewest(seen: alone)
            let most = min(stretch.most, alone)
            while lowest <= most, stretch.bound(taken: lowest, seen: alone) < 0 { lowest += 1 }
            // U has its greatest range where half of the values are chosen.
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
                // Where 2U may be odd, every other cell is of a U that single values never give.
                row[0] = Double(ways[0])
                for u in 1..<(last + 1) {
                    row[2 &* u &- 1] = 0
                    row[2 &* u] = Double(ways[u])
                }
            }
            tops[taken] = last << spread
            work += last
        }

        /// Divides one more group of equal values.
        private mutating func take(group size: Int) {
            if size != ways.size { ways = (size, stretch.question.ways(size, upTo: min(size, stretch.most))) }
            let after = seen + size
            var first = max(lowest, stretch.fewest(seen: after))
            while first <= stretch.most, stretch.bound(taken: first, seen: after) < 0 { first += 1 }
            let isPlain = size == 1 && ways.row[0] == 1
            // Downwards, so that a row is read by those above it before it changes.
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

        /// The row after a value that equals no other, which most are: it is chosen in one way or not.
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

        /// Where none of a group is chosen: one way, unless ways are scaled.
        private static func scale(_ row: UnsafeMutablePointer<Double>, through top: Int, by ways: Double) {
            guard ways != 1, top >= 0 else { return }
            for index in 0...top { row[index] *= ways }
        }

        /// Adds a block to a row whose cells beyond `top` hold nothing yet, and gives the row's new last index; `nil`
        /// ways are one, without multiplying.
        @inline(__always)
        private static func add(
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
