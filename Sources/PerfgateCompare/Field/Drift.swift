import PerfgateModel
import PerfgateStats

/// A quantile of a metric of a page by day, in which drift is looked for.
package struct DriftSeries: Sendable {
    /// The page.
    package let page: Page
    /// The quantile.
    package let quantile: MetricQuantile
    /// Its logarithms by day.
    package let values: [ChangePoints.Value]

    /// Makes a series of its parts.
    package init(page: Page, quantile: MetricQuantile, values: [ChangePoints.Value]) {
        self.page = page
        self.quantile = quantile
        self.values = values
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

/// A change of level that stayed, in one quantile or in several at the same time.
package struct DriftFinding: Sendable, Hashable {
    /// The change of one quantile.
    package struct Change: Sendable, Hashable {
        /// The page.
        package let page: Page
        /// The identifier of the quantile, such as `ttil@p75`.
        package let metric: String
        /// What changed, and on which day.
        package let point: ChangePoints.Point
        /// Whether it became worse.
        package let isWorse: Bool
    }

    /// The first day of the first change, in UTC, counted from 1970-01-01.
    package let day: Int
    /// The release whose share grew most around it; `nil` where none grew.
    package let release: String?
    /// The changes, the greatest first.
    package let changes: [Change]

    /// How many days apart changes may be to be one finding.
    static let reach = 2

    /// The findings of all series, by day: changes that begin within two days of the first of them are one.
    package static func all(in series: [DriftSeries], _ adoption: ReleaseAdoption) -> [DriftFinding] {
        var changes = series.flatMap { series in
            ChangePoints(series.values).points.map { point in
                Change(
                    page: series.page, metric: series.quantile.metric.id, point: point,
                    isWorse: (point.change > 0) == (series.quantile.base.better == .lower))
            }
        }
        changes.sort { ($0.point.day, $0.page, $0.metric) < ($1.point.day, $1.page, $1.metric) }
        var groups: [[Change]] = []
        for change in changes {
            if let first = groups.last?.first, change.point.day - first.point.day <= reach {
                groups[groups.count - 1].append(change)
            } else {
                groups.append([change])
            }
        }
        return groups.map { group in
            let ordered = group.sorted { abs($0.point.change) > abs($1.point.change) }
            return DriftFinding(
                day: group[0].point.day, release: adoption.release(around: group[0].point.day), changes: ordered)
        }
    }
}
