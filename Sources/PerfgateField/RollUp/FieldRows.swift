import PerfgateIngest

/// The rows of a tally by day, in the order of the store.
struct FieldRows {
    private let buckets: [FieldBucket]
    /// Where the buckets of each cell begin.
    private let starts: [Int]
    /// Which of `FieldStratum` rows are told apart by.
    private let strata: [Int]
    /// The cells of each day, sorted.
    private var cells: [Int32: [RankedCell]] = [:]

    /// A cell with the places of its names in the order of all names.
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

    /// Sorts what a tally holds.
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

    /// The rows of a day of the tally that was sorted.
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

/// What one file says.
struct FieldContent: ~Copyable {
    /// By the strata that are configured.
    var tally = FieldTally()
    /// By all strata, of the releases of a pair.
    var pair: PairTally
    /// How many lines and values aren't counted, by day and reason.
    var omissions = Omissions()
    /// What stands for the content.
    var hash = ContentHash()
    /// How many lines there were that aren't blank.
    var lineCount = 0
    /// The first line that couldn't be read, and why.
    var firstUnreadable: (line: Int, problem: String)?

    /// Says nothing yet.
    init(base: Int32, candidate: Int32) {
        pair = PairTally(base: base, candidate: candidate)
    }
}

/// How many lines and values aren't counted, by day and reason.
struct Omissions {
    private var counts: [Int32: [FieldOmission: Int]] = [:]
    /// What is counted of lines without a day.
    static let noDay: Int32 = -1

    /// Counts one, or more.
    mutating func add(_ reason: FieldOmission, day: Int32 = Self.noDay, count: Int = 1) {
        counts[day, default: [:]][reason, default: 0] += count
    }

    /// What was left out of a day.
    subscript(day: Int32) -> [FieldOmission: Int] { counts[day] ?? [:] }

    /// What was left out of all days.
    var total: [FieldOmission: Int] {
        counts.values.reduce(into: [:]) { total, counts in total.merge(counts, uniquingKeysWith: +) }
    }
}
