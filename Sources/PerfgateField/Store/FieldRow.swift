import LibC
import PerfgateIngest
import PerfgateModel
import PerfgateStats

/// How many values are in a bucket.
package struct FieldBucket: Sendable, Hashable {
    /// The index of the bucket, as `QuantumBucket` counts them.
    package let index: Int
    /// How many values it holds, at least 1.
    package var count: Int

    /// Makes a bucket of its parts.
    package init(index: Int, count: Int) {
        self.index = index
        self.count = count
    }
}

/// A row of roll-up T: what the events of a day say of one metric of one page in one release.
package struct FieldRow: Sendable, Hashable {
    /// The app's identifier; empty where events name none.
    package var app: String
    /// The page.
    package var page: String
    /// The release.
    package var release: String
    /// The metric's identifier.
    package var metric: String
    /// The values of the strata that the roll-up is told apart by, in their order; empty ones are unknown.
    package var strata: [String] = []
    /// How many values there are.
    package var events: Int
    /// The sum of their quanta.
    package var quanta: Int
    /// The buckets that hold any, ascending by index.
    package var buckets: ArraySlice<FieldBucket>

    /// Makes a row of its parts.
    package init(
        app: String, page: String, release: String, metric: String, strata: [String] = [], events: Int, quanta: Int,
        buckets: ArraySlice<FieldBucket>
    ) {
        self.app = app
        self.page = page
        self.release = release
        self.metric = metric
        self.strata = strata
        self.events = events
        self.quanta = quanta
        self.buckets = buckets
    }
}

extension FieldRow: Comparable {
    /// By app, page, release, metric, then strata, each in the order of its UTF-8.
    package static func < (lhs: FieldRow, rhs: FieldRow) -> Bool { lhs.order(to: rhs) == .before }

    /// How its names stand to those of another row, which has the same strata.
    private func order(to other: FieldRow) -> NameOrder {
        let order = NameOrder(app, other.app).then(NameOrder(page, other.page))
            .then(NameOrder(release, other.release)).then(NameOrder(metric, other.metric))
        return zip(strata, other.strata).reduce(order) { order, pair in order.then(NameOrder(pair.0, pair.1)) }
    }

    /// The row that counts the events of this one and of another with the same names.
    func adding(_ other: FieldRow) -> FieldRow {
        var result = self
        result.events += other.events
        result.quanta += other.quanta
        var buckets: [FieldBucket] = []
        buckets.reserveCapacity(self.buckets.count + other.buckets.count)
        var rest = other.buckets
        for bucket in self.buckets {
            while let next = rest.first, next.index < bucket.index { buckets.append(rest.removeFirst()) }
            let isShared = rest.first?.index == bucket.index
            buckets.append(
                FieldBucket(index: bucket.index, count: bucket.count + (isShared ? rest.removeFirst().count : 0)))
        }
        result.buckets = (buckets + rest)[...]
        return result
    }

    /// The rows of two lists, each sorted and without a row twice; those with the same names become one.
    static func merged(_ first: [FieldRow], _ second: [FieldRow]) -> [FieldRow] {
        guard !first.isEmpty else { return second }
        var result: [FieldRow] = []
        result.reserveCapacity(first.count + second.count)
        var rest = second[...]
        for row in first {
            var order = rest.first?.order(to: row) ?? .after
            while order == .before {
                result.append(rest.removeFirst())
                order = rest.first?.order(to: row) ?? .after
            }
            result.append(order == .same ? row.adding(rest.removeFirst()) : row)
        }
        return result + rest
    }
}

/// A side of a pair of releases.
package enum FieldSide: String, Sendable, Hashable, CaseIterable {
    /// The release that is compared with.
    case base
    /// The release that is judged.
    case candidate
}

/// A row of roll-up G: the values of a page's metric on one day in one release that are in one bucket, weighted so that
/// both releases have the same share of devices, systems, networks and of low-power mode.
package struct PairRow: Sendable, Hashable {
    /// The app's identifier.
    package var app: String
    /// The page.
    package var page: String
    /// The release.
    package var side: FieldSide
    /// The metric's identifier.
    package var metric: String
    /// The index of the bucket.
    package var bucket: Int
    /// How many values are in it, at least 1.
    package var count: Int
    /// Σ w, each w from 0 to 10,000.
    package var weight: Int
    /// Σ w².
    package var squares: Int
}

/// The weighted values of one metric of a page on a day in one release: the rows of G that differ by their bucket alone.
package struct PairCell: Sendable, Hashable {
    /// The app's identifier.
    package let app: String
    /// The page.
    package let page: String
    /// The release.
    package let side: FieldSide
    /// The metric's identifier.
    package let metric: String
    /// The buckets that hold any, ascending.
    package private(set) var buckets: [WeightedHistogram.Bucket]

    /// The cell of its first row.
    init(_ row: PairRow) {
        (app, page, side, metric) = (row.app, row.page, row.side, row.metric)
        buckets = [row.content]
    }

    /// Adds the next bucket; false where it doesn't come after the last.
    mutating func append(_ bucket: WeightedHistogram.Bucket) -> Bool {
        guard bucket.index > buckets[buckets.count - 1].index else { return false }
        buckets.append(bucket)
        return true
    }

    fileprivate var rows: [PairRow] {
        buckets.map {
            PairRow(
                app: app, page: page, side: side, metric: metric, bucket: $0.index, count: $0.count, weight: $0.weight,
                squares: $0.squares)
        }
    }
}

/// A day of roll-up G by its cells.
package struct PairCells: Sendable, Hashable {
    /// The day.
    package let day: CalendarDay
    /// The conditions, each `FIELD=VALUE`, that its events met, sorted.
    package let conditions: [String]
    /// The files that it was computed from, sorted by hash.
    package var files: [FieldSource] = []
    /// The cells, sorted.
    package var cells: [PairCell] = []
    /// The users' sums, sorted; empty where events name no user.
    package var users: [UserRow] = []
}

extension PairDay {
    /// The rows of cells.
    init(_ cells: PairCells) {
        self.init(day: cells.day, conditions: cells.conditions)
        files = cells.files
        rows = cells.cells.flatMap(\.rows)
        users = cells.users
    }
}

extension PairRow {
    /// Its bucket.
    var content: WeightedHistogram.Bucket {
        WeightedHistogram.Bucket(index: bucket, count: count, weight: weight, squares: squares)
    }

    /// Whether it differs from another by its bucket and its numbers alone.
    func isOfSameCell(as other: PairRow) -> Bool {
        side == other.side && metric == other.metric && page == other.page && app == other.app
    }
}

extension PairRow: Comparable {
    /// By app, page, side, metric, then bucket.
    package static func < (lhs: PairRow, rhs: PairRow) -> Bool {
        let order = NameOrder(lhs.app, rhs.app).then(NameOrder(lhs.page, rhs.page))
            .then(NameOrder(lhs.side.rawValue, rhs.side.rawValue)).then(NameOrder(lhs.metric, rhs.metric))
        return order == .same ? lhs.bucket < rhs.bucket : order == .before
    }
}

/// What the users of a page's metric say of each other's values on one day in one release: m values of a user, S the
/// sum of their buckets' indices.
package struct UserRow: Sendable, Hashable {
    /// The app's identifier.
    package var app: String
    /// The page.
    package var page: String
    /// The release.
    package var release: String
    /// The metric's identifier.
    package var metric: String
    /// The users' sums, S of buckets' indices.
    package var sums = UserSums()
}

extension UserRow: Comparable {
    /// By app, page, release, then metric.
    package static func < (lhs: UserRow, rhs: UserRow) -> Bool {
        let order = NameOrder(lhs.app, rhs.app).then(NameOrder(lhs.page, rhs.page))
            .then(NameOrder(lhs.release, rhs.release)).then(NameOrder(lhs.metric, rhs.metric))
        return order == .before
    }
}

/// How one name stands to another in the order of their UTF-8.
enum NameOrder {
    case before, same, after

    /// The order of two names.
    init(_ lhs: String, _ rhs: String) {
        var (lhs, rhs) = (lhs, rhs)
        let difference = lhs.withUTF8 { lhs in
            rhs.withUTF8 { rhs in
                guard let left = lhs.baseAddress, let right = rhs.baseAddress else { return lhs.count - rhs.count }
                let difference = memcmp(left, right, min(lhs.count, rhs.count))
                return difference == 0 ? lhs.count - rhs.count : Int(difference)
            }
        }
        self = difference < 0 ? .before : difference == 0 ? .same : .after
    }

    /// This order, or where the names are the same that of others.
    @inline(__always)
    func then(_ next: @autoclosure () -> NameOrder) -> NameOrder { self == .same ? next() : self }
}

/// A file whose events a day of the store counts.
package struct FieldSource: Sendable, Hashable {
    /// What stands for its content.
    package let hash: String
    /// Its name when it was read, without folder and `.gz`.
    package let name: String
}

extension FieldSource: Comparable {
    /// A file by what stands for its content.
    init(_ hash: ContentHash, path: String) {
        let words = [hash.low, hash.high].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        let name = path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
        self.init(hash: words.joined(), name: name.hasSuffix(".gz") ? String(name.dropLast(3)) : name)
    }

    /// By hash.
    package static func < (lhs: FieldSource, rhs: FieldSource) -> Bool { lhs.hash < rhs.hash }
}

/// Why a line or a value isn't counted.
package enum FieldOmission: String, Sendable, Hashable, CaseIterable {
    /// The line isn't JSON, or a value is of a kind that it can't be.
    case unreadable
    /// Lines of its type aren't rolled up.
    case type
    /// It says no day.
    case day
    /// It names no page.
    case page
    /// It names no release.
    case release
    /// It is a checkpoint of a visit, outside of a run, which the line of the visit's end replaces.
    case checkpoint
    /// It has no value of any metric.
    case empty
    /// A value is negative, too large to be a number, or no number.
    case value
    /// Its day isn't one of those asked for.
    case otherDay = "other_day"
    /// It doesn't meet the conditions of the call.
    case condition
}

/// A day of roll-up T.
package struct FieldDay: Sendable, Hashable {
    /// The day.
    package let day: CalendarDay
    /// By what its rows are told apart beside app, page, release and metric.
    package var strata: [FieldStratum]
    /// The conditions, each `FIELD=VALUE`, that its events met, sorted.
    package var conditions: [String]
    /// The files whose events are counted, sorted by hash.
    package var files: [FieldSource] = []
    /// How many lines, and values, with this day weren't counted, and why.
    package var leftOut: [FieldOmission: Int] = [:]
    /// The rows, sorted.
    package var rows: [FieldRow] = []
}

/// A day of roll-up G.
package struct PairDay: Sendable, Hashable {
    /// The day.
    package let day: CalendarDay
    /// The conditions, each `FIELD=VALUE`, that its events met, sorted.
    package var conditions: [String]
    /// The files that it was computed from, sorted by hash.
    package var files: [FieldSource] = []
    /// The weighted buckets, sorted.
    package var rows: [PairRow] = []
    /// The users' sums, sorted; empty where events name no user.
    package var users: [UserRow] = []
}
