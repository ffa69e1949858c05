import PerfgateModel

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
    /// How many frames of 60 Hz the dropped frames of a group are as long as, where ticks tell them.
    private var framesAtSixtyHertz: [Int: Double] = [:]

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

    /// The samples of a group in an iteration, sorted.
    func samples(of number: Int, iteration: Int) -> [Sample] {
        let values = values[range(of: number)]
        // The ticks' time is that of their own value, and no line's.
        let frames = values.count == 1 ? framesAtSixtyHertz[number] : nil
        return values.sorted().map { Sample($0, iteration: iteration, framesAtSixtyHertz: frames) }
    }

    /// Notes how many frames of 60 Hz the dropped frames of a group are as long as.
    mutating func note(framesAtSixtyHertz frames: Double, of number: Int32) {
        framesAtSixtyHertz[Int(number)] = frames
    }

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

/// Values with the numbers of what they belong to, in two lists of equal length: 12 bytes a value.
struct SampleColumns {
    /// The metrics of the values; once a shard is put together, its groups.
    var numbers: [Int32] = []
    /// The values; one that is not a number says that something was measured without giving a sample.
    private(set) var values: [Double] = []

    /// How many values there are.
    var count: Int { values.count }

    /// Adds a value.
    @inline(__always)
    mutating func append(_ number: Int32, _ value: Double) {
        numbers.append(number)
        values.append(value)
    }

    /// Adds values of others.
    mutating func append(_ range: Range<Int>, of others: SampleColumns) {
        numbers += others.numbers[range]
        values += others.values[range]
    }
}

/// Values that lines of a stream give as they stand, with their iterations.
struct PointTable {
    /// The iterations of the values, by their numbers.
    private(set) var iterations: [Int32] = []
    /// The values.
    var samples = SampleColumns()

    /// Adds a value of a metric; one that is not a number says that it was measured without giving a sample.
    mutating func append(_ iteration: Int32, _ metric: Int32, _ value: Double) {
        iterations.append(iteration)
        samples.append(metric, value)
    }
}

/// The iterations of pages that a stream or a shard measures, each known by a number.
struct IterationTable {
    /// A page in an environment.
    struct Place: Hashable {
        let page: Int32
        let environment: Int32
    }

    /// Which samples belong together.
    struct Key: Hashable {
        let page: Int32
        let environment: Int32
        let iteration: Int

        /// Its page and environment.
        var place: Place { Place(page: page, environment: environment) }
    }

    /// The iterations in the order in which they were met.
    private(set) var keys: [Key] = []
    private var index = HashedIndex()
    private var last: Int32 = 0

    /// The number of an iteration; neighbouring lines mostly ask for the same.
    @inline(__always)
    mutating func number(of key: Key) -> (number: Int32, isNew: Bool) {
        if Int(last) < keys.count, keys[Int(last)] == key { return (last, false) }
        return find(key)
    }

    private mutating func find(_ key: Key) -> (number: Int32, isNew: Bool) {
        let place = UInt64(UInt32(bitPattern: key.page)) << 32 | UInt64(UInt32(bitPattern: key.environment))
        let hash = HashedIndex.hash(place, UInt64(bitPattern: Int64(key.iteration)))
        let (number, isNew) = index.number(hash: hash) { keys[$0] == key }
        if isNew { keys.append(key) }
        last = Int32(number)
        return (last, isNew)
    }
}
