import PerfgateCompare
import PerfgateModel

/// Reads what a `metrics` mapping says: of the whole configuration, of a rule for environments, of a rule for pages.
struct MetricSection {
    /// The keys of one metric.
    enum Key: String, YAMLKey {
        case gate, tolerance
        case minChange = "min_change"
        case limit
    }

    /// The keys of a limit that isn't just a number.
    enum LimitKey: String, YAMLKey {
        case any
    }

    /// Whether limits stand for one environment and are taken as written, not as if they were given at 60 Hz.
    var isForEnvironments = false

    /// The settings by the metric's identifier, which may be one that perfgate doesn't know.
    func settings(_ value: YAMLValue) -> [String: MetricSettings] {
        Dictionary(value.entries().map { ($0.key, settings(of: $0.key, $0.value)) }) { first, _ in first }
    }

    private func settings(of metric: String, _ value: YAMLValue) -> MetricSettings {
        let fields = value.fields(Key.self)
        var settings = MetricSettings()
        settings.gate = fields[.gate].flatMap { field in
            field.flag("write false to show the metric only").map { Setting($0, from: field.origin) }
        }
        settings.tolerance = fields[.tolerance].flatMap { field in
            field.share("write it like 10%").map { Setting($0, from: field.origin) }
        }
        settings.minChange = fields[.minChange].flatMap { field in
            let change = field.number("a number, at least 0", "write it in the metric's unit, like 16") { $0 >= 0 }
            return change.map { Setting($0, from: field.origin) }
        }
        settings.limit = fields[.limit].flatMap { field in
            limit(of: metric, field).map { Setting($0, from: field.origin) }
        }
        return settings
    }

    private func limit(of metric: String, _ value: YAMLValue) -> Limit? {
        guard value.node.mapping != nil else {
            return bound(of: metric, value).map { Limit($0, isTakenAsWritten: isForEnvironments) }
        }
        guard let any = value.fields(LimitKey.self)[.any] else {
            value.lacks(LimitKey.any, "write { any: 3 } for the worst sample, or a number for the median")
            return nil
        }
        return bound(of: metric, any).map { Limit($0, subject: .any, isTakenAsWritten: isForEnvironments) }
    }

    /// A time of 0 is measured by nothing, so that such a limit could only be a mistake; 0 dropped frames are wanted.
    private func bound(of metric: String, _ value: YAMLValue) -> Double? {
        if MetricCatalog.definition(of: metric)?.metric.unit == .milliseconds {
            return value.number("a number above 0", "write it in ms, like 1200") { $0 > 0 }
        }
        return value.number("a number, at least 0", "write it in the metric's unit, like 2") { $0 >= 0 }
    }
}
