extension NullCounts {
    /// The table that `counts` fills: one row for each number of chosen values so far, indexed by 2U / step.
    ///
    /// It lives in memory that the caller lends it, because checked and counted storage makes the innermost loop, which
    /// is nearly all of the work, several times slower.
    struct Walk {
        private let question: NullCounts
        private let cells: UnsafeMutablePointer<Double>
        /// Where each row starts.
        private let starts: [Int]
        /// The last index in use in each row; -1 for a row that no state has reached.
        private var tops: [Int]
        /// Rows below this can no longer end within the limit.
        private var lowest = 0
        private var seen = 0
        /// C(t, 0), C(t, 1) … for the size t of the group before, which most often is the next one's too.
        private var ways: (size: Int, row: [Double]) = (0, [1])
        /// How many cells have been added so far.
        private(set) var work = 0

        /// An empty table in `cells`, which has room for the last of `starts`.
        init(_ question: NullCounts, starts: [Int], cells: UnsafeMutablePointer<Double>) {
            self.question = question
            self.starts = starts
            self.cells = cells
            tops = [0] + Array(repeating: -1, count: question.chosen)
            cells[0] = 1
        }

        /// The counts of complete divisions, once every group has been taken.
        func finished() -> [Double] {
            Array(UnsafeBufferPointer(start: cells + starts[question.chosen], count: tops[question.chosen] + 1))
        }

        /// Divides one more group of equal values.
        mutating func take(group size: Int) {
            if size != ways.size { ways = (size, question.ways(size, upTo: min(size, question.chosen))) }
            // A row's bound falls with the values seen, and from row to row downwards.
            let after = seen + size
            var first = max(lowest, after - question.others)
            while question.bound(taken: first, seen: after) < 0 { first += 1 }
            // Downwards, so that a row is read by those above it before it changes.
            for taken in stride(from: min(question.chosen, after), through: first, by: -1) {
                fill(row: taken, group: size, last: question.bound(taken: taken, seen: after) / question.step)
            }
            lowest = first
            seen = after
        }

        private mutating func fill(row taken: Int, group size: Int, last: Int) {
            let row = cells + starts[taken]
            var top = min(tops[taken], last)
            Self.scale(row, through: top, by: ways.row[0])
            var source = taken - 1
            while source >= max(lowest, taken - size) {
                let picked = taken - source
                let shift = picked * (2 * (seen - source) + size - picked) / question.step
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

        /// Adds a block to a row whose cells beyond `top` hold nothing yet, and gives the row's new last index.
        private static func add(
            _ block: UnsafeBufferPointer<Double>, times ways: Double, to row: UnsafeMutablePointer<Double>,
            at shift: Int, top: Int
        ) -> Int {
            let shared = min(max(0, top + 1 - shift), block.count)
            var index = 0
            while index < shared {
                row[shift &+ index] += ways * block[index]
                index &+= 1
            }
            if top + 1 < shift { (row + top + 1).update(repeating: 0, count: shift - top - 1) }
            while index < block.count {
                row[shift &+ index] = ways * block[index]
                index &+= 1
            }
            return max(top, shift + block.count - 1)
        }
    }
}
