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
            let advice = "write a device, such as iPhone12,1 or iPhone12*"
            keys.set(&mapping.deviceClasses, "device_classes") { classes in
                classes.entries().map { .init(name: $0.key, devices: $0.value.list().compactMap { $0.text(advice) }) }
            }
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

/// Reads `score`: how pages are scored.
enum ScoreSection {
    /// The scoring, and the path of the traffic file, which isn't read yet; unset keys keep perfgate's defaults.
    static func scoring(_ value: YAMLValue) -> (scoring: PageScoring?, traffic: String?) {
        value.read { keys in
            let own = formula(keys.value("version"), keys.value("metrics"), in: value)
            let traffic = keys.value("traffic")?.name("write the file's name, such as traffic.yml")
            let tried = keys.value("candidate").flatMap { candidate($0, beside: own) }
            return (own.map { PageScoring(formula: $0, candidate: tried) }, traffic)
        }
    }

    /// The candidate formula that is shown beside the one in use; its name must differ.
    private static func candidate(_ value: YAMLValue, beside own: ScoreFormula?) -> ScoreFormula? {
        value.read { keys in
            let version = keys.value("version")
            let metrics = keys.required("metrics", "write the candidate's metrics, as under score.metrics")
            let formula = metrics.flatMap { Self.formula(version, $0, in: value) }
            if let formula, formula.version == own?.version {
                version?.report("\(value.keyPath).version equals score.version: give the candidate another name")
            }
            return formula
        }
    }

    private static func formula(_ version: YAMLValue?, _ metrics: YAMLValue?, in value: YAMLValue) -> ScoreFormula? {
        guard let metrics else {
            version?.report("score.version names your own formula: add score.metrics, or remove the version")
            return version == nil ? .standard : nil
        }
        let components = metrics.entries().compactMap(component)
        guard let version else {
            value.lacks("version", "name your formula, because only scores of the same formula are compared")
            return nil
        }
        guard let name = version.text("name your formula, such as 2026-11"), components.count == metrics.entries().count
        else { return nil }
        guard name != ScoreFormula.standard.version
        else { return version.refused("\(version.keyPath) \(name) is perfgate's own formula: give yours another name") }
        return metrics.reporting { try ScoreFormula(version: name, components: components) }
    }

    private static func component(_ entry: YAMLValue.Entry) -> ScoreComponent? {
        let value = entry.value
        guard let metric = PageMetric(rawValue: entry.key) else {
            let advice = YAMLValue.advice(
                for: entry.key, among: PageMetric.allCases.map(\.rawValue), otherwise: "use some of")
            value.file.report("\(value.keyPath) is not a metric of a visit: \(advice)", at: entry.mark)
            return nil
        }
        return value.read { keys in
            var isWrong = false
            let numbers = ["weight", "good", "poor", "p10", "median", "cap"].map { name in
                keys.value(name).flatMap { value in
                    let number = value.number("a number above 0", "write it like 0.2 or 1200") { $0 > 0 }
                    isWrong = isWrong || number == nil
                    return number
                }
            }
            guard !isWrong, let curve = curve(numbers[1], numbers[2], numbers[3], numbers[4], of: value)
            else { return nil }
            guard let weight = numbers[0] else {
                value.lacks("weight", "write its share of the score, such as 0.2; all weights sum to 1")
                return nil
            }
            return ScoreComponent(metric, weight: weight, curve: curve, cap: numbers[5])
        }
    }

    private static func curve(
        _ good: Double?, _ poor: Double?, _ p10: Double?, _ median: Double?, of value: YAMLValue
    ) -> ScoreCurve? {
        switch (good, poor, p10, median) {
        case (let good?, let poor?, nil, nil): return value.reporting { try ScoreCurve(good: good, poor: poor) }
        case (nil, nil, let p10?, let median?): return value.reporting { try ScoreCurve(p10: p10, median: median) }
        default: return value.refused("\(value.keyPath) has no curve: give good and poor, or p10 and median, in ms")
        }
    }
}
