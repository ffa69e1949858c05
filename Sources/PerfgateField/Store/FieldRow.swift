import LibC
import PerfgateIngest
import PerfgateModel
import PerfgateStats

/// A bucket's index, and its number of values, at least 1.
package struct FieldBucket: Sendable, Hashable { package let index: Int, count: Int }

/// A row of roll-up T: a day's events of one metric of one page in one release.
package struct FieldRow: Sendable, Hashable, Comparable {
    /// The app's identifier is empty if events have none.
    package var app: String, page: String, release: String, metric: String
    /// The values of the strata, in order; empty if unknown.
    package var strata: [String] = []
    package var events: Int, quanta: Int
    /// The nonempty buckets, ascending by index.
    package var buckets: ArraySlice<FieldBucket>

    package var histogram: WeightedHistogram { WeightedHistogram(buckets) }

    /// Sorts by app, page, release, metric, then strata, each in UTF-8 order.
    package static func < (lhs: FieldRow, rhs: FieldRow) -> Bool { lhs.order(to: rhs) == .before }

    /// Compares the names with those of another row, which has the same strata.
    private func order(to other: FieldRow) -> NameOrder {
        let order = NameOrder(app, other.app).then(NameOrder(page, other.page))
            .then(NameOrder(release, other.release)).then(NameOrder(metric, other.metric))
        return zip(strata, other.strata).reduce(order) { order, pair in order.then(NameOrder(pair.0, pair.1)) }
    }

    /// The sum of this row and another with the same names.
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

    /// Merges two sorted lists without duplicates; rows with the same names are added.
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

extension WeightedHistogram {
    init(_ buckets: ArraySlice<FieldBucket>) { self.init(buckets.map { Bucket(index: $0.index, count: $0.count) }) }
}

/// The order of two names in UTF-8.
enum NameOrder {
    case before, same, after

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

    /// This order, or for equal names the order of others.
    @inline(__always) func then(_ next: @autoclosure () -> NameOrder) -> NameOrder { self == .same ? next() : self }
}

/// A file whose events a day of the store counts.
package struct FieldSource: Sendable, Hashable, Comparable {
    package internal(set) var hash: String
    /// Its name when it was read, without folder and `.gz`.
    package internal(set) var name: String
    /// The number of its lines; `nil` if unknown. It is no part of its identity.
    package var lines: Int?

    package static func == (lhs: FieldSource, rhs: FieldSource) -> Bool { (lhs.hash, lhs.name) == (rhs.hash, rhs.name) }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
        hasher.combine(name)
    }

    package static func < (lhs: FieldSource, rhs: FieldSource) -> Bool { lhs.hash < rhs.hash }
}

extension FieldSource {
    init(_ hash: ContentHash, path: String, lines: Int? = nil) {
        let name = path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
        self.init(hash: Self.text(hash), name: name.hasSuffix(".gz") ? String(name.dropLast(3)) : name, lines: lines)
    }

    static func text(_ hash: ContentHash) -> String {
        [hash.low, hash.high].map { String($0, radix: 16).padded(toWidth: 16) }.joined()
    }
}

/// A day of roll-up T.
package struct FieldDay: Sendable, Hashable {
    package let day: CalendarDay
    package var strata: [FieldStratum]
    /// The conditions of its events, each `FIELD=VALUE`, sorted.
    package var conditions: [String]
    /// The counted files, sorted by hash.
    package var files: [FieldSource] = []
    /// The number of lines and values of this day that weren't counted, by reason.
    package var leftOut: [FieldOmission: Int] = [:]
    package var rows: [FieldRow] = []

    /// The number of values of the metric that has most of them, which approximates the number of events.
    var events: Int { rows.reduce(into: [String: Int]()) { $0[$1.metric, default: 0] += $1.events }.values.max() ?? 0 }
}

/// How much smaller than its events a roll-up is.
package struct RollUpSize: Sendable, Hashable {
    /// The rows of T and the events of some days.
    private var rows = 0, events = 0

    mutating func add(_ day: FieldDay) {
        rows += day.rows.count
        events += day.events
    }

    /// The rows for each event, above 0; `nil` without events.
    package var rowsPerEvent: Double? { events > 0 ? Double(rows) / Double(events) : nil }

    /// Whether it is hardly smaller than the events, although they are enough to group them.
    package var isLarge: Bool { events >= 10_000 && rowsPerEvent ?? 0 > 0.3 }
}

package enum FieldSide: String, Sendable { case base, candidate }

/// The values of a page's metric on one day in one release, weighted so that both releases have the same shares of
/// devices, systems, networks and low-power mode. A row of roll-up G has one of its buckets.
package struct PairCell: Sendable, Hashable, Comparable {
    package let app: String, page: String, side: FieldSide, metric: String
    /// The nonempty buckets, ascending.
    package private(set) var buckets: [WeightedHistogram.Bucket]

    func hasNames(of row: PairCell) -> Bool {
        side == row.side && metric == row.metric && page == row.page && app == row.app
    }

    /// Adds the next bucket; false if it is out of order.
    mutating func append(_ bucket: WeightedHistogram.Bucket) -> Bool {
        guard bucket.index > buckets[buckets.count - 1].index else { return false }
        buckets.append(bucket)
        return true
    }

    package static func < (lhs: PairCell, rhs: PairCell) -> Bool {
        NameOrder(lhs.app, rhs.app).then(NameOrder(lhs.page, rhs.page))
            .then(NameOrder(lhs.side.rawValue, rhs.side.rawValue)).then(NameOrder(lhs.metric, rhs.metric)) == .before
    }
}

/// Sums over the users of a page's metric on one day in one release, for the design effect: m is a user's number of
/// values, S the sum of their bucket indices.
package struct UserRow: Sendable, Hashable, Comparable {
    /// The page is empty for all pages together, of the arms of an experiment.
    package let app: String, page: String, release: String, metric: String
    package var sums = UserSums()

    package static func < (lhs: UserRow, rhs: UserRow) -> Bool {
        NameOrder(lhs.app, rhs.app).then(NameOrder(lhs.page, rhs.page))
            .then(NameOrder(lhs.release, rhs.release)).then(NameOrder(lhs.metric, rhs.metric)) == .before
    }
}

/// The number of an app's users in the arms of an experiment on a day; those in both count in `both` only.
package struct ArmUsers: Sendable, Hashable, Comparable {
    package internal(set) var app: String
    package var base = 0, candidate = 0, both = 0

    package static func < (lhs: ArmUsers, rhs: ArmUsers) -> Bool { NameOrder(lhs.app, rhs.app) == .before }
}

/// A day of roll-up G, with sorted lists.
package struct PairDay: Sendable, Hashable {
    package let day: CalendarDay
    package var conditions: [String]
    /// The source files, sorted by hash.
    package var files: [FieldSource] = []
    package var cells: [PairCell] = []
    /// The sums of users, and the users of an experiment's arms; empty if events name no user.
    package var users: [UserRow] = [], arms: [ArmUsers] = []
}
