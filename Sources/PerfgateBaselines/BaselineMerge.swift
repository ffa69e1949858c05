import PerfgateModel

extension BaselineFile {
    /// Merges two versions of a file: the union of their runs, limited to the window.
    ///
    /// The result doesn't depend on which side is ours. Accepted changes of either side apply to both, so samples from
    /// before an epoch don't come back; nor do runs that the other side stored since the ancestor, which were measured
    /// without the change.
    ///
    /// - Parameter base: The common ancestor; `nil` if both sides added the file.
    package static func merge(
        base: BaselineFile?, ours: BaselineFile, theirs: BaselineFile, window: WindowPolicy = .standard
    ) throws(BaselineError) -> BaselineFile {
        guard ours.page == theirs.page, ours.environment == theirs.environment else {
            throw BaselineError(.otherPlace(page: ours.placeText, other: theirs.placeText))
        }
        let runs = ours.runs + theirs.runs
        let known = Dictionary(runs.map { ($0.id, $0) }) { min($0, $1) }
        var metrics: [String: BaselineMetric] = [:]
        let ids = Set(ours.metrics.keys).union(theirs.metrics.keys)
        for id in ids.sorted(by: { $0.precedesInUTF8($1) }) {
            metrics[id] = try MetricJoin(id: id, runs: known).merging(
                ours.current(id, beside: theirs, base: base), theirs.current(id, beside: ours, base: base),
                base: base?.metrics[id])
        }
        return BaselineFile(
            page: ours.page, environment: ours.environment, runs: runs,
            measured: ours.measured.merging(theirs.measured) { $0.union($1) }, metrics: metrics,
            accepted: ours.accepted + theirs.accepted
        ).trimmed(to: window)
    }

    /// A metric for a merge: if only the other side accepted a change of it, without this side's own runs.
    private func current(_ id: String, beside other: BaselineFile, base: BaselineFile?) -> BaselineMetric? {
        guard let base, var metric = metrics[id], !accepts(id, since: base), other.accepts(id, since: base)
        else { return metrics[id] }
        metric.samples = metric.samples.filter { other.metrics[id]?.samples[$0.key] != nil }
        metric.provisional.formIntersection(metric.samples.keys)
        return metric
    }

    private func accepts(_ id: String, since base: BaselineFile) -> Bool {
        accepted.contains { $0.metric == id && !base.accepted.contains($0) }
    }

    /// The page and the environment's fields, for errors.
    var placeText: String {
        let fields = environment.sorted { $0.key.precedesInUTF8($1.key) }.map { "\($0.key) \($0.value)" }
        return "page \(page) (\(fields.joined(separator: ", ")))"
    }
}

/// Joins two versions of one metric.
struct MetricJoin {
    /// The identifier of the metric.
    let id: String
    /// The runs of both versions.
    let runs: [String: BaselineRun]

    /// The stored version with an update. If the definitions differ the update wins, unless all its runs are older
    /// than the newest stored one: then it is a late update with the old definition.
    func taking(_ update: BaselineMetric, into stored: BaselineMetric) throws(BaselineError) -> BaselineMetric {
        guard update.definition != stored.definition else {
            return BaselineMetric(
                stored.definition, samples: try union(stored.samples, update.samples, base: [:]), limit: stored.limit,
                provisional: stored.provisional.subtracting(update.samples.keys).union(update.provisional))
        }
        guard let old = newestRun(of: stored), let new = newestRun(of: update) else { return update }
        return new.startedAt.isEarlier(than: old.startedAt) ? stored : update
    }

    /// Merges two versions with a common ancestor; `nil` if the metric is removed.
    ///
    /// A metric that one side removed stays removed if the other left it unchanged. If the definitions differ, the
    /// side that changed it wins; if both did, the side with the newest run.
    func merging(
        _ ours: BaselineMetric?, _ theirs: BaselineMetric?, base: BaselineMetric?
    ) throws(BaselineError) -> BaselineMetric? {
        guard let ours, let theirs else {
            let left = ours ?? theirs
            return left == base ? nil : left
        }
        guard ours.definition != theirs.definition else {
            let shared = base?.definition == ours.definition ? base?.samples : nil
            return BaselineMetric(
                ours.definition, samples: try union(ours.samples, theirs.samples, base: shared ?? [:]),
                limit: limit(ours.limit, theirs.limit, base: base?.limit),
                provisional: provisional(ours, theirs, base: base))
        }
        if ours.definition == base?.definition { return theirs }
        if theirs.definition == base?.definition { return ours }
        return newer(ours, theirs)
    }

    /// The runs that either side has as provisional, except those that one side settled since the ancestor; without an
    /// ancestor they stay provisional.
    private func provisional(_ ours: BaselineMetric, _ theirs: BaselineMetric, base: BaselineMetric?) -> Set<String> {
        let settled = [ours, theirs].reduce(into: Set<String>()) { $0.formUnion($1.settled.keys) }
        return ours.provisional.union(theirs.provisional)
            .subtracting(settled.intersection(base?.provisional ?? []))
    }

    /// The limit that one side changed; if both did, the smaller one, independent of the side.
    private func limit(
        _ ours: BaselineLimit?, _ theirs: BaselineLimit?, base: BaselineLimit?
    ) -> BaselineLimit? {
        if ours == theirs || theirs == base { return ours }
        if ours == base { return theirs }
        return [ours, theirs].compactMap { $0 }.min()
    }

    private func newer(_ first: BaselineMetric, _ second: BaselineMetric) -> BaselineMetric {
        guard let left = newestRun(of: first), let right = newestRun(of: second), left != right else {
            return first.definition < second.definition ? second : first
        }
        return left < right ? second : first
    }

    /// The sample lists of both sides; if they differ, the list of the side that changed it.
    private func union(
        _ first: [String: [Double]], _ second: [String: [Double]], base: [String: [Double]]
    ) throws(BaselineError) -> [String: [Double]] {
        var union = first
        for (run, values) in second.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            guard let known = first[run], known != values, values != base[run] else {
                if first[run] == nil { union[run] = values }
                continue
            }
            guard known == base[run] else { throw BaselineError(.otherSamples(run: run, metric: id)) }
            union[run] = values
        }
        return union
    }

    private func newestRun(of metric: BaselineMetric) -> BaselineRun? {
        metric.samples.keys.compactMap { runs[$0] }.max()
    }
}
