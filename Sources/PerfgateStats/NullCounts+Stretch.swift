extension NullCounts {
    /// A stretch of neighbouring groups: all of them, or those below or above a cut.
    ///
    /// Some of its values are chosen, the others not; its own 2U counts pairs within the stretch alone.
    struct Stretch {
        /// What is counted.
        let question: NullCounts
        /// Its groups, lowest first.
        let groups: ArraySlice<Int>
        /// How many values lie below it.
        let before: Int
        /// How many values it has.
        let size: Int
        /// 1 where its 2U is always even, because every group is of odd size, else 0: its rows are indexed by
        /// 2U >> stepBits.
        let stepBits: Int

        /// The groups of that range, not empty.
        init(_ question: NullCounts, _ range: Range<Int>) {
            self.question = question
            groups = question.groups[range]
            before = question.groups[..<range.lowerBound].reduce(0, +)
            size = groups.reduce(0, +)
            stepBits = groups.allSatisfy { $0 % 2 == 1 } ? 1 : 0
        }

        /// The most of its values that can be chosen.
        var most: Int { min(question.chosen, size) }

        /// The fewest that must be chosen of its first `seen` values, or the others would be too many.
        func fewest(seen: Int) -> Int { max(0, seen - question.others) }

        /// The most that 2U may have reached for a division to end within the limit, `taken` of `seen` values chosen.
        ///
        /// From the lowest value on: at best every chosen value still to come follows at once, and is greater than the
        /// others seen so far. Above a cut: every chosen value is greater than all others below the cut.
        func bound(taken: Int, seen: Int) -> Int {
            before == 0
                ? question.limit - 2 * (question.chosen - taken) * (seen - taken)
                : question.limit - 2 * taken * max(0, before - question.chosen + taken)
        }

        /// Where each row of the table starts, by chosen values so far, and where the last one ends.
        ///
        /// Row `taken` holds 2·taken·x at most, x being the others seen so far, and within `bound` never more than
        /// taken·limit / chosen where nothing lies below. Of all groups the last one reaches the last row only.
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
}
