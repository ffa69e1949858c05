import LibC
import PerfgateModel
import PerfgateStats

/// A number of a page's metric by day or by run, in which drift is searched.
package struct DriftSeries: Sendable {
    package struct Level: Sendable, Hashable {
        /// The day, counted from 1970-01-01, or the number of the run.
        package let place: Int
        /// The number, in the metric's unit; finite.
        package let value: Double
    }

    package struct Terms: Sendable, Hashable {
        /// Whether places are calendar days instead of run numbers.
        package var hasWeekdays = true
        /// Whether a change for the worse can fail a call.
        package var isGated = true
        /// The smallest change that matters, in the metric's unit; 0 or more.
        package var smallest = 0.0
        /// Series searched together that are gated or not as this one, 1 or more: more series need stronger evidence.
        package var count = 1
    }

    /// The lasting changes, by place, and the temporary ones of gated series.
    package let changes, passing: [DriftFinding.Change]
    /// The growth from the first seven levels to the last seven, or from half to half of fewer; in logarithms.
    package let growth: Double
    /// The medians of the levels between which it grew.
    package let ends: (first: Double, last: Double)
    package let smallest: Double

    /// The probability of a false change, in all series together.
    private static let chance = 0.005

    /// Searches for changes in logarithms of levels; if a level is 0, the smallest change that counts is added to all.
    /// - Parameter metric: The changing quantity, such as `ttil@p75`.
    /// - Parameter levels: The levels by place, ascending.
    package init(page: Page, metric: Metric, levels: [Level], _ terms: Terms = Terms()) {
        let least = levels.map(\.value).min() ?? 0
        let offset = least > 0 ? 0 : max(terms.smallest, 1e-3) - least
        let values = levels.map { ChangePoints.Value(day: $0.place, logarithm: log($0.value + offset)) }
        var search = ChangePoints.Terms()
        search.hasWeekdays = terms.hasWeekdays
        search.level = min(search.level, Self.chance / Double(terms.count))
        (search.smallest, search.centre) = (terms.smallest, metric.centre)
        let found = ChangePoints(values, search)
        let cuts = found.points.map(\.day)
        func number(_ logarithm: Double) -> Double {
            // A level estimated from differences may lie beyond the least one, which is never below 0 for most metrics.
            let value = max(exp(logarithm) - offset, min(least, 0))
            return abs(value) > offset * 1e-9 ? value : 0
        }
        func change(from first: Int, to last: Int, _ before: Double, by logarithm: Double) -> DriftFinding.Change {
            DriftFinding.Change(
                page: page, metric: metric.id, first: first, last: last, logarithm: logarithm, before: number(before),
                after: number(before + logarithm), isWorse: (logarithm > 0) == (metric.better == .lower),
                isGated: terms.isGated)
        }
        changes = found.points.map { change(from: $0.day, to: $0.day, $0.before, by: $0.change) }
        passing = found.passing.compactMap { event in
            let start = cuts.last { $0 < event.first } ?? .min
            let days = values.filter { start..<event.first ~= $0.day }.suffix(ChangePoints.mostDays)
            let change = change(from: event.first, to: event.last, days.map(\.logarithm).median ?? 0, by: event.change)
            // What can't fail and went again isn't worth a line, nor is a single dropped frame.
            guard terms.isGated else { return nil }
            let isOne = metric.unit.isCount && abs(change.after - change.before) < 1.001
            return abs(change.after - change.before) >= terms.smallest && !isOne ? change : nil
        }
        let week = min(7, values.count / 2)
        smallest = terms.smallest
        let (first, last) = (levels.prefix(max(1, week)), levels.suffix(max(1, week)))
        ends = (first.map(\.value).median ?? 0, last.map(\.value).median ?? 0)
        growth = (values.suffix(week).map(\.logarithm).median ?? 0) - (values.prefix(week).map(\.logarithm).median ?? 0)
    }
}

extension DriftSeries.Terms {
    package init(_ policy: CellPolicy, hasWeekdays: Bool, among count: Int) {
        self.init(
            hasWeekdays: hasWeekdays, isGated: policy.isGated.value, smallest: policy.minChange.value, count: count)
    }
}

/// Each release's share of events by day, which dates a change of level.
package struct ReleaseAdoption: Sendable {
    private let shares: [String: [Int: Double]], days: Set<Int>

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

    /// The number of days examined on each side.
    private static let reach = 7

    /// The release whose share grew most from the week before a day to the one after, the first by name; `nil`: none.
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
    package struct Release: Sendable, Hashable {
        package let name: String
        /// Its share on each day with any events of it, above 0 and at most 1.
        package let shares: [Int: Double]
        package let first: Int
        /// The first day with its largest share.
        package let peak: Int
    }

    package var releases: [Release] {
        shares.compactMap { name, shares -> Release? in
            guard let first = shares.keys.min(), let most = shares.values.max(),
                let peak = shares.filter({ $0.value == most }).keys.min()
            else { return nil }
            return Release(name: name, shares: shares, first: first, peak: peak)
        }.sorted { ($0.first, $0.peak, $0.name) < ($1.first, $1.peak, $1.name) }
    }
}

/// A change of level in one or several quantiles at the same time.
package struct DriftFinding: Sendable, Hashable {
    package struct Change: Sendable, Hashable {
        package let page: Page
        /// The identifier of the quantile, such as `ttil@p75`.
        package let metric: String
        /// The first day of the new level, and the last one if it is temporary, else the first again.
        package let first, last: Int
        package let logarithm: Double
        /// The previous level, the median of up to 28 days, and the new one, in the metric's unit.
        package let before, after: Double
        package let isWorse, isGated: Bool
    }

    /// The first day of the first change, in UTC since 1970-01-01; or the run number.
    package let first: Int
    /// The last day on which one of the changes begins, or one of the temporary changes ends.
    package let last: Int
    /// The release whose share grew most around it; `nil` if none grew.
    package let release: String?
    /// The changes, the greatest first.
    package let changes: [Change]

    package var isWorse: Bool { changes.contains(where: \.isWorse) }
    package var isFailing: Bool { changes.contains { $0.isWorse && $0.isGated } }

    static let reach = 2

    /// The findings of all series, by day: changes that begin within two days of the first one belong together.
    package static func all(in series: [DriftSeries], _ adoption: ReleaseAdoption) -> [DriftFinding] {
        grouped(series.flatMap(\.changes)) { adoption.release(around: $0) }
    }

    /// The temporary levels that were left within five days, grouped the same way.
    package static func passing(in series: [DriftSeries]) -> [DriftFinding] {
        grouped(series.flatMap(\.passing)) { _ in nil }
    }

    private static func grouped(_ changes: [Change], release: (Int) -> String?) -> [DriftFinding] {
        var groups: [[Change]] = []
        for change in changes.sorted(by: { ($0.first, $0.page, $0.metric) < ($1.first, $1.page, $1.metric) }) {
            if let first = groups.last?.first, change.first - first.first <= reach {
                groups[groups.count - 1].append(change)
            } else {
                groups.append([change])
            }
        }
        return groups.map { group in
            // Equally large changes keep their order.
            let greatestFirst = group.enumerated().sorted {
                (abs($1.element.logarithm), $0.offset) < (abs($0.element.logarithm), $1.offset)
            }
            return DriftFinding(
                first: group[0].first, last: group.map(\.last).max() ?? group[0].last,
                release: release(group[0].first), changes: greatestFirst.map(\.element))
        }
    }
}
