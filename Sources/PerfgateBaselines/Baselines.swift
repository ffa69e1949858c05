import PerfgateModel

/// The baselines that a store held when it was read.
package struct Baselines: Sendable, Hashable {
    /// One file of the store.
    package struct Entry: Sendable, Hashable {
        /// Its path.
        package let path: String
        /// What it holds.
        package let file: BaselineFile

        /// Makes an entry of its parts.
        package init(path: String, file: BaselineFile) {
            self.path = path
            self.file = file
        }
    }

    /// The files by what they are the baseline of.
    package internal(set) var entries: [PageInEnvironment: Entry]

    /// Makes a collection of files; the empty one is that of a store without a folder.
    package init(entries: [PageInEnvironment: Entry] = [:]) {
        self.entries = entries
    }

    /// The baseline of a page in an environment; `nil` where there is none.
    package subscript(_ place: PageInEnvironment) -> BaselineFile? {
        entries[place]?.file
    }

    /// Everything that there is a baseline of, by page, then environment.
    package var places: [PageInEnvironment] { entries.keys.sorted() }

    /// The environments that there is a baseline of, sorted.
    package var environments: [Environment] { Set(entries.keys.map(\.environment)).sorted() }

    /// The pages that there is a baseline of in an environment, sorted.
    package func pages(in environment: Environment) -> [Page] {
        entries.keys.filter { $0.environment == environment }.map(\.page).sorted()
    }
}

extension Baselines {
    /// The places whose newest run began so many days (UTC) before the newest run of all, sorted.
    ///
    /// The store's own newest run is the clock, so that the answer doesn't depend on the day it is asked.
    package func places(daysOlderThanNewest days: Int) -> [PageInEnvironment] {
        let newest = entries.values.compactMap { $0.file.runs.last?.startedAt.day }.max()
        return places.filter { place in
            guard let newest, let last = self[place]?.runs.last?.startedAt.day else { return !hasLimit(place) }
            return newest - last >= days
        }
    }

    /// Whether another tool's limit holds there, which has no age.
    private func hasLimit(_ place: PageInEnvironment) -> Bool {
        self[place]?.metrics.values.contains { $0.limit != nil } ?? false
    }
}

extension Baselines {
    /// Takes an update into the baseline of a page, as a store would write it: what doesn't fit is found before
    /// anything is written.
    package mutating func take(
        _ update: BaselineUpdate, at place: PageInEnvironment, of store: BaselineStore,
        window: WindowPolicy = .standard
    ) throws(BaselineError) {
        let path = entries[place]?.path ?? store.path(of: place)
        do throws(BaselineError) {
            let file = try (self[place] ?? BaselineFile(place)).taking(update, window: window)
            if entries[place] != nil || !file.isEmpty { entries[place] = Entry(path: path, file: file) }
        } catch {
            throw error.located(in: path)
        }
    }
}

extension BaselineFile {
    /// Whether samples of a run would stay if they were taken in: they are of their metric's epoch, and the window has
    /// room for the run.
    package func wouldKeep(_ run: BaselineRun, metric: String, window: WindowPolicy = .standard) -> Bool {
        let epoch = accepted.filter { $0.metric == metric }.map(\.at).max()
        if let epoch, run.startedAt.isEarlier(than: epoch) { return false }
        return window.kept(of: countingRuns(of: metric).filter { $0.id != run.id } + [run]).contains { $0.id == run.id }
    }
}

/// What is to be taken into the baseline of one page in one environment.
///
/// Which cells are taken in is decided before: nothing is refused here.
package struct BaselineUpdate: Sendable, Hashable {
    /// The runs that the samples came in.
    package let runs: [BaselineRun]
    /// How much of the page each run measured, where that is known.
    package let measured: [String: MeasuredCounts]
    /// The metrics by identifier, their samples by run.
    package let metrics: [String: BaselineMetric]
    /// The metrics whose change for the worse is accepted, by identifier; the others go on in their epoch.
    package let acceptedMetrics: Set<String>
    /// Why it is accepted; empty where nothing is.
    package let reason: String
    /// By metric, which stored runs that were provisional its run decides: whether each is settled, else its samples go.
    package var decisions: [String: [String: Bool]] = [:]
    /// The noise of accepted metrics in the epoch that ends, as far as it is known.
    package var earlierNoise: [String: EpochNoise] = [:]

    /// Makes an update of what was measured.
    ///
    /// - Parameters:
    ///   - runs: The runs that were read; others than those of the cells don't matter.
    ///   - cells: The cells of the page in the environment that are taken in.
    ///   - measured: How much of the page each run measured; others than those of the cells don't matter.
    ///   - now: The time of the update, the start of a run that doesn't say its own.
    ///   - tool: The program that takes it in, with its version.
    ///   - acceptedMetrics: The metrics for which the update starts a new epoch.
    ///   - reason: Why it does.
    ///   - doubtful: The metrics in which the runs are provisional.
    package init(
        runs: [Run], cells: [CellMeasurement], measured: [String: MeasuredCounts] = [:], at now: Timestamp,
        tool: String,
        accepting acceptedMetrics: Set<String> = [], reason: String = "", doubtful: Set<String> = []
    ) {
        var metrics = Dictionary(cells.map { ($0.metric.id, BaselineMetric($0)) }) { first, _ in first }
        for id in doubtful { metrics[id] = metrics[id]?.doubtful }
        self.metrics = metrics
        let known = Dictionary(runs.map { ($0.id, $0) }) { first, _ in first }
        self.measured = measured
        self.runs = Set(metrics.values.flatMap(\.samples.keys)).map { id in
            let run = known[id]
            return BaselineRun(
                id: id, startedAt: run?.startedAt.flatMap { Timestamp($0) } ?? now, commit: run?.commit, tool: tool)
        }.sorted()
        self.acceptedMetrics = acceptedMetrics
        self.reason = reason
    }
}

/// How many runs a baseline keeps: the configuration's `window`.
package struct WindowPolicy: Sendable, Hashable {
    /// The number of runs that a page keeps, at least 1.
    package let runs: Int
    /// How many runs of a day in UTC are left alone while others can go, at least 1.
    package let perDay: Int

    /// The policy where the configuration says nothing.
    package static let standard = WindowPolicy(runs: 10, perDay: 2)

    /// Makes a policy; what is below 1 counts as 1.
    package init(runs: Int, perDay: Int) {
        self.runs = max(1, runs)
        self.perDay = max(1, perDay)
    }

    /// The runs that stay, in their order.
    ///
    /// Only beyond the window runs go: first those past the newest `perDay` of a day, oldest day first, then the
    /// oldest. So ten merges before lunch don't push out last week.
    package func kept(of all: [BaselineRun]) -> [BaselineRun] {
        var kept = all.sorted()
        while kept.count > runs {
            kept.remove(at: crowdedDay(in: kept) ?? 0)
        }
        return kept
    }

    /// The first run of the oldest day that has more runs than are left alone.
    private func crowdedDay(in sorted: [BaselineRun]) -> Int? {
        sorted.indices.first { index in
            let last = index + perDay
            return last < sorted.count && sorted[last].startedAt.day == sorted[index].startedAt.day
        }
    }
}
