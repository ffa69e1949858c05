import Foundation
import PerfgateModel
import PerfgateStats

/// What a store's T says of each day: the numbers of events of releases, and quantiles by page and metric.
package struct FieldTrend: Sendable {
    /// What rows can be chosen by.
    package enum Field: String, Sendable, Hashable, CaseIterable {
        case app, page, metric
        case release = "app_version"
        case os
        case deviceClass = "device_class"
        case network
        case lowPower = "low_power"

        /// The stratum that it is; `nil`: every row has it.
        package var stratum: FieldStratum? { FieldStratum(rawValue: rawValue) }

        fileprivate func value(of row: FieldRow, _ strata: [FieldStratum]) -> String {
            switch self {
            case .app: row.app
            case .page: row.page
            case .metric: row.metric
            case .release: row.release
            case .os, .deviceClass, .network, .lowPower:
                stratum.flatMap(strata.firstIndex).map { row.strata[$0] } ?? ""
            }
        }
    }

    /// What rows are taken: those that have, of each field, one of its values.
    package var conditions: [Field: Set<String>] = [:]
    /// What lines are told apart by; `nil`: nothing.
    package var by: FieldStratum?
    /// The days that are taken; `nil`: all.
    package var since: CalendarDay?
    package var until: CalendarDay?

    /// Takes everything.
    package init() {}

    /// The metrics of one page of one app over the days.
    package struct PageDays: Sendable {
        /// The app's identifier; empty where events name none.
        package let app: String
        /// The page.
        package let page: String
        /// The values by metric, each by day.
        package var metrics: [String: [Value]] = [:]
    }

    /// What the events of a day say of a metric of a page.
    package struct Value: Sendable, Hashable {
        /// The day, counted from 1970-01-01.
        package let day: Int
        /// The place of the line in `Days.lines`; `nil`: all events together.
        package let line: Int?
        /// How many events.
        package let events: Int
        /// The mean and the quantiles in quanta.
        package let mean: Double
        package let p50: Double
        package let p75: Double
        package let p90: Double
    }

    /// What was read of a store.
    package struct Days: Sendable {
        /// The first and the last day that the store holds of those asked for.
        package let range: ClosedRange<Int>
        /// What the store's rows are told apart by.
        package let strata: [FieldStratum]
        /// The conditions that the store's events met.
        package let storeConditions: [String]
        /// The values that lines are told apart by, the most frequent first.
        package let lines: [String]
        /// How many further values are one line behind those.
        package let otherLines: Int
        /// The pages, sorted.
        package let pages: [PageDays]
        /// How many events each release of an app had on each day.
        package let releases: [String: [String: [Int: Int]]]
        /// How many metrics of pages have too few events on all days.
        package let rare: Int
    }

    /// The fewest events of a day that quantiles are taken of: a p90 of fewer is a single event.
    package static let fewestEvents = 20
    /// How many values have a line of their own.
    package static let mostLines = 5

    /// Reads the days of a store, several at a time; `nil` where it has none of those asked for.
    package func read(_ store: FieldStore) throws -> Days? {
        let numbers = try days(of: store)
        guard let first = numbers.first, let last = numbers.last, let head = try store.head(of: first) else {
            return nil
        }
        let wanted = Set(conditions.keys.compactMap(\.stratum) + [by].compactMap(\.self))
        let absent = FieldStratum.allCases.filter { wanted.contains($0) && !head.strata.contains($0) }
        guard absent.isEmpty else { throw FieldTrendError(folder: store.folder, absent: absent) }
        var lines: [String] = []
        if let field = by.flatMap({ Field(rawValue: $0.rawValue) }) {
            lines = try frequent(field, in: store, numbers)
        }
        let own = Array(lines.prefix(lines.count > Self.mostLines + 1 ? Self.mostLines : lines.count))
        let read = try numbers.concurrentMap { number in
            let day = try store.day(number) ?? FieldDay(day: number, strata: head.strata, conditions: head.conditions)
            try day.check(head.strata, head.conditions, in: store)
            return DayReading(day, self, own)
        }
        var places: [PageName: PageDays] = [:]
        var releases: [String: [String: [Int: Int]]] = [:]
        var rare: Set<[String]> = []
        for (number, day) in zip(numbers, read) {
            for (name, metrics) in day.pages {
                for (metric, values) in metrics {
                    if values.isEmpty { rare.insert([name.app, name.page, metric]) }
                    guard !values.isEmpty else { continue }
                    places[name, default: PageDays(app: name.app, page: name.page)]
                        .metrics[metric, default: []] += values
                }
            }
            for (app, events) in day.releases {
                for (release, count) in events {
                    releases[app, default: [:]][release, default: [:]][number.number] = count
                }
            }
        }
        let drawn = Set(places.flatMap { name, page in page.metrics.keys.map { [name.app, name.page, $0] } })
        return Days(
            range: first.number...last.number, strata: head.strata, storeConditions: head.conditions, lines: own,
            otherLines: lines.count - own.count,
            pages: places.values.sorted { ($0.app, $0.page) < ($1.app, $1.page) }, releases: releases,
            rare: rare.subtracting(drawn).count)
    }

    /// The values that a field has on the days asked for, in rows that meet the conditions, sorted.
    package func values(of field: Field, in store: FieldStore) throws -> [String] {
        try frequent(field, in: store, days(of: store)).sorted { $0.precedesInUTF8($1) }
    }

    private func days(of store: FieldStore) throws -> [CalendarDay] {
        try store.days().filter { $0 >= since ?? $0 && $0 <= until ?? $0 }
    }

    /// The values of a field by how many events have them, the most frequent first.
    private func frequent(_ field: Field, in store: FieldStore, _ days: [CalendarDay]) throws -> [String] {
        let counts = try days.concurrentMap { number -> [String: Int] in
            guard let day = try store.day(number) else { return [:] }
            return day.rows.reduce(into: [:]) { counts, row in
                guard takes(row, day.strata) else { return }
                counts[field.value(of: row, day.strata), default: 0] += row.events
            }
        }
        let all = counts.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        return all.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    fileprivate func takes(_ row: FieldRow, _ strata: [FieldStratum]) -> Bool {
        conditions.allSatisfy { field, values in values.contains(field.value(of: row, strata)) }
    }
}

/// That a store's rows aren't told apart by what was asked for.
package struct FieldTrendError: Error, CustomStringConvertible {
    /// The store.
    package let folder: String
    /// By what its rows aren't told apart.
    package let absent: [FieldStratum]

    /// What is wrong, and what to do.
    package var description: String {
        let names = absent.map(\.rawValue).joined(separator: ", ")
        return "\(folder) isn't grouped by \(names): write `field: { by: [\(names)] }` into perfgate.yml, and roll "
            + "the events up again into a new folder."
    }
}

private struct PageName: Hashable {
    let app: String
    let page: String
}

/// A day of T, as far as it is asked for.
private struct DayReading {
    /// The metrics of each page, with the values of all events and of each line that has enough; none where all together
    /// have too few.
    private(set) var pages: [PageName: [String: [FieldTrend.Value]]] = [:]
    /// How many events each release of an app had.
    private(set) var releases: [String: [String: Int]] = [:]

    init(_ day: FieldDay, _ trend: FieldTrend, _ lines: [String]) {
        let field = trend.by.flatMap { FieldTrend.Field(rawValue: $0.rawValue) }
        var counts: [String: [BucketCounts]] = [:]
        var page: PageName?
        func finish() {
            guard let page else { return }
            for (metric, all) in counts {
                let isEnough = all.first.map { $0.events >= FieldTrend.fewestEvents } ?? false
                let values = all.enumerated().compactMap { place, counts in
                    counts.value(on: day.day.number, line: place > 0 ? place - 1 : nil)
                }
                pages[page, default: [:]][metric] = isEnough ? values : []
            }
            counts = [:]
        }
        for row in day.rows where trend.takes(row, day.strata) {
            if page?.page != row.page || page?.app != row.app {
                finish()
                page = PageName(app: row.app, page: row.page)
            }
            releases[row.app, default: [:]][row.release, default: 0] += row.events
            let own = field.map { lines.firstIndex(of: $0.value(of: row, day.strata)) ?? lines.count }
            let width = field == nil ? 1 : lines.count + 2
            counts[row.metric, default: Array(repeating: BucketCounts(), count: width)][0].add(row)
            if let own { counts[row.metric]?[own + 1].add(row) }
        }
        finish()
    }
}

/// The events of several rows by bucket.
private struct BucketCounts {
    private(set) var events = 0
    private var quanta = 0
    private var first: ArraySlice<FieldBucket> = []
    /// How many events each bucket has; empty while there is one row.
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
        let buckets =
            sums.isEmpty
            ? first.map { WeightedHistogram.Bucket(index: $0.index, count: $0.count) }
            : sums.enumerated().compactMap { index, count in
                count > 0 ? WeightedHistogram.Bucket(index: index, count: count) : nil
            }
        let histogram = WeightedHistogram(buckets)
        return FieldTrend.Value(
            day: day, line: line, events: events, mean: Double(quanta) / Double(events),
            p50: histogram.quantile(0.5) ?? 0, p75: histogram.quantile(0.75) ?? 0, p90: histogram.quantile(0.9) ?? 0)
    }
}

extension Array where Element: Sendable {
    /// What becomes of each element, in their order, computed on all processors; throws what the first of those that
    /// fail threw.
    package func concurrentMap<Result: Sendable>(
        _ body: @escaping @Sendable (Element) throws -> Result
    ) throws -> [Result] {
        let slots = UnsafeMutableBufferPointer<Swift.Result<Result, any Error>?>.allocate(capacity: count)
        slots.initialize(repeating: nil)
        defer {
            slots.deinitialize()
            slots.deallocate()
        }
        // Each call writes a slot of its own.
        nonisolated(unsafe) let results = slots
        DispatchQueue.concurrentPerform(iterations: count) { index in
            results[index] = Swift.Result { try body(self[index]) }
        }
        return try slots.compactMap { try $0?.get() }
    }
}
