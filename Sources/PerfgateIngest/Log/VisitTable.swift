import PagePerformance
import PerfgateJSON
import PerfgateModel

/// The page visits of a stream: of those of one page and iteration with the same identifier only the last is kept.
struct VisitTable {
    /// Where a visit's values are.
    struct Visit {
        /// The hash of its identifier; `nil` without one.
        let id: ContentHash?
        let iteration: Int32
        /// Where its values start.
        fileprivate(set) var place: SampleBlocks.Place
        /// How many values it has.
        let count: Int32
        // In this order it has no gaps.
        /// How it ended, and how many loads of each kind it had.
        let ending: VisitEnding
        /// How long it lasted.
        let seconds: Double

        init(
            id: ContentHash?, iteration: Int32, place: SampleBlocks.Place, count: Int32, seconds: Double,
            ending: VisitEnding
        ) {
            self.id = id
            self.iteration = iteration
            self.place = place
            self.count = count
            self.seconds = seconds
            self.ending = ending
        }

        /// What stands for its identifier and iteration; `nil` without an identifier.
        @inline(__always)
        fileprivate var hash: UInt64? {
            id.map { HashedIndex.hash($0.folded, UInt64(UInt32(bitPattern: iteration))) }
        }

        /// The places of its values in their block.
        var range: Range<Int> { Int(place.start)..<Int(place.start + count) }
    }

    /// The visits in the order in which they began.
    private(set) var visits = BlockList<Visit>()
    /// The values of all visits.
    var samples = SampleBlocks()
    private var index = HashedIndex()
    /// The places in `visits` of those with an identifier, by the numbers that the index gives them.
    private var places = BlockList<Int32>()
    /// How many values in `samples` belong to no visit any more.
    private var deadCount = 0

    /// Adds a visit, whose values are the last ones in `samples` from a place on; it replaces the one of the same iteration
    /// of a page with the same identifier.
    mutating func add(
        id: ContentHash?, iteration: Int32, seconds: Double, ending: VisitEnding, samplesFrom place: SampleBlocks.Place
    ) {
        add(
            Visit(
                id: id, iteration: iteration, place: place, count: samples.count(from: place), seconds: seconds,
                ending: ending))
    }

    /// Adds visits, whose values are in `samples` already.
    ///
    /// The index of many visits is larger than a cache. Its places are looked at before any of them is needed, so that they
    /// come from memory together, and not one after the other.
    mutating func add(_ visits: [Visit]) {
        for visit in visits { if let hash = visit.hash { index.touch(hash) } }
        for visit in visits { add(visit) }
    }

    private mutating func add(_ visit: Visit) {
        guard let id = visit.id, let hash = visit.hash else { return visits.append(visit) }
        let (number, isNew) = index.number(hash: hash) {
            let known = visits[Int(places[$0])]
            return known.iteration == visit.iteration && known.id == id
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

/// Values in blocks, which never move: a list that grows would copy them, and touch twice the memory.
struct SampleBlocks {
    /// Where a value is: its block, and its place within.
    struct Place {
        let block: Int32
        let start: Int32
    }

    /// How many values a block has before another one is begun.
    private static let size = 1 << 15

    private var blocks: [SampleColumns] = []
    /// The block that single values are added to.
    private var open = -1
    /// How many values there are.
    private(set) var count = 0

    /// The place of the next value that is added; those after it, up to the next call, lie in the same block.
    mutating func begin() -> Place {
        if open < 0 || blocks[open].count >= Self.size {
            open = blocks.count
            blocks.append(SampleColumns())
        }
        return Place(block: Int32(open), start: Int32(blocks[open].count))
    }

    /// Adds a value behind the place that was begun.
    mutating func append(_ number: Int32, _ value: Double) {
        blocks[open].append(number, value)
        count += 1
    }

    /// Adds values of others behind the place that was begun.
    mutating func append(_ range: Range<Int>, of others: SampleColumns) {
        blocks[open].append(range, of: others)
        count += range.count
    }

    /// Adds a whole block, and gives its number.
    mutating func adopt(_ columns: SampleColumns) -> Int32 {
        blocks.append(columns)
        count += columns.count
        return Int32(blocks.count - 1)
    }

    /// How many values were added since a place was begun.
    func count(from place: Place) -> Int32 { Int32(blocks[Int(place.block)].count) - place.start }

    subscript(_ block: Int32) -> SampleColumns { blocks[Int(block)] }
}

/// A list that grows without moving what it holds.
struct BlockList<Element> {
    private static var bits: Int { 12 }

    private var blocks: [[Element]] = []
    private(set) var count = 0

    mutating func append(_ element: Element) {
        if count & (1 << Self.bits - 1) == 0 {
            blocks.append([])
            // The first blocks of many short lists would take more memory than the lists.
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

/// How a visit ended, and how many loads of each kind it had.
struct VisitEnding {
    /// How it ended; `nil` where it neither says so nor that anything loaded, so that it may have gone on.
    let outcome: PageVisit.Outcome?
    /// How many additional loads, and loads of rich content, it had.
    let additionalLoads: Int32, richContentLoads: Int32

    /// The end of a visit.
    ///
    /// - Parameters:
    ///   - saysOutcome: Whether its line says how it ended; else it has loaded if anything in it did.
    ///   - isCheckpoint: Whether its line says that it went on; then only an outcome that it says is one.
    init(_ visit: PageVisit, saysOutcome: Bool, isCheckpoint: Bool = false) {
        additionalLoads = Int32(clamping: visit.additionalLoads?.count ?? 0)
        richContentLoads = Int32(clamping: visit.richContentLoads?.count ?? 0)
        let hasLoaded = visit.initialLoad != nil || additionalLoads > 0 || richContentLoads > 0
        outcome = saysOutcome || hasLoaded && !isCheckpoint ? visit.outcome : nil
    }

    /// The sample of `load_failures`: 1 where the page failed or was left, 0 where it loaded; `nil` where it went on.
    var failure: Double? { outcome.map { $0 == .loaded ? 0 : 1 } }
}

/// The numbers of the metrics that visits give, kept so that no line has to look them up by their names.
struct VisitMetrics: ~Copyable {
    /// A metric of visits with its number.
    typealias Numbered = (metric: PageMetric, number: Int32)

    private var byFormula: [[Numbered]] = []
    private var candidateNames = ByteInterner()
    private var candidates: [Int32] = []
    private var hang: Int32?
    private var failures: Int32?
    /// Which metric of visits each metric is, by its number and whatever its formula; `nil` for another metric.
    private(set) var kinds: [PageMetric?] = []

    /// The metrics of visits by a formula, which is known by its number; `nil`: the first.
    mutating func numbers(
        formula: Int32?, _ formulas: borrowing ByteInterner, _ metrics: inout MetricTable
    ) -> [Numbered] {
        let index = formula.map { Int($0) + 1 } ?? 0
        if index < byFormula.count, !byFormula[index].isEmpty { return byFormula[index] }
        let name = formula.map { formulas[$0] } ?? "1"
        let numbers = PageMetric.allCases.map { metric in
            (metric: metric, number: metrics.index(Metric(metric), formula: name))
        }
        for (metric, number) in numbers {
            while kinds.count <= Int(number) { kinds.append(nil) }
            kinds[Int(number)] = metric
        }
        while byFormula.count <= index { byFormula.append([]) }
        byFormula[index] = numbers
        return numbers
    }

    /// The number of the metric of the main thread's hangs.
    mutating func mainThreadHang(_ metrics: inout MetricTable) -> Int32 {
        if let hang { return hang }
        let number = metrics.index(.mainThreadHang)
        hang = number
        return number
    }

    /// The number of the metric of visits that ended without loading their page.
    mutating func loadFailures(_ metrics: inout MetricTable) -> Int32 {
        if let failures { return failures }
        let number = metrics.index(.loadFailures)
        failures = number
        return number
    }

    /// The number of the metric of a formula that is only tried.
    mutating func candidate(_ key: JSONText, _ metrics: inout MetricTable) -> Int32 {
        let index = Int(candidateNames.index(of: key))
        if index == candidates.count {
            let key = candidateNames[Int32(index)]
            let name = key.hasSuffix("_ms") ? String(key.dropLast(3)) : key
            let metric = Metric(id: "candidates.\(name)", unit: .milliseconds, better: .lower)
            candidates.append(metrics.index(metric))
        }
        return candidates[index]
    }
}
