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

    /// Adds what another tally holds of the days that are taken.
    mutating func add(_ other: borrowing FieldTally, taking isTaken: (Int32) -> Bool) {
        let taken = other.places.map { isTaken($0.day) }
        let numbers = other.places.indices.map { taken[$0] ? number(of: other.places[$0]) : -1 }
        for place in numbers.indices where taken[place] { add(events: other.events[place], toPlace: numbers[place]) }
        let cellNumbers = other.cells.map { other in
            guard taken[Int(other.place)] else { return -1 }
            let cell = cell(numbers[Int(other.place)], Int(other.metric))
            cells[cell].events += other.events
            cells[cell].quanta += other.quanta
            return cell
        }
        buckets.reserve(other.buckets.count)
        other.buckets.forEach { key, count in
            let cell = cellNumbers[Int(key >> Self.indexBits)]
            if cell >= 0 { add(count, bucket: Int(key & (1 << Self.indexBits - 1)), toCell: cell) }
        }
    }

    /// The buckets of all cells, and where those of each cell are: ascending by index.
    borrowing func sortedBuckets() -> (buckets: [FieldBucket], starts: [Int]) {
        var starts = [Int](repeating: 0, count: cells.count + 1)
        buckets.forEach { key, _ in starts[Int(key >> Self.indexBits) + 1] += 1 }
        for cell in cells.indices { starts[cell + 1] += starts[cell] }
        var next = starts
        var sorted = [FieldBucket](repeating: FieldBucket(index: 0, count: 0), count: buckets.count)
        buckets.forEach { key, count in
            let cell = Int(key >> Self.indexBits)
            sorted[next[cell]] = FieldBucket(index: Int(key & (1 << Self.indexBits - 1)), count: count)
            next[cell] += 1
        }
        for cell in cells.indices { sorted[starts[cell]..<starts[cell + 1]].sort { $0.index < $1.index } }
        return (sorted, starts)
    }

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
