import PerfgateIngest
import PerfgateStats

/// Where an event counts: app, page, release and day, each of the strata apart or not. Names stand by their numbers.
struct FieldPlace: Hashable {
    var app: Int32 = 0
    var page: Int32 = 0
    var release: Int32 = 0
    /// The UTC day, counted from 1970-01-01.
    var day: Int32 = 0
    /// What `FieldStratum` names, in that order; 0 for one that isn't told apart.
    var strata: SIMD4<Int32> = .zero

    /// A hash that depends on every part.
    var hash: UInt64 {
        func word(_ high: Int32, _ low: Int32) -> UInt64 {
            UInt64(UInt32(bitPattern: high)) << 32 | UInt64(UInt32(bitPattern: low))
        }
        let strata = HashedIndex.hash(word(strata[0], strata[1]), word(strata[2], strata[3]))
        return HashedIndex.hash(HashedIndex.hash(word(app, page), word(release, day)), strata)
    }
}

/// Whole numbers of events by place and metric, which can be added: how many, the sum of their quanta, and how many in
/// each bucket. Memory grows with places and buckets, not with events.
struct FieldTally: ~Copyable {
    /// What is summed up of one metric at one place.
    struct Cell {
        /// The number of its place.
        let place: Int32
        /// The number of its metric.
        let metric: Int32
        /// How many values there were.
        var events = 0
        /// The sum of their quanta.
        var quanta = 0
    }

    /// The places, by number.
    private(set) var places: [FieldPlace] = []
    /// How many events each place had, with values or without.
    private(set) var events: [Int] = []
    /// The cells, by number.
    private(set) var cells: [Cell] = []
    private var buckets = CountTable()
    private var placeIndex = HashedIndex()
    /// The cells of each place's first metrics, `nearMetrics` of them a place; negative where there is none.
    private var nearCells: [Int32] = []
    /// The cells of the other metrics, by the numbers of `farIndex`.
    private var farCells: [Int32] = []
    private var farIndex = HashedIndex()

    /// How many metrics of a place are found without a search: more than events have columns for.
    private static let nearMetrics = 16
    /// How many bits of a bucket's key are its index.
    private static let indexBits: UInt64 = 11

    /// How many buckets there are.
    var bucketCount: Int { buckets.count }

    /// The number of a place.
    mutating func number(of place: FieldPlace) -> Int {
        let (number, isNew) = placeIndex.number(hash: place.hash) { places[$0] == place }
        if isNew {
            places.append(place)
            events.append(0)
            nearCells.append(contentsOf: repeatElement(-1, count: Self.nearMetrics))
        }
        return number
    }

    /// Counts events of a place.
    mutating func add(events count: Int = 1, toPlace place: Int) {
        events[place] &+= count
    }

    /// Adds a value of a metric.
    @inline(__always)
    mutating func add(_ quantum: Int, metric: Int, toPlace place: Int) {
        let cell = cell(place, metric)
        cells[cell].events &+= 1
        cells[cell].quanta &+= quantum
        add(1, bucket: QuantumBucket(of: quantum).index, toCell: cell)
    }

    /// What a tally holds of some days: places and cells by their numbers in it, and the buckets of those days.
    struct Part {
        let places: [FieldPlace]
        /// How many events each place had; negative where it isn't of these days.
        let events: [Int]
        let cells: [Cell]
        let buckets: [CountTable.Entry]
    }

    /// What it holds of the days that are taken.
    func part(taking isTaken: (Int32) -> Bool) -> Part {
        let events = zip(places, events).map { isTaken($0.day) ? $1 : -1 }
        return Part(
            places: places, events: events, cells: cells,
            buckets: buckets.entries { events[Int(cells[Self.cell(ofBucket: $0)].place)] >= 0 })
    }

    /// Adds what another tally holds of some days.
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

    /// The buckets of all cells, and where those of each cell are: ascending by index.
    borrowing func sortedBuckets() -> (buckets: [FieldBucket], starts: [Int]) {
        var starts = [Int](repeating: 0, count: cells.count + 1)
        buckets.forEach { key, _ in starts[Self.cell(ofBucket: key) + 1] += 1 }
        for cell in cells.indices { starts[cell + 1] += starts[cell] }
        var next = starts
        var sorted = [FieldBucket](repeating: FieldBucket(index: 0, count: 0), count: buckets.count)
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

    @inline(__always)
    private mutating func add(_ count: Int, bucket: Int, toCell cell: Int) {
        buckets.add(count, to: UInt64(truncatingIfNeeded: cell) &<< Self.indexBits | UInt64(truncatingIfNeeded: bucket))
    }

    @inline(__always)
    private mutating func cell(_ place: Int, _ metric: Int) -> Int {
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
