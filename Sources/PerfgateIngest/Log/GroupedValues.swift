/// The values of one shard by group: those of one metric in one iteration of a page.
struct GroupedValues {
    /// What the values of a group have in common.
    struct Group: Equatable {
        /// The iteration, by its number in the shard.
        let iteration: Int32
        /// The metric, by its number.
        let metric: Int32
    }

    /// The groups in the order in which they were met, also those without a value.
    private(set) var groups: [Group] = []
    /// The groups with a value that is too large to be a number.
    private(set) var infiniteGroups: Set<Int> = []
    private var index = HashedIndex()
    private var values: [Double] = []
    /// Where the values of each group end.
    private var ends: [Int] = []

    /// The number of a group.
    @inline(__always)
    mutating func number(of group: Group) -> Int32 {
        let hash = HashedIndex.hash(
            UInt64(truncatingIfNeeded: group.iteration), UInt64(truncatingIfNeeded: group.metric))
        let (number, isNew) = index.number(hash: hash) { groups[$0] == group }
        if isNew { groups.append(group) }
        return Int32(number)
    }

    /// Takes the values of columns whose numbers are those of groups, or negative for values that don't count.
    mutating func take(_ columns: [SampleColumns]) {
        var starts = self.starts(columns)
        values = Array(repeating: 0, count: starts.last ?? 0)
        for column in columns {
            for (number, value) in zip(column.numbers, column.values) where number >= 0 && value.isFinite {
                values[starts[Int(number)]] = value
                starts[Int(number)] += 1
            }
        }
        ends = Array(starts.dropLast())
    }

    /// How many values a group has.
    func count(of number: Int) -> Int { range(of: number).count }

    /// The values of a group, sorted.
    func sortedValues(of number: Int) -> [Double] { values[range(of: number)].sorted() }

    private func range(of number: Int) -> Range<Int> {
        (number == 0 ? 0 : ends[number - 1])..<ends[number]
    }

    /// Where the values of each group start, and behind them how many there are.
    private mutating func starts(_ columns: [SampleColumns]) -> [Int] {
        var starts = [Int](repeating: 0, count: groups.count + 1)
        for column in columns {
            for (number, value) in zip(column.numbers, column.values) where number >= 0 {
                if value.isFinite { starts[Int(number) + 1] += 1 }
                if value.isInfinite { infiniteGroups.insert(Int(number)) }
            }
        }
        for number in groups.indices { starts[number + 1] += starts[number] }
        return starts
    }
}
