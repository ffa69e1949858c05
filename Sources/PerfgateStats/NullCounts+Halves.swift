extension NullCounts {
    /// The share of all divisions whose 2U is at most the limit, for two groups or more.
    ///
    /// Counted from both ends: the groups below a cut and those above it each fill a small table, and what the two
    /// sides need of each other is only how many values they have chosen. Half the additions of one walk through all.
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

    /// The group from which on the upper half begins: as near to the middle value as groups allow, behind a group of
    /// equal values, so that what follows begins with values that stand alone and need no walk.
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

    /// How many divisions with `taken` chosen values below the cut stay within the limit; the upper row is summed up in
    /// place.
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
        func pairs(_ index: Int) -> Double {
            below[index] * above[min((left &- index &<< bits) &>> upperBits, last)]
        }
        // Four sums side by side, because each addition waits for the one before.
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

    /// Each count becomes the sum of those up to it: four at a time, of which only one addition waits for those before.
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
