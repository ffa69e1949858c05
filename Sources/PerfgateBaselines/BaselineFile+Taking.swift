import PerfgateModel

extension BaselineFile {
    /// The baseline with what an update brings, at most as many runs as the window holds.
    ///
    /// Of a run that is stored, equal samples change nothing and new cells are added; other samples are an error. Where
    /// the formula, the counting or the unit of a metric changed, only samples of the newer definition stay.
    public func taking(
        _ update: BaselineUpdate, window: WindowPolicy = .standard
    ) throws(BaselineError) -> BaselineFile {
        let stored = Dictionary(runs.map { ($0.id, $0) }) { first, _ in first }
        // A run that is stored keeps its start, also where that is the time of its first update.
        let all = Dictionary(update.runs.map { ($0.id, stored[$0.id] ?? $0) }) { first, _ in first }
            .merging(stored) { first, _ in first }
        var joined = metrics
        for (id, metric) in update.metrics.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            joined[id] =
                try metrics[id].map { current throws(BaselineError) in
                    try MetricJoin(id: id, runs: all).taking(metric, into: current)
                } ?? metric
        }
        return BaselineFile(
            page: page, environment: environment, runs: Array(all.values), metrics: joined,
            accepted: accepted + changes(by: update, runs: all)
        ).trimmed(to: window)
    }

    /// What an update accepts, each from the start of its metric's first run in it.
    private func changes(by update: BaselineUpdate, runs: [String: BaselineRun]) -> [AcceptedChange] {
        update.acceptedMetrics.compactMap { id in
            guard let first = update.metrics[id]?.samples.keys.compactMap({ runs[$0] }).min() else { return nil }
            return AcceptedChange(at: first.startedAt, metric: id, reason: update.reason, commit: first.commit)
        }
    }
}
