import PagePerformance
import PerfgateCompare
import PerfgateField
import PerfgateModel

/// Reads `field`: the names in events of real users, and the limits of their metrics.
enum FieldSection {
    /// The names, and the limits of quantiles by identifiers such as `ttil@p75`; unset keys keep their defaults.
    static func read(_ value: YAMLValue) -> (mapping: FieldMapping, limits: [String: MetricSettings]) {
        value.read { keys in
            var mapping = FieldMapping()
            if let value = keys.value("columns") { readColumns(value, &mapping) }
            keys.set(&mapping.deviceClasses, "device_classes") { $0.entries().map(deviceClass) }
            keys.set(&mapping.strata, "by", strata)
            let untagged = mapping
            keys.set(&mapping.tags, "tags") { tags($0, untagged) }
            return (mapping, keys.value("metrics").map(limits) ?? [:])
        }
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

    /// The app's own dimensions: a list of names, or names with their sources.
    private static func tags(_ value: YAMLValue, _ mapping: FieldMapping) -> [String: FieldMapping.Source] {
        let advice = "write a name like market, in lower-case letters, digits and _"
        let found: [(item: YAMLValue, name: String, source: FieldMapping.Source?)]
        if value.node.mapping != nil {
            found = value.entries().map { entry in
                if entry.value.isNull { _ = entry.value.name("write the tag, key or column that has it") }
                return (entry.value, entry.key, source(entry.value))
            }
        } else {
            found = value.list().compactMap { item in item.name(advice).map { (item, $0, .name($0)) } }
        }
        var tags: [String: FieldMapping.Source] = [:]
        for (item, name, source) in found {
            guard name.wholeMatch(of: /[a-z][a-z0-9_]{0,39}/) != nil else {
                item.report(
                    "\(item.keyPath): \"\(name)\" can't name a column: \(advice), and for another tag or key "
                        + "field: { tags: { market: Market } }")
                continue
            }
            if tags[name] != nil { item.report("\(name) is already in \(value.keyPath): remove it") }
            tags[name] = source
        }
        if tags.count > FieldTags.most {
            value.report(
                "\(value.keyPath) has \(tags.count) tags, and a roll-up is grouped by at most \(FieldTags.most): "
                    + "leave the others out")
        }
        refuseSharedNames(mapping, tags, in: value)
        return tags
    }

    /// The key of the column by which a table is partitioned.
    private static let partition = "day"

    private static func readColumns(_ value: YAMLValue, _ mapping: inout FieldMapping) {
        for entry in value.entries() {
            if entry.key == partition {
                mapping.partition = source(entry.value)
            } else if let column = LogKey(column: entry.key) {
                mapping.columns[column] = .some(source(entry.value))
            } else {
                let advice = YAMLValue.advice(for: entry.key, among: LogKey.columns.map(\.rawValue) + [partition])
                entry.value.report("\(entry.value.keyPath) is not a column that perfgate knows: \(advice)")
            }
        }
        refuseSharedNames(mapping, [:], in: value)
    }

    /// A column's source; `nil` if nothing is written.
    private static func source(_ value: YAMLValue) -> FieldMapping.Source? {
        if value.isNull { return nil }
        guard value.node.mapping == nil else {
            let advice = "write the expression, such as { sql: \"json_value(payload, '$.page')\" }"
            return value.read { $0.required("sql", YAMLValue.text, advice) }.map(FieldMapping.Source.sql)
        }
        return value.name("write its name in your events").map(FieldMapping.Source.name)
    }

    /// One key of an event can't be used for two columns, or with tags for one of them and something else.
    private static func refuseSharedNames(
        _ mapping: FieldMapping, _ tags: [String: FieldMapping.Source], in value: YAMLValue
    ) {
        let sources =
            LogKey.columns.map { ($0.rawValue, mapping.source(of: $0)) }
            + tags.sorted { $0.key < $1.key }.map { (FieldStratum.tag($0.key).rawValue, $0.value) }
        let named = sources.compactMap { column, source -> (column: String, name: String)? in
            guard case .name(let name) = source else { return nil }
            return (column, name)
        }
        for (name, columns) in Dictionary(grouping: named, by: \.name) where columns.count > 1 {
            // Columns that share one are told where they stand.
            guard tags.isEmpty || tags.values.contains(.name(name)) else { continue }
            let list = columns.map(\.column).joined(separator: " and ")
            value.report("\(value.keyPath) uses \(name) for \(list): give each a different name, or ~ for none")
        }
    }

    private static func deviceClass(_ entry: YAMLValue.Entry) -> FieldMapping.DeviceClass {
        .init(
            name: entry.key,
            devices: entry.value.list().compactMap { $0.text("write a device, such as iPhone12,1 or iPhone12*") })
    }

    private static func limits(_ value: YAMLValue) -> [String: MetricSettings] {
        var limits: [String: MetricSettings] = [:]
        for entry in value.entries() {
            entry.value.reportMisspelling(ofMetric: entry.key)
            entry.value.read { keys in
                let metric = FieldMetric.named(entry.key).metric
                for percent in FieldMetric.percentiles + [nil] {
                    let quantile = MetricQuantile(of: metric, percent: percent)
                    var settings = MetricSettings()
                    keys.set(&settings.limit, quantile.name) { bound in
                        if percent == nil, !metric.isShare {
                            bound.report(
                                "\(bound.keyPath) is a bound of events that happen or don't, as load_failures: give one of "
                                    + "p50 to p99")
                        }
                        return bound.number(atLeast: 0, "write it in the metric's unit, like 2500").map { number in
                            if percent == nil, number > 1 {
                                bound.report("\(bound.keyPath) is more than 1, all events: write 5 % as 0.05")
                            }
                            return Limit(number, isTakenAsWritten: true)
                        }
                    }
                    if settings.limit != nil { limits[quantile.metric.id] = settings }
                }
            }
        }
        return limits
    }
}
