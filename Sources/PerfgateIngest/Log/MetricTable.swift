import PerfgateModel

/// The metrics of samples, each known by a number.
struct MetricTable {
    /// A metric with how its values came about.
    struct Key: Hashable {
        let metric: Metric
        let counting: Counting
        let formula: String
    }

    private(set) var keys: [Key] = []
    private var indices: [Key: Int32] = [:]

    /// The number of a metric.
    mutating func index(_ metric: Metric, counting: Counting = .exact, formula: String = "1") -> Int32 {
        let key = Key(metric: metric, counting: counting, formula: formula)
        if let index = indices[key] { return index }
        let index = Int32(keys.count)
        keys.append(key)
        indices[key] = index
        return index
    }

    /// The number of a metric that the catalogue knows.
    mutating func index(known id: String, counting: Counting = .exact, formula: String = "1") -> Int32 {
        let metric = MetricCatalog.definition(of: id)?.metric
        return index(
            metric ?? Metric(id: id, unit: .milliseconds, better: .lower), counting: counting, formula: formula)
    }

    subscript(_ index: Int32) -> Key { keys[Int(index)] }
}
