import PerfgateModel
import PerfgateStats

/// A store's T by day: the numbers of events per release, and quantiles by page and metric.
package struct FieldTrend: Sendable {
    package enum Field: Sendable, Hashable, Comparable {
        case app, page, metric, release
        case stratum(FieldStratum)

        package init?(condition name: String) {
            let stratum = FieldStratum(rawValue: name).map(Field.stratum)
            guard let field = name == Field.release.name ? .release : stratum else { return nil }
            self = field
        }

        package var name: String {
            switch self {
            case .app: "app"
            case .page: "page"
            case .metric: "metric"
            case .release: "app_version"
            case .stratum(let stratum): stratum.rawValue
            }
        }

        /// Sorts fields of every row before strata, and these by name.
        package static func < (lhs: Field, rhs: Field) -> Bool {
            let ranks = [lhs, rhs].map { field in [.app, .page, .metric, .release].firstIndex(of: field) ?? 4 }
            return (ranks[0], lhs.name) < (ranks[1], rhs.name)
        }

        package var stratum: FieldStratum? { if case .stratum(let stratum) = self { stratum } else { nil } }

        fileprivate func value(of row: FieldRow, _ strata: [FieldStratum]) -> String {
            switch self {
            case .app: row.app
            case .page: row.page
            case .metric: row.metric
            case .release: row.release
            case .stratum(let stratum): strata.firstIndex(of: stratum).map { row.strata[$0] } ?? ""
            }
        }
    }

    /// The selected rows: for each field, rows with one of its values.
    package var conditions: [Field: Set<String>] = [:]
    /// The stratum that splits lines; `nil`: none.
    package var by: FieldStratum?
    package var since: CalendarDay?, until: CalendarDay?

    package init() {}

    package struct PageDays: Sendable {
        /// The app's identifier; empty if events have none.
        package let app: String, page: String
        package var metrics: [String: [Value]] = [:]
    }

    /// A day's numbers for a metric of a page.
    package struct Value: Sendable, Hashable {
        /// The day since 1970-01-01.
        package let day: Int
        /// The index of the line in `Days.lines`; `nil`: all events together.
        package let line: Int?
        package let events: Int
        /// The mean and the quantiles in quanta.
        package let mean: Double, p50: Double, p75: Double, p90: Double
    }

    package struct Days: Sendable {
        /// The first and last requested day in the store.
        package let range: ClosedRange<Int>
        package let strata: [FieldStratum]
        package let storeConditions: [String]
        /// The values of the lines, the most frequent first.
        package let lines: [String]
        /// The number of other values, which share one line after those.
        package let otherLines: Int
        package let pages: [PageDays]
        /// The number of events per release of an app and day.
        package let releases: [String: [String: [Int: Int]]]
        /// The number of pages' metrics with too few events on all days.
        package let rare: Int
    }

    /// The fewest events per day for quantiles: with fewer, a p90 is a single event.
    package static let fewestEvents = 20
    package static let mostLines = 5

    /// Reads the days of a store, several at a time; `nil` if it has none of the requested days.
    package func read(_ store: FieldStore) throws -> Days? {
        let numbers = try days(of: store)
        guard let first = numbers.first, let last = numbers.last, let head = try store.head(of: first) else {
            return nil
        }
        let wanted = Set(conditions.keys.compactMap(\.stratum) + [by].compactMap(\.self))
        let absent = wanted.subtracting(head.strata).sorted { $0.rawValue < $1.rawValue }
        guard absent.isEmpty else { throw FieldTrendError(folder: store.name, absent: absent) }
        let lines = try field.map { try frequent($0, in: store, numbers) } ?? []
        let own = Array(lines.prefix(lines.count > Self.mostLines + 1 ? Self.mostLines : lines.count))
        let read = try numbers.concurrentMap { number in
            let day = try store.read(number) { cursor throws(FieldRowError) in try DayReading(cursor, self, own) }
            try day?.head.check(head.strata, head.conditions, in: store)
            return day
        }
        var values: [PageMetric: [Value]] = [:]
        var releases: [String: [String: [Int: Int]]] = [:]
        for case (let number, let day?) in zip(numbers, read) {
            values.merge(day.values, uniquingKeysWith: +)
            for (app, events) in day.releases {
                for (release, count) in events {
                    releases[app, default: [:]][release, default: [:]][number.number] = count
                }
            }
        }
        var pages: [[String]: PageDays] = [:]
        for (key, values) in values where !values.isEmpty {
            pages[[key.app, key.page], default: PageDays(app: key.app, page: key.page)].metrics[key.metric] = values
        }
        return Days(
            range: first.number...last.number, strata: head.strata, storeConditions: head.conditions, lines: own,
            otherLines: lines.count - own.count, pages: pages.values.sorted { ($0.app, $0.page) < ($1.app, $1.page) },
            releases: releases, rare: values.values.count(where: \.isEmpty))
    }

    /// The values of a field on the requested days, in rows that meet the conditions, sorted.
    package func values(of field: Field, in store: FieldStore) throws -> [String] {
        try frequent(field, in: store, days(of: store)).sorted { $0.precedesInUTF8($1) }
    }

    private func days(of store: FieldStore) throws -> [CalendarDay] {
        let last = try store.newestDay(until: until)
        return try store.days().filter { $0 >= since ?? $0 && $0 <= last ?? $0 }
    }

    private func frequent(_ field: Field, in store: FieldStore, _ days: [CalendarDay]) throws -> [String] {
        let counts = try days.concurrentMap { number in
            try store.read(number) { cursor throws(FieldRowError) in
                var counts: [String: Int] = [:]
                while let row = try cursor.next() {
                    guard takes(row, cursor.head.strata) else { continue }
                    counts[field.value(of: row, cursor.head.strata), default: 0] += row.events
                }
                return counts
            }
        }
        let all = counts.reduce(into: [:]) { $0.merge($1 ?? [:], uniquingKeysWith: +) }
        return all.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    fileprivate var field: Field? { by.map(Field.stratum) }

    fileprivate func takes(_ row: FieldRow, _ strata: [FieldStratum]) -> Bool {
        conditions.allSatisfy { field, values in values.contains(field.value(of: row, strata)) }
    }
}

package struct FieldTrendError: Error, CustomStringConvertible {
    let folder: String, absent: [FieldStratum]

    package var description: String {
        let tags = absent.compactMap(\.tag)
        let lists = [("by", absent.filter { $0.tag == nil }.map(\.rawValue)), ("tags", tags)].filter { !$1.isEmpty }
        let keys = lists.map { "\($0): [\($1.joined(separator: ", "))]" }.joined(separator: ", ")
        return "\(folder) isn't grouped by \(absent.map(\.rawValue).joined(separator: ", ")): write "
            + "`field: { \(keys) }` into perfgate.yml, and roll the events up again into a new folder."
    }
}

private struct PageMetric: Hashable { let app: String, page: String, metric: String }

/// The requested part of a day of T.
private struct DayReading {
    /// The values of all events and of each line, where there are enough events.
    private(set) var values: [PageMetric: [FieldTrend.Value]] = [:]
    private(set) var releases: [String: [String: Int]] = [:]
    let head: FieldDay

    init(_ cursor: FieldCursor, _ trend: FieldTrend, _ lines: [String]) throws(FieldRowError) {
        head = cursor.head
        var counts: [String: [BucketCounts]] = [:]
        var page: (app: String, name: String)?
        func finish() {
            guard let page else { return }
            for (metric, all) in counts {
                let key = PageMetric(app: page.app, page: page.name, metric: metric)
                values[key] = all.enumerated().compactMap { place, counts in
                    counts.value(on: cursor.head.day.number, line: place > 0 ? place - 1 : nil)
                }
            }
            counts = [:]
        }
        while let row = try cursor.next() {
            guard trend.takes(row, head.strata) else { continue }
            if page?.name != row.page || page?.app != row.app {
                finish()
                page = (row.app, row.page)
            }
            releases[row.app, default: [:]][row.release, default: 0] += row.events
            let own = trend.field.map { lines.firstIndex(of: $0.value(of: row, head.strata)) ?? lines.count }
            let width = own == nil ? 1 : lines.count + 2
            counts[row.metric, default: Array(repeating: BucketCounts(), count: width)][0].add(row)
            if let own { counts[row.metric]?[own + 1].add(row) }
        }
        finish()
    }
}

/// The events of several rows by bucket.
private struct BucketCounts {
    private var events = 0, quanta = 0
    private var first: ArraySlice<FieldBucket> = []
    /// The number of events per bucket; empty while there is one row.
    private var sums: [Int] = []

    mutating func add(_ row: FieldRow) {
        if events > 0, sums.isEmpty {
            sums = Array(repeating: 0, count: QuantumBucket.count)
            for bucket in first { sums[bucket.index] = bucket.count }
        }
        if sums.isEmpty {
            first = row.buckets
        } else {
            for bucket in row.buckets { sums[bucket.index] += bucket.count }
        }
        events += row.events
        quanta += row.quanta
    }

    func value(on day: Int, line: Int?) -> FieldTrend.Value? {
        guard events >= FieldTrend.fewestEvents else { return nil }
        let all = sums.indices.lazy.filter { sums[$0] > 0 }.map { FieldBucket(index: $0, count: sums[$0]) }
        let histogram = WeightedHistogram(sums.isEmpty ? first : ArraySlice(all))
        return FieldTrend.Value(
            day: day, line: line, events: events, mean: Double(quanta) / Double(events),
            p50: histogram.quantile(0.5) ?? 0, p75: histogram.quantile(0.75) ?? 0, p90: histogram.quantile(0.9) ?? 0)
    }
}
