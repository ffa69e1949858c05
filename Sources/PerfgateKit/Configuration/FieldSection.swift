import PerfgateCompare
import PerfgateField
import PerfgateModel

/// Reads `field`: the names in events of real users, and the limits of their metrics.
enum FieldSection {
    /// The keys of `field`.
    enum Key: String, YAMLKey {
        case columns
        case deviceClasses = "device_classes"
        case by, metrics
    }

    /// The keys of a column that is an SQL expression.
    enum ColumnKey: String, YAMLKey {
        case sql
    }

    /// The keys of a metric: the percentiles that can have a limit.
    enum MetricKey: String, YAMLKey {
        case p50, p75, p90, p95, p99

        var percentile: Int { Int(rawValue.dropFirst()) ?? 0 }
    }

    /// The settings, and the limits of quantiles by identifiers such as `ttil@p75`; unset keys keep their defaults.
    static func read(_ value: YAMLValue) -> (settings: FieldSettings, limits: [String: MetricSettings]) {
        let fields = value.fields(Key.self)
        var settings = FieldSettings()
        settings.mapping.columns = fields[.columns].map(columns) ?? [:]
        settings.mapping.deviceClasses = fields[.deviceClasses]?.entries().map(deviceClass) ?? []
        settings.mapping.strata = fields[.by].map(strata) ?? []
        return (settings, fields[.metrics].map(limits) ?? [:])
    }

    private static func strata(_ value: YAMLValue) -> [FieldStratum] {
        var seen: Set<FieldStratum> = []
        return value.list().compactMap { item in
            guard let stratum = item.choice(FieldStratum.self) else { return nil }
            if !seen.insert(stratum).inserted {
                item.report("\(stratum.rawValue) is already in \(value.keyPath): remove it")
            }
            return stratum
        }
    }

    private static func columns(_ value: YAMLValue) -> [FieldColumn: FieldMapping.Source?] {
        var columns: [FieldColumn: FieldMapping.Source?] = [:]
        for entry in value.entries() {
            guard let column = FieldColumn(rawValue: entry.key) else {
                let names = FieldColumn.allCases.map(\.rawValue)
                let advice = Suggestion.advice(
                    for: entry.key, among: names, otherwise: "use one of \(names.joined(separator: ", "))")
                entry.value.report("\(entry.value.keyPath) is not a column that perfgate knows: \(advice)")
                continue
            }
            columns[column] = .some(source(entry.value))
        }
        refuseSharedNames(columns, in: value)
        return columns
    }

    /// A column's source; `nil` if nothing is written.
    private static func source(_ value: YAMLValue) -> FieldMapping.Source? {
        if value.isNull { return nil }
        guard value.node.mapping == nil else {
            let advice = "write the expression, such as { sql: \"json_value(payload, '$.page')\" }"
            guard let expression = value.fields(ColumnKey.self)[.sql] else {
                value.lacks(ColumnKey.sql, advice)
                return nil
            }
            return expression.text(advice).map(FieldMapping.Source.sql)
        }
        return value.name("write its name in your events").map(FieldMapping.Source.name)
    }

    /// One key of an event can't be used for two columns.
    private static func refuseSharedNames(_ columns: [FieldColumn: FieldMapping.Source?], in value: YAMLValue) {
        var mapping = FieldMapping()
        mapping.columns = columns
        let named = FieldColumn.allCases.compactMap { column -> (column: FieldColumn, name: String)? in
            guard case .name(let name) = mapping.source(of: column) else { return nil }
            return (column, name)
        }
        for (name, columns) in Dictionary(grouping: named, by: \.name) where columns.count > 1 {
            let list = columns.map(\.column.rawValue).joined(separator: " and ")
            value.report("\(value.keyPath) uses \(name) for \(list): give each a different name, or ~ for none")
        }
    }

    private static func deviceClass(_ entry: YAMLValue.Entry) -> FieldMapping.DeviceClass {
        let devices = entry.value.list().compactMap { $0.text("write a device, such as iPhone12,1 or iPhone12*") }
        return FieldMapping.DeviceClass(name: entry.key, devices: devices)
    }

    private static func limits(_ value: YAMLValue) -> [String: MetricSettings] {
        var limits: [String: MetricSettings] = [:]
        for entry in value.entries() {
            if let meant = MetricCatalog.misspelling(of: entry.key) {
                entry.value.report("\(entry.value.keyPath) is not a metric that perfgate knows: did you mean \(meant)?")
            }
            let metric = FieldMetric.named(entry.key).metric
            for (key, bound) in entry.value.fields(MetricKey.self) {
                let number = bound.number("a number, at least 0", "write it in the metric's unit, like 2500") {
                    $0 >= 0
                }
                let quantile = MetricQuantile(of: metric, percent: key.percentile)
                limits[quantile.metric.id] = MetricSettings(
                    limit: number.map { Setting(Limit($0, isTakenAsWritten: true), from: bound.origin) })
            }
        }
        return limits
    }
}
