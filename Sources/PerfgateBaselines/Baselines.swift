import PerfgateModel

/// The baselines in a store when it was read.
package struct Baselines: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package let path: String
        package let file: BaselineFile
    }

    package internal(set) var entries: [PageInEnvironment: Entry]

    /// Makes a collection of files; by default empty, like a store without a folder.
    package init(entries: [PageInEnvironment: Entry] = [:]) { self.entries = entries }

    package subscript(_ place: PageInEnvironment) -> BaselineFile? { entries[place]?.file }

    /// All places with a baseline, sorted by page, then environment.
    package var places: [PageInEnvironment] { entries.keys.sorted() }

    package var environments: [Environment] { Set(entries.keys.map(\.environment)).sorted() }

    /// The pages with a baseline in an environment, sorted.
    package func pages(in environment: Environment) -> [Page] {
        entries.keys.filter { $0.environment == environment }.map(\.page).sorted()
    }

    /// The places whose newest run started this many UTC days before the newest run of all, sorted. The store's newest
    /// run is the reference, so the answer doesn't depend on the current day.
    package func places(daysOlderThanNewest days: Int) -> [PageInEnvironment] {
        let newest = entries.values.compactMap { $0.file.runs.last?.startedAt.day }.max()
        return places.filter { place in
            if let newest, let last = self[place]?.runs.last?.startedAt.day { return newest - last >= days }
            // An imported limit has no age.
            return self[place]?.metrics.values.allSatisfy { $0.limit == nil } ?? true
        }
    }

    /// Applies an update to the baseline of a page as a store would write it; contradictions show before a write.
    package mutating func take(
        _ update: BaselineUpdate, at place: PageInEnvironment, of store: BaselineStore, window: WindowPolicy = .standard
    ) throws(BaselineError) {
        let path = entries[place]?.path ?? store.path(of: place)
        do throws(BaselineError) {
            let file = try (self[place] ?? BaselineFile(place)).taking(update, window: window)
            if entries[place] != nil || !file.isEmpty { entries[place] = Entry(path: path, file: file) }
        } catch {
            throw error.located(in: path)
        }
    }

    /// The baselines in which metrics that an earlier version's window emptied are marked as lost: other pages, and most
    /// of them, have samples of the metric from the same runs.
    func recallingLost() -> Baselines {
        guard entries.values.contains(where: \.file.isForgetful) else { return self }
        var result = self
        for (_, group) in Dictionary(grouping: entries, by: \.key.environment) {
            for (place, entry) in group where entry.file.isForgetful {
                let runs = Set(entry.file.runs.map(\.id))
                let others = group.map(\.value.file).filter { other in
                    other.page != place.page && other.runs.contains { runs.contains($0.id) }
                }
                var file = entry.file
                for (id, definition) in Self.lost(runs, besides: Set(file.metrics.keys), others) {
                    file.metrics[id] = BaselineMetric(definition, samples: [:], isLost: true)
                }
                result.entries[place] = Entry(path: entry.path, file: file)
            }
        }
        return result
    }

    private static func lost(
        _ runs: Set<String>, besides known: Set<String>, _ others: [BaselineFile]
    ) -> [String: BaselineMetric.Definition] {
        var counts: [String: (pages: Int, definition: BaselineMetric.Definition)] = [:]
        for (id, metric) in others.flatMap(\.metrics) where !known.contains(id) {
            guard metric.samples.keys.contains(where: runs.contains) else { continue }
            let least = counts[id].map { min($0.definition, metric.definition) } ?? metric.definition
            counts[id] = ((counts[id]?.pages ?? 0) + 1, least)
        }
        return counts.filter { 2 * $0.value.pages > others.count }.mapValues(\.definition)
    }
}

/// An update of the baseline of one page in one environment. Its cells were selected before: nothing is refused here.
package struct BaselineUpdate: Sendable, Hashable {
    package let runs: [BaselineRun]
    /// The measured amounts of the page by run, if known.
    package let measured: [String: MeasuredCounts]
    package let metrics: [String: BaselineMetric]
    /// The identifiers of metrics whose change for the worse is accepted; the others stay in their epoch.
    package let acceptedMetrics: Set<String>
    /// The reason for accepting; empty without accepted metrics.
    package let reason: String
    /// By metric, the standings of new and stored runs; without one, a new run is settled and a stored one stays.
    package var standings: [String: [String: Standing]] = [:]
    /// By metric, the improvement that starts an epoch.
    package var epochs: [String: AcceptedChange] = [:]
    /// The noise of accepted metrics in the ending epoch, if known.
    package var earlierNoise: [String: EpochNoise] = [:]
    /// By metric and run, the jump from the run to the next one, which is kept when the run leaves the lists.
    package var jumps: [String: [String: Double]] = [:]

    /// - Parameter runs: The runs that were read; runs without cells are ignored.
    /// - Parameter now: The time of the update, used as the start of runs without one.
    /// - Parameter tool: The program that stores it, with its version.
    package init(
        runs: [Run], cells: [CellMeasurement], measured: [String: MeasuredCounts] = [:], at now: Timestamp,
        tool: String, accepting acceptedMetrics: Set<String> = [], reason: String = ""
    ) {
        metrics = Dictionary(cells.map { ($0.metric.id, BaselineMetric($0)) }) { first, _ in first }
        let known = Dictionary(runs.map { ($0.id, $0) }) { first, _ in first }
        self.measured = measured
        self.runs = Set(metrics.values.flatMap(\.samples.keys)).map { id in
            let run = known[id]
            return BaselineRun(
                id: id, startedAt: run?.startedAt.flatMap { Timestamp($0) } ?? now, commit: run?.commit,
                version: run?.context.text("app_version"), tool: tool)
        }.sorted()
        (self.acceptedMetrics, self.reason) = (acceptedMetrics, reason)
    }

    /// An update without new samples: of standings and epochs alone.
    package init(
        standings: [String: [String: Standing]], epochs: [String: AcceptedChange], at now: Timestamp, tool: String
    ) {
        self.init(runs: [], cells: [], at: now, tool: tool)
        (self.standings, self.epochs) = (standings, epochs)
    }
}

/// The size of a baseline: the configuration's `window`.
package struct WindowPolicy: Sendable, Hashable {
    /// The number of settled runs per metric of a page, at least 1.
    package let runs: Int
    /// The number of runs per UTC day that are protected while others can be dropped, at least 1.
    package let perDay: Int

    package static let standard = WindowPolicy(runs: 10, perDay: 2)

    /// Makes a policy; values below 1 count as 1.
    package init(runs: Int, perDay: Int) {
        self.runs = max(1, runs)
        self.perDay = max(1, perDay)
    }

    /// The runs to keep, in order. Runs are only dropped beyond the window: first those beyond the newest `perDay` of a
    /// day, oldest day first, then the oldest. So ten merges before lunch don't replace last week's runs.
    package func kept(of all: [BaselineRun]) -> [BaselineRun] {
        var kept = all.sorted()
        while kept.count > runs { kept.remove(at: crowdedDay(in: kept) ?? 0) }
        return kept
    }

    /// The first run of the oldest day with more than `perDay` runs.
    private func crowdedDay(in sorted: [BaselineRun]) -> Int? {
        sorted.indices.first { index in
            let last = index + perDay
            return last < sorted.count && sorted[last].startedAt.day == sorted[index].startedAt.day
        }
    }
}
