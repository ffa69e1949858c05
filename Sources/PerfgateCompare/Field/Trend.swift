import PerfgateModel
import PerfgateStats

/// The history of pages over days or runs, from which all forms are rendered.
package struct TrendReport: Sendable {
    /// The program's name and version, such as `perfgate 0.1.0`.
    package var tool: String
    /// The request, such as its conditions, as sentences.
    package var notes: [String]
    /// The groups that are never mixed, by environment; not empty.
    package var groups: [TrendGroup]

    package init(tool: String, notes: [String] = [], groups: [TrendGroup]) {
        (self.tool, self.notes, self.groups) = (tool, notes, groups)
    }

    package var hasDrift: Bool { groups.contains { $0.findings.contains(where: \.isFailing) } }

    package var canFail: Bool {
        groups.contains { $0.graphs.contains { $0.isGated && $0.values.count >= TrendGroup.fewest } }
    }

    package var hasEnoughData: Bool { groups.contains(where: \.hasEnoughData) }
}

/// The graphs that share an axis: an app's users, or the test runs of one environment.
package struct TrendGroup: Sendable {
    package let environment: Environment, axis: TrendAxis
    /// One graph per metric and page; pages and metrics that became worse most come first.
    package let graphs: [TrendGraph]
    /// The spread of the releases; empty for runs.
    package let adoption: ReleaseAdoption
    /// The lasting and the temporary changes, by day or run.
    package let findings, passing: [DriftFinding]

    package init(
        _ environment: Environment, _ axis: TrendAxis, _ graphs: [TrendGraph],
        _ adoption: ReleaseAdoption = ReleaseAdoption([:])
    ) {
        (self.environment, self.axis, self.adoption) = (environment, axis, adoption)
        let series = graphs.map(\.series)
        findings = DriftFinding.all(in: series, adoption)
        passing = DriftFinding.passing(in: series)
        let pages = Dictionary(grouping: graphs, by: \.page).map { page, graphs in
            (page: page, rank: graphs.map(\.rank).max() ?? TrendGraph.Rank(), graphs: graphs)
        }
        self.graphs = pages.sorted { ($1.rank, $0.page) < ($0.rank, $1.page) }
            .flatMap { page in page.graphs.sorted { $0.isBefore($1) } }
    }
}

extension TrendGroup {
    package var length: Int { graphs.map(\.values.count).max() ?? 0 }

    package static let fewest = ChangePoints.fewestValues

    package var hasEnoughData: Bool { length >= Self.fewest }
}

package enum TrendAxis: Sendable {
    /// Days in UTC, counted from 1970-01-01.
    case days(ClosedRange<Int>)
    /// Runs ordered by start; the first has number 1. Not empty.
    case runs([TrendRun])

    package var places: ClosedRange<Int> {
        switch self {
        case .days(let days): days
        case .runs(let runs): 1...max(1, runs.count)
        }
    }

    package var isOfDays: Bool { if case .days = self { true } else { false } }
}

package struct TrendRun: Sendable, Hashable {
    package let id: String
    /// Its start; `nil` for a version of an app, which is ordered by identifier.
    package let start: Timestamp?
    package let commit, version: String?

    package init(id: String, start: Timestamp?, commit: String?, version: String?) {
        (self.id, self.start, self.commit, self.version) = (id, start, commit, version)
    }
}

/// A page's metric over an axis: two numbers per place, and the changes of level.
package struct TrendGraph: Sendable {
    package struct Value: Sendable, Hashable {
        package let place: Int
        /// The number of events or samples; 1 or more.
        package let count: Int
        /// The p50 of users, the mean or median of a run, in the metric's unit; finite.
        package let center: Double
        /// The p90; `nil` without one.
        package let high: Double?
        /// The value in which changes are searched: the p75 of users, else the centre; finite.
        package let level: Double

        package init(place: Int, count: Int, center: Double, high: Double?, level: Double) {
            (self.place, self.count, self.center, self.high, self.level) = (place, count, center, high, level)
        }
    }

    /// The values of a subset of the users, such as the users of one system.
    package struct Line: Sendable, Hashable {
        package let name: String, values: [Value]

        package init(name: String, values: [Value]) { (self.name, self.values) = (name, values) }
    }

    package let page: Page, metric: Metric
    /// The name of the centre: `p50`, `median` or `mean`.
    package let centerName: String
    /// The values by place, ascending.
    package let values: [Value]
    /// The same by subset of the users, the largest first; empty without subsets.
    package let lines: [Line]
    package let series: DriftSeries
    /// The quantity in which changes are searched, such as `ttil@p75`.
    package let level: Metric
    package let isGated: Bool
    let rank: Rank

    package init(
        page: Page, metric: Metric, level: Metric, centerName: String, values: [Value], lines: [Line] = [],
        _ terms: DriftSeries.Terms
    ) {
        (self.page, self.metric, self.level, self.centerName) = (page, metric, level, centerName)
        (self.values, self.lines, isGated) = (values, lines, terms.isGated)
        series = DriftSeries(
            page: page, metric: level, levels: values.map { .init(place: $0.place, value: $0.level) }, terms)
        rank = Rank(
            drift: series.changes.filter(\.isWorse).map { abs($0.logarithm) }.max() ?? 0,
            worsening: (metric.better == .lower ? 1 : -1) * series.growth)
    }
}

extension TrendGraph {
    struct Rank: Sendable, Comparable {
        /// The largest lasting change for the worse, and that from the oldest week to the newest, in logarithms.
        var drift = 0.0, worsening = -Double.infinity

        static func < (lhs: Rank, rhs: Rank) -> Bool { (lhs.drift, lhs.worsening) < (rhs.drift, rhs.worsening) }
    }

    /// Whether it precedes another graph of its page: worse ones first, then in catalogue order.
    func isBefore(_ other: TrendGraph) -> Bool {
        if rank.drift != other.rank.drift { return rank.drift > other.rank.drift }
        let (own, others) = (Self.order[metric.id] ?? .max, Self.order[other.metric.id] ?? .max)
        return own != others ? own < others : metric.id.precedesInUTF8(other.metric.id)
    }

    private static let order = Dictionary(
        uniqueKeysWithValues: MetricCatalog.all.enumerated().map { ($1.metric.id, $0) })
}
