import PerfgateModel

/// How pages went over days or runs: one finished value from which every form of it is rendered.
package struct TrendReport: Sendable {
    /// The program and its version, such as `perfgate 0.1.0`.
    package var tool: String
    /// What was asked for, such as the conditions, each a sentence.
    package var notes: [String]
    /// What is never mixed, by environment; not empty.
    package var groups: [TrendGroup]

    /// Makes a report of its parts.
    package init(tool: String, notes: [String] = [], groups: [TrendGroup]) {
        self.tool = tool
        self.notes = notes
        self.groups = groups
    }

    /// Whether the level of anything became worse, and stayed.
    package var hasDrift: Bool { groups.contains { $0.findings.contains(where: \.isWorse) } }

    /// Whether any change could be told.
    package var isTold: Bool { groups.contains(where: \.isTold) }
}

/// The graphs that share an axis: those of an app's users, or of the test runs in one environment.
package struct TrendGroup: Sendable {
    /// The app, or the environment.
    package let environment: Environment
    /// What the graphs go over.
    package let axis: TrendAxis
    /// A graph for each metric of each page; pages and their metrics whose level became worse most first.
    package let graphs: [TrendGraph]
    /// How the releases spread; empty of runs.
    package let adoption: ReleaseAdoption
    /// The changes that stayed, by day or run.
    package let findings: [DriftFinding]
    /// Those that passed, by day or run.
    package let passing: [DriftFinding]

    /// Puts graphs in their order, and looks for what changed at the same time.
    package init(
        _ environment: Environment, _ axis: TrendAxis, _ graphs: [TrendGraph],
        _ adoption: ReleaseAdoption = ReleaseAdoption([:])
    ) {
        self.environment = environment
        self.axis = axis
        self.adoption = adoption
        let series = graphs.map(\.series)
        findings = DriftFinding.all(in: series, adoption)
        passing = DriftFinding.passing(in: series)
        let pages = Dictionary(grouping: graphs, by: \.page).map { page, graphs in
            (page: page, rank: graphs.map(\.rank).max { $1.isAbove($0) } ?? TrendGraph.Rank(), graphs: graphs)
        }
        self.graphs = pages.sorted { first, second in
            if first.rank.isAbove(second.rank) { return true }
            return !second.rank.isAbove(first.rank) && first.page < second.page
        }.flatMap { page in page.graphs.sorted { $0.isBefore($1) } }
    }
}

extension TrendGroup {
    /// The most days or runs that a graph has.
    package var length: Int { graphs.map(\.values.count).max() ?? 0 }

    /// Whether a change could be told: it takes five days or runs on each side.
    package var isTold: Bool { length >= 10 }
}

/// What graphs go over.
package enum TrendAxis: Sendable {
    /// Days in UTC, counted from 1970-01-01.
    case days(ClosedRange<Int>)
    /// Runs in the order of their start; the first is number 1. Not empty.
    case runs([TrendRun])

    /// The first and the last place.
    package var places: ClosedRange<Int> {
        switch self {
        case .days(let days): days
        case .runs(let runs): 1...max(1, runs.count)
        }
    }

    /// Whether its places are days.
    package var isOfDays: Bool {
        if case .days = self { true } else { false }
    }
}

/// A test run, as a graph names it.
package struct TrendRun: Sendable, Hashable {
    /// The identifier.
    package let id: String
    /// When it began; `nil` for a version of an app, which stands in the order of identifiers.
    package let start: Timestamp?
    /// The commit that was measured; `nil` where nobody said.
    package let commit: String?
    /// The version of the app; `nil` where nobody said.
    package let version: String?

    /// Makes a run of its parts.
    package init(id: String, start: Timestamp?, commit: String?, version: String?) {
        self.id = id
        self.start = start
        self.commit = commit
        self.version = version
    }
}

/// A metric of a page over an axis: two numbers at each place, and where the level changed.
package struct TrendGraph: Sendable {
    /// What was measured at a place.
    package struct Value: Sendable, Hashable {
        /// The day or the number of the run.
        package let place: Int
        /// How many events, or samples; 1 or more.
        package let count: Int
        /// The p50 of users, the mean or median of a run, in the metric's unit; finite.
        package let center: Double
        /// The p90; `nil` where there is none.
        package let high: Double?
        /// What changes are looked for in: the p75 of users, else the centre; finite.
        package let level: Double

        /// Makes a value of its parts.
        package init(place: Int, count: Int, center: Double, high: Double?, level: Double) {
            self.place = place
            self.count = count
            self.center = center
            self.high = high
            self.level = level
        }
    }

    /// The values of a part of the users, such as those of one system.
    package struct Line: Sendable, Hashable {
        /// What the part is called.
        package let name: String
        /// The values by place, ascending.
        package let values: [Value]

        /// Makes a line of its parts.
        package init(name: String, values: [Value]) {
            self.name = name
            self.values = values
        }
    }

    /// The page.
    package let page: Page
    /// The metric.
    package let metric: Metric
    /// What the centre is called: `p50`, `median` or `mean`.
    package let centerName: String
    /// The values by place, ascending.
    package let values: [Value]
    /// The same by parts of the users, the largest first; empty where they aren't told apart.
    package let lines: [Line]
    /// What changed.
    package let series: DriftSeries
    let rank: Rank

    /// Looks for changes in a metric.
    ///
    /// - Parameters:
    ///   - level: What changes are looked for in, such as `ttil@p75`.
    ///   - values: The values by place, ascending; not empty.
    ///   - isOfDays: Whether the places are days.
    ///   - count: How many graphs there are in all.
    package init(
        page: Page, metric: Metric, level: Metric, centerName: String, values: [Value], lines: [Line] = [],
        isOfDays: Bool, among count: Int = 1
    ) {
        self.page = page
        self.metric = metric
        self.centerName = centerName
        self.values = values
        self.lines = lines
        series = DriftSeries(
            page: page, metric: level, levels: values.map { .init(place: $0.place, value: $0.level) },
            hasWeekdays: isOfDays, among: count)
        rank = Rank(
            drift: series.changes.filter(\.isWorse).map { abs($0.logarithm) }.max() ?? 0,
            worsening: (metric.better == .lower ? 1 : -1) * series.growth)
    }
}

extension TrendGraph {
    /// How bad it became.
    struct Rank: Sendable, Hashable {
        /// The greatest change for the worse that stayed, in logarithms; 0: none did.
        var drift = 0.0
        /// By how much the newest week is worse than the oldest one, in logarithms.
        var worsening = -Double.infinity

        func isAbove(_ other: Rank) -> Bool { (drift, worsening) > (other.drift, other.worsening) }
    }

    /// Whether it stands before another one of its page: those that became worse first, then in the catalogue's order.
    func isBefore(_ other: TrendGraph) -> Bool {
        if rank.drift != other.rank.drift { return rank.drift > other.rank.drift }
        let (own, others) = (Self.order[metric.id] ?? .max, Self.order[other.metric.id] ?? .max)
        return own != others ? own < others : metric.id.precedesInUTF8(other.metric.id)
    }

    private static let order = Dictionary(
        uniqueKeysWithValues: MetricCatalog.all.enumerated().map { ($1.metric.id, $0) })
}
