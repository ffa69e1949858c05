import PerfgateIngest
import PerfgateStats

/// Where an event counts: app, page, release, day, and optionally strata. Names are represented by their numbers.
struct FieldPlace: Hashable {
    var app: Int32 = 0, page: Int32 = 0, release: Int32 = 0
    /// The UTC day since 1970-01-01.
    var day: Int32 = 0
    /// The strata in the order of `FieldStratum`, then the app's own dimensions; 0 for an unused one.
    var strata: SIMD8<Int32> = .zero

    var hash: UInt64 {
        func word(_ high: Int32, _ low: Int32) -> UInt64 {
            UInt64(UInt32(bitPattern: high)) << 32 | UInt64(UInt32(bitPattern: low))
        }
        var strata = HashedIndex.hash(word(self.strata[0], self.strata[1]), word(self.strata[2], self.strata[3]))
        if self.strata.highHalf != .zero {
            let tags = HashedIndex.hash(word(self.strata[4], self.strata[5]), word(self.strata[6], self.strata[7]))
            strata = HashedIndex.hash(strata, tags)
        }
        return HashedIndex.hash(HashedIndex.hash(word(app, page), word(release, day)), strata)
    }
}

/// Additive whole numbers by place and metric: the number of events, the sum of their quanta, and the events per
/// bucket. Memory grows with places and buckets, not with events.
struct FieldTally: ~Copyable {
    struct Cell {
        let place: Int32, metric: Int32
        var events = 0, quanta = 0
    }

    private(set) var places: [FieldPlace] = [], events: [Int] = []
    private(set) var cells: [Cell] = []
    private var buckets = CountTable()
    private var placeIndex = HashedIndex()
    /// The cells of each place's first metrics, `nearMetrics` per place; negative if absent.
    private var nearCells: [Int32] = []
    /// The cells of the other metrics, indexed by `farIndex`.
    private var farCells: [Int32] = []
    private var farIndex = HashedIndex()

    /// The number of metrics per place that are found without a search: more than the columns of events.
    private static let nearMetrics = 16
    /// The number of bits of a bucket's key that are its index.
    private static let indexBits: UInt64 = 11

    var bucketCount: Int { buckets.count }

    mutating func number(of place: FieldPlace) -> Int {
        let (number, isNew) = placeIndex.number(hash: place.hash) { places[$0] == place }
        if isNew {
            places.append(place)
            events.append(0)
            nearCells.append(contentsOf: repeatElement(-1, count: Self.nearMetrics))
        }
        return number
    }

    mutating func add(events count: Int = 1, toPlace place: Int) { events[place] &+= count }

    @inline(__always) mutating func add(_ quantum: Int, metric: Int, toPlace place: Int) {
        let cell = cell(place, metric)
        cells[cell].events &+= 1
        cells[cell].quanta &+= quantum
        add(1, bucket: QuantumBucket(of: quantum).index, toCell: cell)
    }

    /// The content of a tally for some days: places and cells by their numbers in the tally, and the buckets.
    struct Part {
        let places: [FieldPlace]
        /// The number of events per place; negative if the place is on another day.
        let events: [Int]
        let cells: [Cell]
        let buckets: [CountTable.Entry]
    }

    func part(taking isTaken: (Int32) -> Bool) -> Part {
        let events = zip(places, events).map { isTaken($0.day) ? $1 : -1 }
        return Part(
            places: places, events: events, cells: cells,
            buckets: buckets.entries { events[Int(cells[Self.cell(ofBucket: $0)].place)] >= 0 })
    }

    mutating func add(_ part: Part) {
        let numbers = part.places.indices.map { part.events[$0] < 0 ? -1 : number(of: part.places[$0]) }
        for (number, events) in zip(numbers, part.events) where number >= 0 { add(events: events, toPlace: number) }
        let cellNumbers = part.cells.map { other in
            guard numbers[Int(other.place)] >= 0 else { return -1 }
            let cell = cell(numbers[Int(other.place)], Int(other.metric))
            cells[cell].events += other.events
            cells[cell].quanta += other.quanta
            return cell
        }
        buckets.reserve(part.buckets.count)
        for entry in part.buckets {
            let cell = cellNumbers[Self.cell(ofBucket: entry.key)]
            add(entry.count, bucket: Self.index(ofBucket: entry.key), toCell: cell)
        }
    }

    /// The buckets of all cells, and the first index per cell: ascending by bucket index.
    borrowing func sortedBuckets() -> (buckets: [FieldBucket], starts: [Int]) {
        var starts = [Int](repeating: 0, count: cells.count + 1)
        buckets.forEach { key, _ in starts[Self.cell(ofBucket: key) + 1] += 1 }
        for cell in cells.indices { starts[cell + 1] += starts[cell] }
        var next = starts
        var sorted = Array(repeating: FieldBucket(index: 0, count: 0), count: buckets.count)
        buckets.forEach { key, count in
            let cell = Self.cell(ofBucket: key)
            sorted[next[cell]] = FieldBucket(index: Self.index(ofBucket: key), count: count)
            next[cell] += 1
        }
        for cell in cells.indices { sorted[starts[cell]..<starts[cell + 1]].sort { $0.index < $1.index } }
        return (sorted, starts)
    }

    private static func cell(ofBucket key: UInt64) -> Int { Int(key >> indexBits) }

    private static func index(ofBucket key: UInt64) -> Int { Int(key & (1 << indexBits - 1)) }

    @inline(__always) private mutating func add(_ count: Int, bucket: Int, toCell cell: Int) {
        buckets.add(count, to: UInt64(truncatingIfNeeded: cell) &<< Self.indexBits | UInt64(truncatingIfNeeded: bucket))
    }

    @inline(__always) private mutating func cell(_ place: Int, _ metric: Int) -> Int {
        guard metric < Self.nearMetrics else { return farCell(place, metric) }
        let slot = place &* Self.nearMetrics &+ metric
        if nearCells[slot] < 0 {
            nearCells[slot] = Int32(cells.count)
            cells.append(Cell(place: Int32(place), metric: Int32(metric)))
        }
        return Int(nearCells[slot])
    }

    private mutating func farCell(_ place: Int, _ metric: Int) -> Int {
        let hash = HashedIndex.hash(UInt64(place), UInt64(metric))
        let (number, isNew) = farIndex.number(hash: hash) {
            let cell = cells[Int(farCells[$0])]
            return cell.place == Int32(place) && cell.metric == Int32(metric)
        }
        if isNew {
            farCells.append(Int32(cells.count))
            cells.append(Cell(place: Int32(place), metric: Int32(metric)))
        }
        return Int(farCells[number])
    }
}

/// The number of occurrences of each key: open addressing with linear probing, 16 bytes per slot. The owner chooses
/// keys below 2⁶⁴ − 1.
struct CountTable: ~Copyable {
    struct Entry: BitwiseCopyable { var key: UInt64, count: Int }

    private(set) var count = 0
    /// The slots, with the keys plus 1; 0 in an empty slot.
    private var places: UnsafeMutablePointer<Entry>
    /// The number of slots is 2 to this power.
    private var bits: UInt64

    private static let leastBits: UInt64 = 12

    init() {
        bits = Self.leastBits
        places = Self.places(bits)
    }

    deinit { places.deallocate() }

    @inline(__always) mutating func add(_ amount: Int, to key: UInt64) {
        let position = position(of: key)
        if places[position].key == 0 { return insert(key, amount, at: position) }
        places[position].count &+= amount
    }

    /// Reserves room for this many more keys. Keys of another table come in hash order: they would fill a small table
    /// from its start, and each lookup would probe through all earlier keys.
    mutating func reserve(_ more: Int) {
        var bits = bits
        while (count + more) * 4 > 3 << bits { bits += 1 }
        if bits > self.bits { grow(to: bits) }
    }

    /// Passes every key with its count to a closure, unordered.
    func forEach(_ body: (UInt64, Int) -> Void) {
        for position in 0..<(1 << bits) where places[position].key != 0 {
            body(places[position].key &- 1, places[position].count)
        }
    }

    func entries(taking isTaken: (UInt64) -> Bool) -> [Entry] {
        var entries: [Entry] = []
        forEach { key, count in if isTaken(key) { entries.append(Entry(key: key, count: count)) } }
        return entries
    }

    @inline(__always) private func position(of key: UInt64) -> Int {
        let mask = 1 &<< Int(truncatingIfNeeded: bits) &- 1
        var position = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> (64 &- bits))
        while places[position].key != 0, places[position].key != key &+ 1 { position = (position &+ 1) & mask }
        return position
    }

    @inline(never) private mutating func insert(_ key: UInt64, _ amount: Int, at position: Int) {
        places[position] = Entry(key: key &+ 1, count: amount)
        count += 1
        // Probes stay short up to a load of three quarters.
        if count * 4 > 3 << bits { grow(to: bits + 1) }
    }

    private mutating func grow(to bits: UInt64) {
        let (old, oldCount) = (places, 1 << self.bits)
        self.bits = bits
        places = Self.places(bits)
        for index in 0..<oldCount where old[index].key != 0 { places[position(of: old[index].key &- 1)] = old[index] }
        old.deallocate()
    }

    private static func places(_ bits: UInt64) -> UnsafeMutablePointer<Entry> {
        let places = UnsafeMutablePointer<Entry>.allocate(capacity: 1 << bits)
        places.initialize(repeating: Entry(key: 0, count: 0), count: 1 << bits)
        return places
    }
}

/// The number of events with each value of the app's own dimensions, by day: the most frequent values, and the rest together.
struct TagTally {
    /// The most values of a tag and day that are counted separately.
    private static let mostKnown = 10_000
    private struct Key: Hashable { let day: Int32, tag: Int32 }

    private var counts: [Key: [Int32: Int]] = [:]
    private var others: [Key: Int] = [:]

    mutating func add(_ tags: [Int32: Int32], day: Int32) {
        for (tag, value) in tags {
            let key = Key(day: day, tag: tag)
            let known = counts[key]
            if known?[value] == nil, known?.count ?? 0 >= Self.mostKnown {
                others[key, default: 0] += 1
            } else {
                counts[key, default: [:]][value, default: 0] += 1
            }
        }
    }

    /// The events by tag and value, over all days: of each day the most frequent values.
    func totals(_ names: borrowing FieldNames) -> [String: [String: Int]] {
        var totals: [String: [String: Int]] = [:]
        for (key, values) in counts {
            let named = values.map { (name: names[$0.key], count: $0.value) }
                .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
            let kept = named.prefix(FieldTags.mostValues)
            let rest = named.dropFirst(kept.count).reduce(others[key] ?? 0) { $0 + $1.count }
            for (name, count) in kept { totals[names[key.tag], default: [:]][name, default: 0] += count }
            if rest > 0 { totals[names[key.tag], default: [:]][FieldTags.other, default: 0] += rest }
        }
        return totals
    }
}
