extension NullCounts {
    /// The table that `counts()` fills: one row for each number of chosen values so far, indexed by 2U / step.
    struct Walk {
        private let question: NullCounts
        /// Where each row starts; a row's length is what its bound can ever reach.
        private let starts: [Int]
        /// The last index in use in each row; -1 for a row that no state has reached.
        private var tops: [Int]
        private var cells: [Double]
        /// How many cells have been added so far.
        private(set) var work = 0

        /// An empty table; `nil` where it would need more than `space` cells.
        init?(_ question: NullCounts, space: Int) {
            self.question = question
            starts = Self.starts(question)
            guard starts[question.chosen + 1] <= space else { return nil }
            tops = [0] + Array(repeating: -1, count: question.chosen)
            cells = Array(repeating: 0, count: starts[question.chosen + 1])
            cells[0] = 1
        }

        /// Where each row starts, and where the last one ends.
        ///
        /// Row `taken` holds min(2·taken·x, limit − 2·(chosen − taken)·x) at most, x being the others seen so far:
        /// never more than taken·limit / chosen. The last group reaches the last row only.
        private static func starts(_ question: NullCounts) -> [Int] {
            let seen = question.chosen + question.others - (question.groups.last ?? 0)
            var starts = [0]
            for taken in 0..<question.chosen {
                let most = min(taken * question.limit / question.chosen, 2 * taken * max(0, seen - taken))
                starts.append(starts[taken] + most / question.step + 1)
            }
            return starts + [starts[question.chosen] + question.limit / question.step + 1]
        }

        /// The counts of complete divisions, once every group has been taken.
        func finished() -> [Double] {
            let row = starts[question.chosen]
            return Array(cells[row..<(row + tops[question.chosen] + 1)])
        }

        /// Divides one more group of equal values, `before` values having been seen.
        mutating func take(group size: Int, before: Int) {
            let most = min(question.chosen, before + size)
            let ways = Binomial.row(size, upTo: min(size, question.chosen))
            // Downwards, so that a row is read by those above it before it changes.
            for taken in stride(from: most, through: max(0, before + size - question.others), by: -1) {
                fill(row: taken, group: size, before: before, ways: ways)
            }
        }

        private mutating func fill(row taken: Int, group size: Int, before: Int, ways: [Double]) {
            let bound = question.bound(taken: taken, seen: before + size)
            guard bound >= 0 else {
                tops[taken] = -1
                return
            }
            let last = bound / question.step
            var top = taken >= before - question.others ? min(tops[taken], last) : -1
            let fewest = max(0, before - question.others, taken - size)
            for source in stride(from: taken - 1, through: fewest, by: -1) where tops[source] >= 0 {
                let picked = taken - source
                let shift = picked * (2 * (before - source) + size - picked) / question.step
                let end = min(tops[source], last - shift)
                guard end >= 0 else { continue }
                top = extend(row: taken, from: top, to: end + shift)
                add(row: source, through: end, to: taken, shift: shift, times: ways[picked])
            }
            tops[taken] = top
        }

        /// Clears the cells of a row that come into use, and gives its new last index.
        private mutating func extend(row: Int, from top: Int, to newTop: Int) -> Int {
            guard newTop > top else { return top }
            for index in (starts[row] + top + 1)...(starts[row] + newTop) { cells[index] = 0 }
            return newTop
        }

        private mutating func add(row source: Int, through end: Int, to target: Int, shift: Int, times ways: Double) {
            work += end + 1
            let (from, to) = (starts[source], starts[target] + shift)
            // Without bounds checks the compiler can add several cells at once; `starts` keeps both in range.
            cells.withUnsafeMutableBufferPointer { cells in
                for index in 0...end { cells[to + index] += ways * cells[from + index] }
            }
        }
    }
}
