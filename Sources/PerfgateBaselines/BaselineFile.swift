import PerfgateJSON
import PerfgateModel

/// The baseline of one page in one environment: raw samples by metric and run.
///
/// Its parts are always consistent: runs are sorted; every sample list belongs to a run and to the current epoch of
/// its metric; every run has a list; every count has a run; every metric has a list or a limit.
package struct BaselineFile: Sendable, Hashable {
    /// The page.
    package let page: Page
    /// The known fields of the environment, by stored name.
    package let environment: [String: FieldValue]
    /// The runs, sorted by start, then identifier.
    package let runs: [BaselineRun]
    /// The measured amounts of the page by run; without runs stored by versions that didn't record them.
    package let measured: [String: MeasuredCounts]
    /// The metrics by identifier.
    package let metrics: [String: BaselineMetric]
    /// The accepted changes, oldest first, without duplicates.
    package let accepted: [AcceptedChange]

    /// Makes a baseline; drops samples from before their metric's epoch, or of a run that isn't in `runs`.
    package init(
        page: Page, environment: [String: FieldValue], runs: [BaselineRun] = [],
        measured: [String: MeasuredCounts] = [:], metrics: [String: BaselineMetric] = [:],
        accepted: [AcceptedChange] = []
    ) {
        let known = Dictionary(runs.map { ($0.id, $0) }) { min($0, $1) }
        let epochs = Dictionary(accepted.map { ($0.metric, $0.at) }) { max($0, $1) }
        var current: [String: BaselineMetric] = [:]
        for (id, metric) in metrics {
            let epoch = epochs[id]
            let isKept = { (run: String) in known[run].map { Self.isCurrent($0, in: epoch) } ?? false }
            let kept =
                metric.samples.keys.allSatisfy(isKept) ? metric.samples : metric.samples.filter { isKept($0.key) }
            guard !kept.isEmpty || metric.limit != nil else { continue }
            current[id] = BaselineMetric(
                metric.definition, samples: kept, limit: metric.limit, provisional: metric.provisional)
        }
        let used = Set(current.values.flatMap(\.samples.keys))
        self.page = page
        self.environment = environment
        self.runs = known.values.filter { used.contains($0.id) }.sorted()
        self.measured = measured.filter { used.contains($0.key) }
        self.metrics = current
        self.accepted = Set(accepted).sorted()
    }

    /// A baseline without runs.
    package init(_ place: PageInEnvironment) {
        let known = place.environment.fields.compactMap { field in field.value.map { (field.name, $0) } }
        self.init(page: place.page, environment: Dictionary(known) { first, _ in first })
    }

    /// Whether it has no sample lists and no limits.
    package var isEmpty: Bool { metrics.isEmpty }

    /// The sample lists of a metric that are used for comparison, in run order; empty if there is no such metric.
    package func samples(of metric: String) -> [(run: BaselineRun, values: [Double])] {
        let settled = metrics[metric]?.settled ?? [:]
        return runs.compactMap { run in settled[run.id].map { (run, $0) } }
    }

    /// The noise of a metric before its current epoch; `nil` if unknown.
    package func earlierNoise(of metric: String) -> EpochNoise? {
        accepted.filter { $0.metric == metric }.max { $0.at.isEarlier(than: $1.at) }?.noise
    }

    /// The runs that count for a metric's window: all except provisional ones.
    func countingRuns(of metric: String) -> [BaselineRun] {
        let provisional = metrics[metric]?.provisional ?? []
        return provisional.isEmpty ? runs : runs.filter { !provisional.contains($0.id) }
    }

    /// The page in its environment, built from the stored fields with a key.
    package func place(by key: EnvironmentKey) -> PageInEnvironment {
        PageInEnvironment(page: page, environment: key.environment(ofStored: environment))
    }

    /// The baseline with at most as many runs as a window allows. The provisional runs of a metric have a separate
    /// window, so they don't replace settled ones.
    package func trimmed(to window: WindowPolicy) -> BaselineFile {
        let all = Set(window.kept(of: runs).map(\.id))
        var trimmed = metrics
        for (id, metric) in metrics {
            let isDoubtful = { (run: BaselineRun) in metric.provisional.contains(run.id) }
            let kept =
                metric.provisional.isEmpty
                ? all
                : Set((window.kept(of: countingRuns(of: id)) + window.kept(of: runs.filter(isDoubtful))).map(\.id))
            trimmed[id]?.samples = metric.samples.filter { kept.contains($0.key) }
        }
        return BaselineFile(
            page: page, environment: environment, runs: runs, measured: measured, metrics: trimmed, accepted: accepted)
    }

    /// The samples under another page name.
    package func renamed(to page: Page) -> BaselineFile {
        BaselineFile(
            page: page, environment: environment, runs: runs, measured: measured, metrics: metrics, accepted: accepted)
    }

    private static func isCurrent(_ run: BaselineRun, in epoch: Timestamp?) -> Bool {
        epoch.map { !run.startedAt.isEarlier(than: $0) } ?? true
    }
}

extension BaselineFile {
    /// The baseline with limits from another tool, by metric. Samples and other limits stay.
    ///
    /// Limits of metrics that are stored in another unit or direction are ignored; `taken(of:)` lists the others.
    package func limited(by limits: [String: BaselineMetric]) -> BaselineFile {
        var limited = metrics
        for id in taken(of: limits) {
            let samples = metrics[id]?.samples ?? [:]
            guard let limit = limits[id] else { continue }
            limited[id] = BaselineMetric(
                metrics[id]?.definition ?? limit.definition, samples: samples, limit: limit.limit,
                provisional: metrics[id]?.provisional ?? [])
        }
        return BaselineFile(
            page: page, environment: environment, runs: runs, measured: measured, metrics: limited, accepted: accepted)
    }

    /// The metrics whose limits can be used: those that aren't stored, or are stored in the same unit and direction.
    package func taken(of limits: [String: BaselineMetric]) -> Set<String> {
        Set(
            limits.filter { id, limit in
                guard let held = metrics[id]?.definition else { return true }
                return held.unit == limit.definition.unit && held.better == limit.definition.better
            }.keys)
    }
}

extension BaselineFile {
    /// The baseline with an update, limited to the window.
    ///
    /// For a stored run, equal samples change nothing and new cells are added; different samples are an error. If the
    /// formula, counting or unit of a metric changed, only samples of the newer definition stay.
    package func taking(
        _ update: BaselineUpdate, window: WindowPolicy = .standard
    ) throws(BaselineError) -> BaselineFile {
        let stored = Dictionary(runs.map { ($0.id, $0) }) { first, _ in first }
        // A stored run keeps its start, even if that is the time of its first update.
        let all = Dictionary(update.runs.map { ($0.id, stored[$0.id] ?? $0) }) { first, _ in first }
            .merging(stored) { first, _ in first }
        var joined = metrics
        for (id, metric) in update.metrics.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            joined[id] =
                try metrics[id].map { current throws(BaselineError) in
                    try MetricJoin(id: id, runs: all).taking(metric, into: current)
                        .deciding(update.decisions[id] ?? [:])
                } ?? metric
        }
        let kept = window.kept(of: Array(all.values))
        return BaselineFile(
            page: page, environment: environment, runs: Array(all.values),
            measured: measured.merging(update.measured) { $0.union($1) }, metrics: joined,
            accepted: accepted + changes(by: update, runs: kept)
        ).trimmed(to: window)
    }

    /// The accepted changes of an update, each starting at its metric's first run in it that fits the window and the
    /// current epoch; none if no run fits, because nothing is stored then.
    private func changes(by update: BaselineUpdate, runs: [BaselineRun]) -> [AcceptedChange] {
        update.acceptedMetrics.compactMap { id in
            let epoch = accepted.filter { $0.metric == id }.map(\.at).max()
            let taken = runs.filter { update.metrics[id]?.samples[$0.id] != nil && Self.isCurrent($0, in: epoch) }
            guard let first = taken.min() else { return nil }
            return AcceptedChange(
                at: first.startedAt, metric: id, reason: update.reason, commit: first.commit,
                noise: update.earlierNoise[id])
        }
    }
}

extension BaselineFile {
    /// The bytes of the file: sorted keys, one run or sample list per line, so pull requests show what changed.
    ///
    /// Defaults aren't written: a direction of `lower`, a counting of `exact`.
    package func bytes() -> [UInt8] {
        JSONWriter(layout: .indented, keys: .sorted).object { root in
            root.write("schema", BaselineReader.schema)
            root.write("page", page.name)
            root.object("environment", .line) { fields in
                for (name, value) in environment { fields.write(name, value.scalar) }
            }
            root.array("runs") { list in
                for run in runs { list.object(.line) { run.write(to: &$0) } }
            }
            if !measured.isEmpty {
                root.object("measured") { object in
                    for (run, counts) in measured { object.object(run, .line) { counts.write(to: &$0) } }
                }
            }
            root.object("metrics") { object in
                for (id, metric) in metrics { object.object(id) { metric.write(to: &$0) } }
            }
            guard !accepted.isEmpty else { return }
            root.array("accepted") { list in
                for change in accepted { list.object(.line) { change.write(to: &$0) } }
            }
        }
    }
}

extension BaselineRun {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("id", id)
        object.write("commit", commit)
        object.write("started_at", startedAt.text)
        object.write("tool", tool)
    }
}

extension MeasuredCounts {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("iterations", iterations)
        object.write("scrolls", scrolls)
        object.write("scroll_ms", (10 * scrollMS).rounded() / 10)
        object.object("visits") { object in
            object.write("loaded", visits.loaded)
            object.write("error", visits.error)
            object.write("abandoned", visits.abandoned)
        }
        object.object("entries") { object in for (metric, count) in entries { object.write(metric, count) } }
    }
}

extension BaselineMetric {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("unit", definition.unit.symbol)
        object.write("formula", definition.formula)
        object.write("better", definition.better == .lower ? nil : definition.better.rawValue)
        object.write("counting", definition.counting == .exact ? nil : definition.counting.rawValue)
        if let limit {
            object.object("limit", .line) { object in
                object.write("average", limit.average)
                object.write("value", limit.value)
            }
        }
        if !provisional.isEmpty {
            object.array("provisional", .line) { list in
                for run in provisional.sorted(by: { $0.precedesInUTF8($1) }) { list.write(run) }
            }
        }
        object.object("samples") { lists in
            for (run, values) in samples {
                lists.array(run, .line) { list in for value in values { list.write(value) } }
            }
        }
    }
}

extension AcceptedChange {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.write("at", at.text)
        object.write("commit", commit)
        object.write("metric", metric)
        if let noise {
            object.object("noise", .line) { object in
                object.write("between_runs", noise.betweenRuns)
                object.write("within_run", noise.withinRun)
            }
        }
        object.write("reason", reason)
    }
}

extension FieldValue {
    fileprivate var scalar: JSONScalar {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): .number(number)
        case .flag(let flag): .bool(flag)
        }
    }
}
