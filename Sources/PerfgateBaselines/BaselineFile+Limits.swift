extension BaselineFile {
    /// The baseline with limits of another tool, by metric. Samples stay, and so do limits of other metrics.
    ///
    /// Of a metric that is held in another unit or direction nothing is taken: `taken(of:)` says which are.
    public func limited(by limits: [String: BaselineMetric]) -> BaselineFile {
        var limited = metrics
        for id in taken(of: limits) {
            let samples = metrics[id]?.samples ?? [:]
            guard let limit = limits[id] else { continue }
            limited[id] = BaselineMetric(
                metrics[id]?.definition ?? limit.definition, samples: samples, limit: limit.limit)
        }
        return BaselineFile(
            page: page, environment: environment, runs: runs, metrics: limited, accepted: accepted)
    }

    /// The metrics of which limits can be taken: those that aren't held, and those held in the same unit and direction.
    public func taken(of limits: [String: BaselineMetric]) -> Set<String> {
        Set(
            limits.filter { id, limit in
                guard let held = metrics[id]?.definition else { return true }
                return held.unit == limit.definition.unit && held.better == limit.definition.better
            }.keys)
    }
}
