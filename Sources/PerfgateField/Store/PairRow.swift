import PerfgateModel
import PerfgateStats

package enum FieldSide: String, Sendable, Hashable, CaseIterable {
    case base
    case candidate
}

/// A row of roll-up G: the values of a page's metric on one day in one release and one bucket, weighted so that both
/// releases have the same shares of devices, systems, networks and low-power mode.
package struct PairRow: Sendable, Hashable {
    package var app: String
    package var page: String
    package var side: FieldSide
    package var metric: String
    package var bucket: Int
    /// The number of values in it, at least 1.
    package var count: Int
    /// Σ w, each w from 0 to 10,000.
    package var weight: Int
    /// Σ w².
    package var squares: Int
}

/// The weighted values of one metric of a page on a day in one release: the rows of G that only differ by bucket.
package struct PairCell: Sendable, Hashable {
    package var app: String
    package var page: String
    package let side: FieldSide
    package var metric: String
    /// The nonempty buckets, ascending.
    package private(set) var buckets: [WeightedHistogram.Bucket]

    func holds(_ row: PairRow) -> Bool {
        side == row.side && metric == row.metric && page == row.page && app == row.app
    }

    /// Adds the next bucket; false if it is out of order.
    mutating func append(_ bucket: WeightedHistogram.Bucket) -> Bool {
        guard bucket.index > buckets[buckets.count - 1].index else { return false }
        buckets.append(bucket)
        return true
    }
}

extension PairCell: Comparable {
    init(_ row: PairRow) {
        self.init(app: row.app, page: row.page, side: row.side, metric: row.metric, buckets: [row.content])
    }

    /// Sorts by app, page, side, then metric.
    package static func < (lhs: PairCell, rhs: PairCell) -> Bool {
        NameOrder(lhs.app, rhs.app).then(NameOrder(lhs.page, rhs.page))
            .then(NameOrder(lhs.side.rawValue, rhs.side.rawValue)).then(NameOrder(lhs.metric, rhs.metric)) == .before
    }
}

extension PairRow {
    var content: WeightedHistogram.Bucket {
        WeightedHistogram.Bucket(index: bucket, count: count, weight: weight, squares: squares)
    }
}

extension PairRow: Comparable {
    /// Sorts by app, page, side, metric, then bucket.
    package static func < (lhs: PairRow, rhs: PairRow) -> Bool {
        let order = NameOrder(lhs.app, rhs.app).then(NameOrder(lhs.page, rhs.page))
            .then(NameOrder(lhs.side.rawValue, rhs.side.rawValue)).then(NameOrder(lhs.metric, rhs.metric))
        return order == .same ? lhs.bucket < rhs.bucket : order == .before
    }
}

/// Sums over the users of a page's metric on one day in one release, for the design effect: m is a user's number of
/// values, S the sum of their bucket indices.
package struct UserRow: Sendable, Hashable {
    package var app: String
    /// The page; empty: all pages together, of the arms of an experiment.
    package var page: String
    package var release: String
    package var metric: String
    /// The sums over users, with S from bucket indices.
    package var sums = UserSums()
}

extension UserRow: Comparable {
    /// Sorts by app, page, release, then metric.
    package static func < (lhs: UserRow, rhs: UserRow) -> Bool {
        let order = NameOrder(lhs.app, rhs.app).then(NameOrder(lhs.page, rhs.page))
            .then(NameOrder(lhs.release, rhs.release)).then(NameOrder(lhs.metric, rhs.metric))
        return order == .before
    }
}

/// The number of an app's users in the arms of an experiment on a day; those in both count in `both` only.
package struct ArmUsers: Sendable, Hashable, Comparable {
    package var app: String
    package var base = 0
    package var candidate = 0
    package var both = 0

    mutating func add(base isBase: Bool, candidate isCandidate: Bool) {
        switch (isBase, isCandidate) {
        case (true, true): both += 1
        case (true, false): base += 1
        default: candidate += 1
        }
    }

    package static func < (lhs: ArmUsers, rhs: ArmUsers) -> Bool { NameOrder(lhs.app, rhs.app) == .before }
}

/// A day of roll-up G.
package struct PairDay: Sendable, Hashable {
    package let day: CalendarDay
    /// The conditions of its events, each `FIELD=VALUE`, sorted.
    package var conditions: [String]
    /// The source files, sorted by hash.
    package var files: [FieldSource] = []
    /// The weighted buckets, sorted.
    package var cells: [PairCell] = []
    /// The sums of users, sorted; empty if events name no user.
    package var users: [UserRow] = []
    /// The users of an experiment's arms, sorted by app; empty for releases, or if events name no user.
    package var arms: [ArmUsers] = []
}
