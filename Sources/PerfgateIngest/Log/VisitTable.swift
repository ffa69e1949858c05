/// The page visits of a stream: of those of one page and iteration with the same identifier only the last is kept.
struct VisitTable {
    /// Where a visit's values are.
    struct Visit {
        /// The hash of its identifier; `nil` without one.
        let id: ContentHash?
        let iteration: Int32
        /// How many values it has, from `start` on.
        let count: Int32
        fileprivate(set) var start: Int
        /// How long it lasted.
        let seconds: Double

        /// The places of its values.
        var range: Range<Int> { start..<(start + Int(count)) }
    }

    /// The visits in the order in which they began.
    private(set) var visits: [Visit] = []
    /// The values of all visits.
    var samples = SampleColumns()
    private var index = HashedIndex()
    /// The places in `visits` of those with an identifier, by the numbers that the index gives them.
    private var places: [Int32] = []
    /// How many values in `samples` belong to no visit any more.
    private var deadCount = 0

    /// Adds a visit, whose values are those in `samples` from `start` on; it replaces the one of the same iteration of a
    /// page with the same identifier.
    mutating func add(id: ContentHash?, iteration: Int32, seconds: Double, samplesFrom start: Int) {
        let count = Int32(samples.count - start)
        let visit = Visit(id: id, iteration: iteration, count: count, start: start, seconds: seconds)
        guard let id else { return visits.append(visit) }
        let hash = HashedIndex.hash(id.folded, UInt64(UInt32(bitPattern: iteration)))
        let (number, isNew) = index.number(hash: hash) {
            let known = visits[Int(places[$0])]
            return known.iteration == iteration && known.id == id
        }
        guard isNew else { return replace(Int(places[number]), with: visit) }
        places.append(Int32(visits.count))
        visits.append(visit)
    }

    private mutating func replace(_ place: Int, with visit: Visit) {
        deadCount += Int(visits[place].count)
        visits[place] = visit
        // A visit that is told again and again must not make memory grow.
        if deadCount > 4_096, 2 * deadCount > samples.count { removeDead() }
    }

    private mutating func removeDead() {
        var living = SampleColumns()
        for place in visits.indices {
            let start = living.count
            living.append(visits[place].range, of: samples)
            visits[place].start = start
        }
        samples = living
        deadCount = 0
    }
}
