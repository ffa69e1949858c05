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
        /// How many values it has, from `start` on.
        let count: Int32
        fileprivate(set) var start: Int
        /// How long it lasted.
        let seconds: Double
        /// How it ended, and how many loads of each kind it had.
        let ending: VisitEnding

        /// The places of its values.
        var range: Range<Int> { start..<(start + Int(count)) }

        /// What it adds to how much was measured.
        var counts: MeasuredCounts { ending.counts }
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
    mutating func add(
        id: ContentHash?, iteration: Int32, seconds: Double, ending: VisitEnding, samplesFrom start: Int
    ) {
        let count = Int32(samples.count - start)
        let visit = Visit(
            id: id, iteration: iteration, count: count, start: start, seconds: seconds, ending: ending)
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

/// How a visit ended, and how many loads of each kind it had.
struct VisitEnding {
    /// How it ended; `nil` where it neither says so nor that anything loaded, so that it may have gone on.
    let outcome: PageVisit.Outcome?
    private let additionalLoads: Int32
    private let richContentLoads: Int32

    /// The end of a visit.
    ///
    /// - Parameter saysOutcome: Whether its line says how it ended; else it has loaded if anything in it did.
    init(_ visit: PageVisit, saysOutcome: Bool) {
        additionalLoads = Int32(clamping: visit.additionalLoads?.count ?? 0)
        richContentLoads = Int32(clamping: visit.richContentLoads?.count ?? 0)
        let hasLoaded = visit.initialLoad != nil || additionalLoads > 0 || richContentLoads > 0
        outcome = saysOutcome || hasLoaded ? visit.outcome : nil
    }

    /// What it adds to how much was measured; loads count where their times do.
    var counts: MeasuredCounts {
        var counts = MeasuredCounts()
        switch outcome {
        case .loaded:
            counts.visits.loaded = 1
            if additionalLoads > 0 { counts.entries[PageMetric.alt.rawValue] = Int(additionalLoads) }
            if richContentLoads > 0 { counts.entries[PageMetric.rclt.rawValue] = Int(richContentLoads) }
        case .error: counts.visits.error = 1
        case .abandoned: counts.visits.abandoned = 1
        case nil: counts.unfinished.visits = 1
        }
        return counts
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
