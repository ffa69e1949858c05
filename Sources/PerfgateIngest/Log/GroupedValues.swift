import Dispatch

/// The values of one shard by group: one metric in one iteration of a page. Every value is visited twice: first it is
/// counted, then, when all groups have their ranges, it is stored. The groups of a cell are adjacent, ordered by
/// iteration, so its samples are a slice of all values.
struct GroupedValues {
    struct Group: Equatable {
        let iteration: Int32, metric: Int32
    }

    struct Cell {
        let place: IterationTable.Place
        let metric: Int32
        /// The values, sorted by iteration, then value.
        let values: ArraySlice<Double>
        /// The iterations in order, with their numbers of values, and the duration of dropped frames in 60 Hz frames
        /// if ticks give it for a single value.
        let iterations: [(iteration: Int, count: Int, framesAtSixtyHertz: Double?)]
        let hasInfinite: Bool
    }

    private static let mostPlaces = 1 << 22

    private var groups: [Group] = []
    private var counts: [Int] = []
    private var infiniteGroups: Set<Int32> = []
    private var framesAtSixtyHertz: [Int32: Double] = [:]
    /// The numbers of the groups by iteration and metric, plus 1; empty if the table would be too large.
    private var table: [Int32]
    private let metrics: Int
    private var index = HashedIndex()

    private var values: [Double] = []
    private var ends: [Int] = []
    private var valueCount = 0
    private var order: [Int] = []

    init(iterations: Int, metrics: Int) {
        self.metrics = metrics
        table = Array(repeating: 0, count: iterations * metrics <= Self.mostPlaces ? iterations * metrics : 0)
    }

    @inline(__always) func known(iteration: Int32, metric: Int32) -> Int32 {
        guard table.isEmpty else { return table[Int(iteration) &* metrics &+ Int(metric)] &- 1 }
        let group = Group(iteration: iteration, metric: metric)
        return Int32(index.known(hash: Self.hash(group)) { groups[$0] == group } ?? -1)
    }

    @inline(__always) mutating func number(iteration: Int32, metric: Int32) -> Int32 {
        guard !table.isEmpty else { return find(Group(iteration: iteration, metric: metric)) }
        let place = Int(iteration) &* metrics &+ Int(metric)
        if table[place] == 0 {
            add(Group(iteration: iteration, metric: metric))
            table[place] = Int32(groups.count)
        }
        return table[place] &- 1
    }

    private mutating func find(_ group: Group) -> Int32 {
        let (number, isNew) = index.number(hash: Self.hash(group)) { groups[$0] == group }
        if isNew { add(group) }
        return Int32(number)
    }

    private static func hash(_ group: Group) -> UInt64 {
        HashedIndex.hash(UInt64(truncatingIfNeeded: group.iteration), UInt64(truncatingIfNeeded: group.metric))
    }

    private mutating func add(_ group: Group) {
        groups.append(group)
        counts.append(0)
    }

    /// Counts a value to be stored; nonfinite ones don't count.
    @inline(__always) mutating func count(_ value: Double, in number: Int32) {
        if value.isFinite { counts[Int(number)] &+= 1 } else if value.isInfinite { infiniteGroups.insert(number) }
    }

    mutating func note(framesAtSixtyHertz frames: Double, of number: Int32) { framesAtSixtyHertz[number] = frames }

    /// Assigns ranges to all groups, after all values were counted.
    mutating func arrange(_ keys: [IterationTable.Key]) {
        let (groups, counts) = (groups, counts)
        order = groups.indices.sorted { first, second in
            let (one, other) = (keys[Int(groups[first].iteration)], keys[Int(groups[second].iteration)])
            return (one.place.page, one.place.environment, groups[first].metric, one.iteration)
                < (other.place.page, other.place.environment, groups[second].metric, other.iteration)
        }
        ends = Array(repeating: 0, count: groups.count)
        valueCount = 0
        for number in order {
            ends[number] = valueCount
            valueCount += counts[number]
        }
    }

    /// Stores all counted values: a closure passes each with its group to another one.
    mutating func put(_ body: (_ put: (Double, Int32) -> Void) -> Void) {
        values = Array(unsafeUninitializedCapacity: valueCount) { buffer, count in
            ends.withUnsafeMutableBufferPointer { ends in
                body { value, number in
                    guard value.isFinite else { return }
                    buffer[ends[Int(number)]] = value
                    ends[Int(number)] &+= 1
                }
            }
            count = valueCount
        }
    }

    /// The cells with sorted values, after all values were stored.
    mutating func cells(_ keys: [IterationTable.Key]) -> [Cell] {
        sort()
        var cells: [Cell] = []
        var start = 0
        while start < order.count {
            let metric = groups[order[start]].metric
            let key = keys[Int(groups[order[start]].iteration)]
            let end =
                order[start...].firstIndex {
                    groups[$0].metric != metric || keys[Int(groups[$0].iteration)].place != key.place
                } ?? order.count
            let numbers = order[start..<end]
            let first = ends[order[start]] - counts[order[start]]
            cells.append(
                Cell(
                    place: key.place, metric: metric, values: values[first..<ends[order[end - 1]]],
                    iterations: numbers.map { number in
                        // The ticks' duration belongs to their own value, not to a line's.
                        let frames = counts[number] == 1 ? framesAtSixtyHertz[Int32(number)] : nil
                        return (keys[Int(groups[number].iteration)].iteration, counts[number], frames)
                    },
                    hasInfinite: numbers.contains { infiniteGroups.contains(Int32($0)) }))
            start = end
        }
        return cells
    }

    private mutating func sort() {
        let (order, ends, counts) = (order, ends, counts)
        let tasks = values.count < 100_000 ? 1 : min(order.count, 64)
        values.withUnsafeMutableBufferPointer { values in
            nonisolated(unsafe) let values = values
            @Sendable func sort(_ task: Int) {
                let scratch = RadixSort()
                for number in order[(order.count * task / tasks)..<(order.count * (task + 1) / tasks)] {
                    let range = (ends[number] - counts[number])..<ends[number]
                    scratch.sort(UnsafeMutableBufferPointer(rebasing: values[range]))
                }
            }
            if tasks == 1 { sort(0) } else { DispatchQueue.concurrentPerform(iterations: tasks, execute: sort) }
        }
    }
}

/// Sorts doubles by the highest 24 differing bits, which usually sorts them completely, and then fixes the rest.
private final class RadixSort {
    private var keys: [UInt64] = [], others: [UInt64] = []

    /// Sorts values without NaN.
    func sort(_ values: UnsafeMutableBufferPointer<Double>) {
        guard values.count > 1 else { return }
        guard values.count >= 96 else { return correct(values) }
        if keys.count < values.count {
            keys = Array(repeating: 0, count: values.count)
            others = keys
        }
        keys.withUnsafeMutableBufferPointer { keys in
            others.withUnsafeMutableBufferPointer { others in Self.sort(values, keys, others) }
        }
        correct(values)
    }

    /// Sorts by three eight-bit digits, the lowest first.
    private static func sort(
        _ values: UnsafeMutableBufferPointer<Double>, _ keys: UnsafeMutableBufferPointer<UInt64>,
        _ others: UnsafeMutableBufferPointer<UInt64>
    ) {
        let first = key(values[0])
        var differing: UInt64 = 0
        for index in values.indices {
            keys[index] = key(values[index])
            differing |= keys[index] ^ first
        }
        let shift = max(0, 40 - differing.leadingZeroBitCount)
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 768) { starts in
            starts.initialize(repeating: 0)
            for index in values.indices {
                let digits = keys[index] &>> UInt64(shift)
                starts[Int(digits & 0xFF)] &+= 1
                starts[256 | Int(digits &>> 8 & 0xFF)] &+= 1
                starts[512 | Int(digits &>> 16 & 0xFF)] &+= 1
            }
            for digit in 0..<3 {
                var start: Int32 = 0
                for place in (digit * 256)..<(digit * 256 + 256) {
                    let count = starts[place]
                    starts[place] = start
                    start &+= count
                }
            }
            let count = values.count
            func pass(_ digit: Int, _ source: UnsafeMutableBufferPointer<UInt64>, _ put: (Int, UInt64) -> Void) {
                let bits = UInt64(shift + digit * 8)
                for index in 0..<count {
                    let place = digit << 8 | Int(source[index] &>> bits & 0xFF)
                    put(Int(starts[place]), source[index])
                    starts[place] &+= 1
                }
            }
            pass(0, keys) { others[$0] = $1 }
            pass(1, others) { keys[$0] = $1 }
            pass(2, keys) { values[$0] = Self.value($1) }
        }
    }

    /// Sorts almost sorted values, and falls back for others.
    private func correct(_ values: UnsafeMutableBufferPointer<Double>) {
        var moves = 0
        for index in 1..<values.count {
            let value = values[index]
            var place = index
            while place > 0, values[place - 1] > value {
                values[place] = values[place - 1]
                place -= 1
            }
            values[place] = value
            moves += index - place
            guard moves <= 32 * values.count else {
                var rest = values
                return rest.sort()
            }
        }
    }

    /// An integer with the same order as the value.
    @inline(__always) private static func key(_ value: Double) -> UInt64 {
        let bits = value.bitPattern
        return bits &>> 63 == 1 ? ~bits : bits | 1 &<< 63
    }

    @inline(__always) private static func value(_ key: UInt64) -> Double {
        Double(bitPattern: key &>> 63 == 1 ? key & ~(1 &<< 63) : ~key)
    }
}
