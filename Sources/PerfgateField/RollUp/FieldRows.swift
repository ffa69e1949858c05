import PerfgateIngest

/// The rows of a tally by day, in store order.
struct FieldRows {
    private let buckets: [FieldBucket]
    /// The index of each cell's first bucket.
    private let starts: [Int]
    /// The strata of the rows, as indices of `FieldStratum`.
    private let strata: [Int]
    /// The cells of each day, sorted.
    private var cells: [Int32: [RankedCell]] = [:]

    private struct RankedCell {
        /// App, page, release, metric.
        let names: SIMD4<Int32>
        let strata: SIMD4<Int32>
        let cell: Int32

        static func < (lhs: RankedCell, rhs: RankedCell) -> Bool {
            for index in 0..<4 where lhs.names[index] != rhs.names[index] { return lhs.names[index] < rhs.names[index] }
            for index in 0..<4 where lhs.strata[index] != rhs.strata[index] {
                return lhs.strata[index] < rhs.strata[index]
            }
            return false
        }
    }

    init(_ tally: borrowing FieldTally, _ names: borrowing FieldNames, _ strata: [FieldStratum]) {
        (buckets, starts) = tally.sortedBuckets()
        self.strata = FieldStratum.allCases.indices.filter { strata.contains(FieldStratum.allCases[$0]) }
        let ranks = names.ranks()
        for (number, cell) in tally.cells.enumerated() {
            let place = tally.places[Int(cell.place)]
            var own = SIMD4<Int32>.zero
            for index in self.strata { own[index] = ranks[Int(place.strata[index])] }
            let ranked = RankedCell(
                names: SIMD4(
                    ranks[Int(place.app)], ranks[Int(place.page)], ranks[Int(place.release)],
                    ranks[Int(names.metricNames[Int(cell.metric)])]),
                strata: own, cell: Int32(number))
            cells[place.day, default: []].append(ranked)
        }
        for day in cells.keys { cells[day]?.sort(by: <) }
    }

    func rows(of day: Int32, _ tally: borrowing FieldTally, _ names: borrowing FieldNames) -> [FieldRow] {
        var rows: [FieldRow] = []
        let ranked = cells[day] ?? []
        rows.reserveCapacity(ranked.count)
        for ranked in ranked {
            let number = Int(ranked.cell)
            let cell = tally.cells[number]
            let place = tally.places[Int(cell.place)]
            var values: [String] = []
            for index in strata { values.append(names[place.strata[index]]) }
            rows.append(
                FieldRow(
                    app: names[place.app], page: names[place.page], release: names[place.release],
                    metric: names[names.metricNames[Int(cell.metric)]], strata: values, events: cell.events,
                    quanta: cell.quanta, buckets: buckets[starts[number]..<starts[number + 1]]))
        }
        return rows
    }
}

struct FieldContent: ~Copyable {
    /// By the configured strata.
    var tally = FieldTally()
    /// By all strata, for the releases of a pair.
    var pair: PairTally
    /// The number of lines and values that aren't counted, by day and reason.
    var omissions = Omissions()
    var hash = ContentHash()
    /// The number of lines that aren't blank.
    var lineCount = 0
    var firstUnreadable: (line: Int, problem: String)?

    init(base: Int32, candidate: Int32) {
        pair = PairTally(base: base, candidate: candidate)
    }
}

/// The number of lines and values that aren't counted, by day and reason.
struct Omissions {
    private var counts: [Int32: [FieldOmission: Int]] = [:]
    /// The key of lines without a day.
    static let noDay: Int32 = -1

    mutating func add(_ reason: FieldOmission, day: Int32 = Self.noDay, count: Int = 1) {
        counts[day, default: [:]][reason, default: 0] += count
    }

    subscript(day: Int32) -> [FieldOmission: Int] { counts[day] ?? [:] }

    var total: [FieldOmission: Int] {
        counts.values.reduce(into: [:]) { total, counts in total.merge(counts, uniquingKeysWith: +) }
    }
}
