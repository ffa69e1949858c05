import LibC
import PerfgateModel
import PerfgateStats

/// A number of a metric of a page by day, or by run, in which drift is looked for.
package struct DriftSeries: Sendable {
    /// The number at one place.
    package struct Level: Sendable, Hashable {
        /// The day, counted from 1970-01-01, or the number of the run.
        package let place: Int
        /// The number, in the metric's unit; finite.
        package let value: Double

        /// Makes a level of its parts.
        package init(place: Int, value: Double) {
            self.place = place
            self.value = value
        }
    }

    /// The changes that stayed, by place.
    package let changes: [DriftFinding.Change]
    /// Those that passed, by place.
    package let passing: [DriftFinding.Change]
    /// By how much the last seven levels exceed the first seven, in logarithms; of fewer than fourteen, halves.
    let growth: Double

    /// The chance of a change that isn't there, in all series together.
    private static let chance = 0.01

    /// Looks for changes in the levels' logarithms.
    ///
    /// Where a level is 0, the smallest change that matters is added to all, and less than that is no change.
    ///
    /// - Parameters:
    ///   - metric: What changes, such as `ttil@p75`.
    ///   - levels: The levels by place, ascending.
    ///   - hasWeekdays: Whether the places are days of a calendar, and no numbers of runs.
    ///   - count: How many series are looked at together, 1 or more: the more there are, the less chance may explain.
    package init(page: Page, metric: Metric, levels: [Level], hasWeekdays: Bool = true, among count: Int = 1) {
        let id = MetricQuantile.parts(of: metric.id)?.metric ?? metric.id
        let smallest = max(MetricCatalog.definition(of: id)?.minChange(at: nil) ?? 0, 1e-3)
        let least = levels.map(\.value).min() ?? 0
        let offset = least > 0 ? 0 : smallest - least
        let values = levels.map { ChangePoints.Value(day: $0.place, logarithm: log($0.value + offset)) }
        let found = ChangePoints(
            values, hasWeekdays: hasWeekdays, level: min(ChangePoints.level, Self.chance / Double(count)))
        let cuts = found.points.map(\.day)
        func number(_ logarithm: Double) -> Double {
            let value = exp(logarithm) - offset
            return abs(value) > offset * 1e-9 ? value : 0
        }
        func change(from first: Int, to last: Int, by logarithm: Double) -> DriftFinding.Change? {
            let start = cuts.last { $0 < first } ?? .min
            let days = values.filter { start..<first ~= $0.day }.suffix(ChangePoints.mostDays)
            let before = days.map(\.logarithm).middle
            let change = DriftFinding.Change(
                page: page, metric: metric.id, first: first, last: last, logarithm: logarithm, before: number(before),
                after: number(before + logarithm), isWorse: (logarithm > 0) == (metric.better == .lower))
            let isCounted = offset > 0 || !cuts.contains(first) && metric.unit.isCountOrRate
            return !isCounted || abs(change.after - change.before) >= smallest ? change : nil
        }
        changes = found.points.compactMap { change(from: $0.day, to: $0.day, by: $0.change) }
        // Among values that are mostly 0, each that isn't would pass for an event.
        passing = offset > 0 ? [] : found.passing.compactMap { change(from: $0.first, to: $0.last, by: $0.change) }
        let week = min(7, values.count / 2)
        growth = values.suffix(week).map(\.logarithm).middle - values.prefix(week).map(\.logarithm).middle
    }
}

extension [Double] {
    /// The middle value, of an even number half way between the two; 0 without values.
    package var middle: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return sorted[(count - 1) / 2] / 2 + sorted[count / 2] / 2
    }
}

/// Which share of the events each release had, by day: what a change of level is dated by.
package struct ReleaseAdoption: Sendable {
    private let shares: [String: [Int: Double]]

    /// Takes how many events each release had on each day.
    package init(_ events: [String: [Int: Int]]) {
        let totals = events.values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        shares = events.mapValues { days in
            days.reduce(into: [:]) { shares, item in
                guard let total = totals[item.key], total > 0 else { return }
                shares[item.key] = Double(item.value) / Double(total)
            }
        }
        days = Set(totals.keys)
    }

    private let days: Set<Int>

    /// How many days a side are looked at.
    private static let reach = 7

    /// The release whose share grew most from the week before a day to the week that begins with it, of several the first
    /// by name; `nil` where none grew.
    package func release(around day: Int) -> String? {
        let before = (day - Self.reach..<day).filter(days.contains)
        let after = (day..<day + Self.reach).filter(days.contains)
        guard !before.isEmpty, !after.isEmpty else { return nil }
        let growths = shares.mapValues { share in mean(share, on: after) - mean(share, on: before) }
        let most = growths.max { ($0.value, $1.key) < ($1.value, $0.key) }
        return most.flatMap { $0.value > 0 ? $0.key : nil }
    }

    private func mean(_ share: [Int: Double], on days: [Int]) -> Double {
        days.reduce(0) { $0 + (share[$1] ?? 0) } / Double(days.count)
    }
}

extension ReleaseAdoption {
    /// How a release spread.
    package struct Release: Sendable, Hashable {
        /// Its name.
        package let name: String
        /// Its share of each day on which it had any, above 0 and at most 1.
        package let shares: [Int: Double]
        /// The first day with an event of it.
        package let first: Int
        /// The first day on which it had its greatest share.
        package let peak: Int
    }

    /// The releases by their first day, then by that of their greatest share, then by name.
    package var releases: [Release] {
        shares.compactMap { name, shares -> Release? in
            guard let first = shares.keys.min(), let most = shares.values.max(),
                let peak = shares.filter({ $0.value == most }).keys.min()
            else { return nil }
            return Release(name: name, shares: shares, first: first, peak: peak)
        }.sorted { ($0.first, $0.peak, $0.name) < ($1.first, $1.peak, $1.name) }
    }
}

/// A change of level, in one quantile or in several at the same time.
package struct DriftFinding: Sendable, Hashable {
    /// The change of one quantile.
    package struct Change: Sendable, Hashable {
        /// The page.
        package let page: Page
        /// The identifier of the quantile, such as `ttil@p75`.
        package let metric: String
        /// The first day of the new level.
        package let first: Int
        /// The last day of a level that passed; of one that stayed the first.
        package let last: Int
        /// By how much the level changed, in logarithms.
        package let logarithm: Double
        /// The level before it: the median of up to 28 days, in the metric's unit.
        package let before: Double
        /// The level after it, or while it lasted.
        package let after: Double
        /// Whether it became worse.
        package let isWorse: Bool
    }

    /// The first day of the first change, in UTC, counted from 1970-01-01; or the number of the run.
    package let first: Int
    /// The last day that one of the changes begins on, or that one of those that passed ends on.
    package let last: Int
    /// The release whose share grew most around it; `nil` where none grew.
    package let release: String?
    /// The changes, the greatest first.
    package let changes: [Change]

    /// Whether anything became worse.
    package var isWorse: Bool { changes.contains(where: \.isWorse) }

    /// How many days apart changes may begin to be one finding.
    static let reach = 2

    /// The findings of all series, by day: changes that begin within two days of the first of them are one.
    package static func all(in series: [DriftSeries], _ adoption: ReleaseAdoption) -> [DriftFinding] {
        grouped(series.flatMap(\.changes)).map { group in
            DriftFinding(
                first: group[0].first, last: group.map(\.last).max() ?? group[0].last,
                release: adoption.release(around: group[0].first), changes: group.greatestFirst)
        }
    }

    /// The levels that were left within five days, put together in the same way.
    package static func passing(in series: [DriftSeries]) -> [DriftFinding] {
        grouped(series.flatMap(\.passing)).map { group in
            DriftFinding(
                first: group[0].first, last: group.map(\.last).max() ?? group[0].last, release: nil,
                changes: group.greatestFirst)
        }
    }

    private static func grouped(_ changes: [Change]) -> [[Change]] {
        let sorted = changes.sorted { ($0.first, $0.page, $0.metric) < ($1.first, $1.page, $1.metric) }
        return sorted.reduce(into: []) { groups, change in
            if let first = groups.last?.first, change.first - first.first <= reach {
                groups[groups.count - 1].append(change)
            } else {
                groups.append([change])
            }
        }
    }
}

extension [DriftFinding.Change] {
    /// Changes that are as great stay in their order.
    fileprivate var greatestFirst: [DriftFinding.Change] {
        enumerated().sorted { first, second in
            let (left, right) = (abs(first.element.logarithm), abs(second.element.logarithm))
            return left != right ? left > right : first.offset < second.offset
        }.map(\.element)
    }
}
