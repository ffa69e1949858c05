import PagePerformance
import PerfgateModel

/// The page visits of a stream: of visits with the same identifier in one page and iteration, only the last is kept.
struct VisitTable {
    struct Visit {
        /// The hash of its identifier; `nil` without one.
        let id: ContentHash?
        let iteration: Int32
        var place: SampleBlocks.Place
        let count: Int32
        // This order has no gaps.
        let ending: VisitEnding
        let seconds: Double

        @inline(__always)
        fileprivate var hash: UInt64? { id.map { HashedIndex.hash($0.folded, UInt64(UInt32(bitPattern: iteration))) } }

        var range: Range<Int> { Int(place.start)..<Int(place.start + count) }
    }

    /// The visits, in order of first appearance.
    private(set) var visits = BlockList<Visit>()
    private(set) var samples = SampleBlocks()
    private var index = HashedIndex()
    /// The indices in `visits` of those with an identifier, by the index's numbers.
    private var places = BlockList<Int32>()
    /// The number of values in `samples` that belong to no visit any more.
    private var deadCount = 0

    /// Adds visits, whose places are in these values. The index of many visits exceeds the cache. Its slots are
    /// prefetched together, so memory accesses overlap.
    mutating func add(_ visits: [Visit], of values: SampleColumns) {
        guard !visits.isEmpty else { return }
        let start = samples.adopt(values)
        for visit in visits { if let hash = visit.hash { index.touch(hash) } }
        for var visit in visits {
            visit.place = SampleBlocks.Place(block: start.block, start: start.start + visit.place.start)
            add(visit)
        }
        // A repeated visit must not make memory grow. Until all are added, values of the later ones seem dead.
        if deadCount > 4_096, 2 * deadCount > samples.count { removeDead() }
    }

    private mutating func add(_ visit: Visit) {
        guard let id = visit.id, let hash = visit.hash else { return visits.append(visit) }
        let (number, isNew) = index.number(hash: hash) {
            let known = visits[Int(places[$0])]
            return known.iteration == visit.iteration && known.id == id
        }
        guard !isNew else {
            places.append(Int32(visits.count))
            return visits.append(visit)
        }
        let place = Int(places[number])
        deadCount += Int(visits[place].count)
        visits[place] = visit
    }

    private mutating func removeDead() {
        var living = SampleBlocks()
        for place in 0..<visits.count {
            let visit = visits[place]
            visits[place].place = living.begin()
            living.append(visit.range, of: samples[visit.place.block])
        }
        samples = living
        deadCount = 0
    }
}

/// Values in blocks that never move: a growing list would copy them and touch twice the memory.
struct SampleBlocks {
    /// The place of a value: its block and its index.
    struct Place {
        let block: Int32, start: Int32
    }

    /// The number of values after which a new block is started.
    private static let size = 1 << 15

    private var blocks: [SampleColumns] = []
    /// The block to which few values are added.
    private var open = -1
    private(set) var count = 0

    /// The place of the next value; later values, up to the next call, are in the same block.
    mutating func begin() -> Place {
        if open < 0 || blocks[open].count >= Self.size {
            open = blocks.count
            blocks.append(SampleColumns())
        }
        return Place(block: Int32(open), start: Int32(blocks[open].count))
    }

    /// Adds values of others after the place that was begun.
    mutating func append(_ range: Range<Int>, of others: SampleColumns) {
        blocks[open].append(range, of: others)
        count += range.count
    }

    /// Adds many values and returns the place of the first; few are copied into a block of others.
    mutating func adopt(_ columns: SampleColumns) -> Place {
        guard columns.count >= Self.size / 16 else {
            let place = begin()
            append(0..<columns.count, of: columns)
            return place
        }
        blocks.append(columns)
        count += columns.count
        return Place(block: Int32(blocks.count - 1), start: 0)
    }

    subscript(_ block: Int32) -> SampleColumns { blocks[Int(block)] }
}

/// A list that grows without moving its elements.
struct BlockList<Element> {
    private static var bits: Int { 12 }

    private var blocks: [[Element]] = []
    private(set) var count = 0

    mutating func append(_ element: Element) {
        if count & (1 << Self.bits - 1) == 0 {
            blocks.append([])
            // For many short lists, full first blocks would take more memory than the lists.
            if count > 0 { blocks[blocks.count - 1].reserveCapacity(1 << Self.bits) }
        }
        blocks[count >> Self.bits].append(element)
        count += 1
    }

    subscript(_ index: Int) -> Element {
        _read { yield blocks[index >> Self.bits][index & (1 << Self.bits - 1)] }
        _modify { yield &blocks[index >> Self.bits][index & (1 << Self.bits - 1)] }
    }
}

/// A visit's outcome and its numbers of loads.
struct VisitEnding {
    /// The outcome; `nil` if it has none and nothing loaded, so the visit may be unfinished.
    let outcome: PageVisit.Outcome?
    /// Whether the app was inactive when it began or loaded.
    let isInactive: Bool
    let additionalLoads: Int32, richContentLoads: Int32

    /// The end of a visit.
    /// - Parameter saysOutcome: Whether its line has an outcome; otherwise it has loaded if anything in it did.
    /// - Parameter isCheckpoint: Whether its line is a checkpoint; then only an explicit outcome counts.
    /// - Parameter isInactive: Whether its line says that the app was inactive; then it has no outcome.
    init(_ visit: PageVisit, saysOutcome: Bool, isCheckpoint: Bool = false, isInactive: Bool = false) {
        self.isInactive = isInactive
        additionalLoads = Int32(clamping: visit.additionalLoads?.count ?? 0)
        richContentLoads = Int32(clamping: visit.richContentLoads?.count ?? 0)
        let hasLoaded = visit.initialLoad != nil || additionalLoads > 0 || richContentLoads > 0
        outcome = !isInactive && (saysOutcome || hasLoaded && !isCheckpoint) ? visit.outcome : nil
    }

    /// The sample of `load_failures`: 1 if the page failed or was left, 0 if it loaded; `nil` if unfinished.
    var failure: Double? { outcome.map { $0 == .loaded ? 0 : 1 } }
}
