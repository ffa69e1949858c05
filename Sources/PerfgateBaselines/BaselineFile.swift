import PerfgateModel

/// The baseline of one page in one environment: raw samples by metric and run. Its parts are always consistent: runs
/// are sorted; every sample list belongs to a run and to the current epoch of its metric; every run has a list; every
/// count has a run; every metric has a list or a limit.
package struct BaselineFile: Sendable, Hashable {
    package let page: Page
    /// The known fields of the environment, by stored name.
    package let environment: [String: FieldValue]
    /// The runs, sorted by start, then identifier.
    package let runs: [BaselineRun]
    /// The measured amounts of the page by run; without runs stored by versions that didn't record them.
    package let measured: [String: MeasuredCounts]
    package internal(set) var metrics: [String: BaselineMetric]
    /// The accepted changes, oldest first, without duplicates.
    package internal(set) var accepted: [AcceptedChange]
    /// The releases of held runs, oldest first, without duplicates.
    package internal(set) var released: [ReleasedRuns]
    /// Whether the file was read in a form that forgot refused runs.
    package internal(set) var isForgetful = false

    /// Makes a baseline; drops samples from before their metric's epoch, or of a run that isn't in `runs`.
    package init(
        page: Page, environment: [String: FieldValue], runs: [BaselineRun] = [],
        measured: [String: MeasuredCounts] = [:], metrics: [String: BaselineMetric] = [:],
        accepted: [AcceptedChange] = [], released: [ReleasedRuns] = []
    ) {
        let known = Dictionary(runs.map { ($0.id, $0) }) { min($0, $1) }
        let epochs = Dictionary(accepted.map { ($0.metric, $0.at) }) { max($0, $1) }
        var current: [String: BaselineMetric] = [:]
        for (id, metric) in metrics {
            let epoch = epochs[id]
            let isKept = { (run: String) in known[run].map { Self.isCurrent($0, in: epoch) } ?? false }
            var kept = metric
            if !metric.samples.keys.allSatisfy(isKept) { kept.samples = metric.samples.filter { isKept($0.key) } }
            if !metric.held.keys.allSatisfy(isKept) { kept.held = metric.held.filter { isKept($0.key) } }
            if let epoch {
                if let since = metric.heldSince, since.at.isEarlier(than: epoch) { kept.heldSince = nil }
                if let anchor = metric.anchor, anchor.from.isEarlier(than: epoch) { kept.anchor = nil }
            }
            if !kept.isEmpty { current[id] = kept }
        }
        let used = current.values.reduce(into: Set<String>()) { $0.formUnion($1.runs) }
        (self.page, self.environment) = (page, environment)
        self.runs = known.values.filter { used.contains($0.id) }.sorted()
        self.measured = measured.filter { used.contains($0.key) }
        self.metrics = current
        self.accepted = Set(accepted).sorted()
        self.released = Set(released).sorted()
    }

    package init(_ place: PageInEnvironment) {
        let known = place.environment.fields.compactMap { field in field.value.map { (field.name, $0) } }
        self.init(page: place.page, environment: Dictionary(known) { first, _ in first })
    }

    package var isEmpty: Bool { metrics.isEmpty }

    /// The sample lists of a metric that are used for comparison, in run order; empty if there is no such metric.
    package func samples(of metric: String) -> [(run: BaselineRun, values: [Double])] {
        let settled = metrics[metric]?.samples ?? [:]
        return runs.compactMap { run in settled[run.id].map { (run, $0) } }
    }

    /// The change that began the current epoch of a metric; `nil`: its first epoch.
    func lastChange(of metric: String) -> AcceptedChange? {
        accepted.filter { $0.metric == metric }.max { $0.at.isEarlier(than: $1.at) }
    }

    /// The noise of a metric before its current epoch; `nil` if unknown.
    package func earlierNoise(of metric: String) -> EpochNoise? { lastChange(of: metric)?.noise }

    /// The runs that count for a metric's window: those with settled samples of it.
    func settledRuns(of metric: String) -> [BaselineRun] { samples(of: metric).map(\.run) }

    package func place(by key: EnvironmentKey) -> PageInEnvironment {
        PageInEnvironment(page: page, environment: key.environment(ofStored: environment))
    }

    package static let mostHeld = 10

    /// The baseline with at most as many settled runs of each metric as a window allows, and the newest held ones: a run
    /// that is refused for a metric pushes none of its settled runs out.
    package func trimmed(to window: WindowPolicy) -> BaselineFile {
        var file = self
        for (id, metric) in metrics {
            let settled = Set(window.kept(of: settledRuns(of: id)).map(\.id))
            file.metrics[id]?.samples = metric.samples.filter { settled.contains($0.key) }
            let held = Set(runs.filter { metric.held[$0.id] != nil }.suffix(Self.mostHeld).map(\.id))
            file.metrics[id]?.held = metric.held.filter { held.contains($0.key) }
        }
        return file.rebuilt
    }

    package func renamed(to page: Page) -> BaselineFile {
        BaselineFile(
            page: page, environment: environment, runs: runs, measured: measured, metrics: metrics, accepted: accepted,
            released: released)
    }

    /// The baseline without a metric; its accepted changes stay for the record.
    package func removing(_ metric: String) -> BaselineFile {
        var file = self
        file.metrics[metric] = nil
        return file.rebuilt
    }

    /// The baseline with consistent parts after a change of its metrics.
    var rebuilt: BaselineFile { renamed(to: page) }

    /// The baseline with the metrics that a reading of the whole store marked as lost.
    package func marking(lostIn known: BaselineFile?) -> BaselineFile {
        guard isForgetful, let known else { return self }
        var file = self
        for (id, metric) in known.metrics where metric.isLost && metrics[id] == nil { file.metrics[id] = metric }
        return file
    }

    private static func isCurrent(_ run: BaselineRun, in epoch: Timestamp?) -> Bool {
        epoch.map { !run.startedAt.isEarlier(than: $0) } ?? true
    }

    /// Whether samples of a run would be kept: they belong to their metric's epoch, and the window has room for it.
    package func wouldKeep(_ run: BaselineRun, metric: String, window: WindowPolicy = .standard) -> Bool {
        guard Self.isCurrent(run, in: lastChange(of: metric)?.at) else { return false }
        return window.kept(of: settledRuns(of: metric).filter { $0.id != run.id } + [run]).contains { $0.id == run.id }
    }

    /// The baseline with limits from another tool, by metric. Samples and other limits stay. Limits of metrics that are
    /// stored in another unit or direction are ignored; `taken(of:)` lists the others.
    package func limited(by limits: [String: BaselineMetric]) -> BaselineFile {
        var file = self
        for id in taken(of: limits) {
            guard let limit = limits[id] else { continue }
            file.metrics[id, default: BaselineMetric(limit.definition, samples: [:])].limit = limit.limit
        }
        return file.rebuilt
    }

    /// The metrics whose limits can be used: those that aren't stored, or are stored in the same unit and direction.
    package func taken(of limits: [String: BaselineMetric]) -> Set<String> {
        Set(
            limits.filter { id, limit in
                guard let held = metrics[id]?.definition else { return true }
                return held.unit == limit.definition.unit && held.better == limit.definition.better
            }.keys)
    }

    /// The baseline with an update, limited to the window of each metric. For a stored run, equal samples change
    /// nothing and new cells are added; different samples are an error. If the formula, counting or unit of a metric
    /// changed, only samples of the newer definition stay.
    package func taking(
        _ update: BaselineUpdate, window: WindowPolicy = .standard
    ) throws(BaselineError) -> BaselineFile {
        let stored = Dictionary(runs.map { ($0.id, $0) }) { first, _ in first }
        // A stored run keeps its start, even if that is the time of its first update.
        let all = Dictionary(update.runs.map { ($0.id, stored[$0.id] ?? $0) }) { first, _ in first }
            .merging(stored) { first, _ in first }
        var joined = metrics
        var added: [String: Int] = [:]
        for (id, metric) in update.metrics.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            let known = metrics[id]
            let taken = try known.map { known throws(BaselineError) in
                try MetricJoin(id: id, runs: all).taking(metric, into: known)
            }
            joined[id] = (taken ?? metric).standing(update.standings[id] ?? [:])
            if update.acceptedMetrics.contains(id) {
                for run in newerRuns(than: update, metric: id) { joined[id]?.samples[run] = nil }
            }
            added[id] = joined[id]?.held.count { $1.why != .normal && known?.runs.contains($0) != true }
        }
        for (id, standings) in update.standings where update.metrics[id] == nil {
            joined[id] = joined[id]?.standing(standings)
        }
        for (id, change) in update.epochs { joined[id] = joined[id]?.begun(at: change.at, runs: all) }
        let file = BaselineFile(
            page: page, environment: environment, runs: Array(all.values),
            measured: measured.merging(update.measured) { $0.union($1) }, metrics: joined,
            accepted: accepted + changes(by: update, runs: Array(all.values), joined, window) + update.epochs.values,
            released: released)
        return file.settled(in: window, added: added).keeping(jumps: update.jumps, of: self)
    }

    /// The settled runs of a metric that are newer than those in which an update accepts a change: they were measured
    /// without it, and would mix both levels. A stored run's acceptance isn't new.
    package func newerRuns(than update: BaselineUpdate, metric id: String) -> Set<String> {
        let (taken, stored) = (update.metrics[id]?.samples, metrics[id]?.samples)
        let last = update.runs.filter { taken?[$0.id] != nil && stored?[$0.id] == nil }.max()
        guard let last else { return [] }
        return Set(settledRuns(of: id).filter { last < $0 }.map(\.id))
    }

    /// The baseline with the jumps of the runs that were stored before an update, and aren't any more. The step that
    /// ends an epoch follows its last settled run; it is no noise.
    private func keeping(jumps: [String: [String: Double]], of before: BaselineFile) -> BaselineFile {
        var file = self
        for (id, jumps) in jumps {
            guard let old = before.metrics[id], let metric = metrics[id] else { continue }
            let step = before.settledRuns(of: id).last { !metric.has($0.id) }
            let isEnded = accepted.contains { $0.metric == id && !before.accepted.contains($0) }
            let left = before.runs.filter { run in
                old.has(run.id) && !metric.has(run.id) && !(isEnded && run.id == step?.id)
            }.compactMap { jumps[$0.id] }
            file.metrics[id]?.jumps = (metric.jumps + left).suffix(BaselineMetric.mostJumps)
        }
        return file
    }

    /// The accepted changes of an update, each starting at its metric's first run in it that fits the window and the
    /// current epoch; none if no run fits, because nothing is stored then.
    private func changes(
        by update: BaselineUpdate, runs: [BaselineRun], _ joined: [String: BaselineMetric], _ window: WindowPolicy
    ) -> [AcceptedChange] {
        update.acceptedMetrics.compactMap { id in
            let epoch = lastChange(of: id)?.at
            let kept = window.kept(of: runs.filter { joined[id]?.samples[$0.id] != nil })
            let taken = kept.filter { update.metrics[id]?.samples[$0.id] != nil && Self.isCurrent($0, in: epoch) }
            guard let first = taken.min() else { return nil }
            return AcceptedChange(
                at: first.startedAt, metric: id, reason: update.reason, commit: first.commit,
                noise: update.earlierNoise[id])
        }
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
