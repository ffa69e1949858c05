import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateModel

/// Reads all of `perfgate.yml`, key by key. Problems are collected in the file, so all are reported at once.
enum ConfigurationReader {
    static func configuration(_ root: YAMLValue, in folder: ConfigurationFolder) -> GateConfiguration {
        root.read { keys in
            var result = GateConfiguration()
            _ = keys.value("schema")
            let baselines = keys.value("baselines")
            result.baselines = folder.path(
                of: baselines?.name("write the folder, such as Baselines") ?? result.baselines)
            result.policy.expectsBaselines = baselines != nil
            keys.set(&result.environmentKey, "environment", EnvironmentSection.key)
            keys.set(&result.window, "window", window)
            setPolicy(&result, &keys)
            result.known = KnownMetrics(own: result.policy.metrics.compactMapValues(\.declaration))
            keys.set(&result.waivers, "waivers") {
                $0.name("write the file's name, such as waivers.yml").map(folder.path)
            }
            keys.set(&result.mapping, "map") { $0.list().compactMap(mappingRule) }
            let score = keys.value("score").map(ScoreSection.scoring)
            result.scoring = score?.scoring
            result.traffic = score?.traffic.map(folder.path)
            if let field = keys.value("field").map(FieldSection.read) { (result.field, result.policy.field) = field }
            // view-lint uses it, which shares the file.
            _ = keys.value("views")?.entries()
            return result
        }
    }

    private static func setPolicy(_ result: inout GateConfiguration, _ keys: inout YAMLKeys) {
        keys.set(&result.policy.confirmation, "confirmation")
        keys.set(&result.policy.inconclusive, "inconclusive")
        keys.set(&result.policy.inconclusiveGross, "inconclusive_gross")
        keys.set(&result.policy.noBaseline, "no_baseline")
        keys.set(&result.policy.missing, "missing")
        keys.set(&result.policy.drift, "drift")
        keys.set(&result.policy.baselineDrift, "baseline_drift")
        keys.set(&result.badLines, "bad_lines") { $0.integer(atLeast: 0, "write 0 to allow none") }
        keys.set(&result.policy.badRun, "bad_run")
        keys.set(&result.policy.simulator, "simulator")
        keys.set(&result.policy.fitness, "fit", FitnessSection.rules)
        keys.set(&result.policy.measured, "measured", measured)
        keys.set(&result.policy.metrics, "metrics") { MetricSection(declares: true).settings($0) }
        let environments = EnvironmentSection(key: result.environmentKey)
        keys.set(&result.policy.environments, "environments") {
            $0.list().compactMap { environmentRule($0, environments) }
        }
        keys.set(&result.policy.pages, "pages") { $0.list().compactMap(pageRule) }
        let expectations = ExpectationSection(metricsOf: result.policy)
        keys.set(&result.policy.expected, "expected") { expectations.pages($0.list()) }
        keys.set(&result.policy.expectedEnvironments, "expected_environments") {
            $0.list().compactMap(environments.expected)
        }
        keys.set(&result.policy.quarantine, "quarantine") { $0.list().compactMap(quarantinedDevice) }
    }

    private static func measured(_ value: YAMLValue) -> MeasuredShares {
        value.read { keys in
            var shares = MeasuredShares()
            keys.set(&shares.scrolls, "scrolls") { $0.share("write it like 80%", atMost: 1) }
            keys.set(&shares.iterations, "iterations") { $0.share("write it like 50%", atMost: 1) }
            let advice = "write 0 to ask for none"
            keys.set(&shares.enoughIterations, "enough_iterations") { $0.integer(atLeast: 0, advice) }
            keys.set(&shares.samples, "samples") { $0.integer(atLeast: 0, advice) }
            return shares
        }
    }

    private static func window(_ value: YAMLValue) -> WindowPolicy {
        value.read { keys in
            var (runs, perDay) = (WindowPolicy.standard.runs, WindowPolicy.standard.perDay)
            keys.set(&runs, "runs") { $0.integer(atLeast: 1, "write how many runs a page keeps") }
            keys.set(&perDay, "per_day") { $0.integer(atLeast: 1, "write how many runs of a day stay") }
            return WindowPolicy(runs: runs, perDay: perDay)
        }
    }

    private static func environmentRule(_ value: YAMLValue, _ environments: EnvironmentSection) -> PolicyRule? {
        value.read { keys in
            let match = keys.required("match", "say which environments, such as match: { max_fps: 120 }")
            var metrics: [String: MetricSettings] = [:]
            keys.set(&metrics, "metrics") { MetricSection(isForEnvironments: true).settings($0) }
            return match.flatMap(environments.fields).map {
                PolicyRule(environment: $0, metrics: metrics, from: value.origin)
            }
        }
    }

    private static func pageRule(_ value: YAMLValue) -> PolicyRule? {
        value.read { keys in
            let page = keys.required("match", "say which pages, such as match: \"Search*\"")?
                .text("write a page's name or a pattern, such as \"Search*\"")
            let source = keys.value("source")?.text("write the file and the line, such as Sources/Search.swift:42")
            let owner = keys.value("owner")?.text("write the page's owner, such as \"@search-team\"")
            var metrics: [String: MetricSettings] = [:]
            keys.set(&metrics, "metrics") { MetricSection().settings($0) }
            return page.map { PolicyRule(page: $0, metrics: metrics, source: source, owner: owner, from: value.origin) }
        }
    }

    private static func quarantinedDevice(_ value: YAMLValue) -> QuarantinedDevice? {
        value.read { keys in
            let id = keys.required("device_id", YAMLValue.text, "write the device_id of its runs")
            let until = keys.required(
                "until", YAMLValue.day, "write the day on which the device gates again, such as 2026-12-24")
            let reason = keys.required("reason", YAMLValue.text, "write the reason, for the next reader")
            guard let id, let until, let reason else { return nil }
            return QuarantinedDevice(id: id, until: until, reason: reason, from: value.origin)
        }
    }

    private static func mappingRule(_ value: YAMLValue) -> MappingRule? {
        value.read { keys in
            let format = keys.value("format").flatMap(format)
            let advice = "write a regular expression such as '^(?<page>\\w+)Tests/'"
            let pattern = keys.required("pattern", advice)
            guard let pattern, let text = pattern.text(advice) else { return nil }
            return pattern.reporting { try MappingRule(format: format, pattern: text) }
        }
    }

    private static func format(_ value: YAMLValue) -> String? {
        guard let name = value.text("write a format's name, as for --format") else { return nil }
        if Ingest.formats.contains(name) { return name }
        let advice = YAMLValue.advice(for: name, among: Ingest.formats)
        return value.refused("\(value.keyPath) must be a format that perfgate reads, found \(name): \(advice)")
    }
}

/// Reads a `metrics` mapping: global, in a rule for environments, or in a rule for pages.
struct MetricSection {
    /// Whether limits are for one environment and are taken as written, instead of being values at 60 Hz.
    var isForEnvironments = false
    /// Whether it may also declare metrics, which is global.
    var declares = false

    func settings(_ value: YAMLValue) -> [String: MetricSettings] {
        Dictionary(value.entries().map { ($0.key, settings(of: $0.key, $0.value)) }) { first, _ in first }
    }

    private func settings(of metric: String, _ value: YAMLValue) -> MetricSettings {
        if metric.contains("*") {
            value.report("\(value.keyPath) is a pattern, and metrics are named one by one: write each name")
        } else if let base = MetricQuantile.mistaken(in: metric) {
            value.report("\(value.keyPath) is not a percentile: write \(base)@p1 … \(base)@p99, such as \(base)@p90")
        } else {
            value.reportMisspelling(ofMetric: metric)
        }
        return value.read { keys in
            var settings = MetricSettings()
            keys.set(&settings.gate, "gate") { $0.flag("write false to show the metric only") }
            keys.set(&settings.tolerance, "tolerance") { $0.share("write it like 10%") }
            keys.set(&settings.minChange, "min_change") {
                $0.number(atLeast: 0, "write it in the metric's unit, like 16")
            }
            keys.set(&settings.limit, "limit") { limit(of: metric, $0) }
            keys.set(&settings.unit, "unit") { unit(of: metric, $0) }
            keys.set(&settings.better, "better") { better(of: metric, $0) }
            return settings
        }
    }

    /// The unit of a metric; the unit of a catalogue metric can't be changed.
    private func unit(of metric: String, _ value: YAMLValue) -> Unit? {
        guard let text = value.name("write the unit, such as MB") else { return nil }
        let unit = UnitConversion(from: text).unit
        let known = MetricCatalog.definition(of: metric)?.metric.unit
        guard unit.symbol == text || unit != known else {
            let reason = "because \(metric) and its limits are in \(unit)"
            return value.refused("\(value.keyPath) can't be \(text), \(reason): remove the key")
        }
        return declared(unit, known, metric, value)
    }

    private func better(of metric: String, _ value: YAMLValue) -> Better? {
        value.choice(Better.self).flatMap {
            declared($0, MetricCatalog.definition(of: metric)?.metric.better, metric, value)
        }
    }

    /// A fact about a metric of the team's own; otherwise `nil` and a report.
    private func declared<Fact: Equatable>(
        _ fact: Fact, _ known: Fact?, _ metric: String, _ value: YAMLValue
    ) -> Fact? {
        if !declares {
            value.report("\(value.keyPath) applies to all pages and environments: write it under metrics.\(metric)")
        } else if let known, known != fact {
            value.report("\(value.keyPath) of \(metric) is always \(known): remove the key")
        }
        return declares && known == nil ? fact : nil
    }

    private func limit(of metric: String, _ value: YAMLValue) -> Limit? {
        guard value.node.mapping != nil
        else { return bound(of: metric, value).map { Limit($0, isTakenAsWritten: isForEnvironments) } }
        let advice = "write { any: 3 } for the worst sample, or a number for the median"
        return value.read { $0.required("any", advice) }.flatMap { bound(of: metric, $0) }.map {
            Limit($0, subject: .any, isTakenAsWritten: isForEnvironments)
        }
    }

    /// No measured time is 0, so such a limit must be a mistake; a limit of 0 dropped frames is useful. A visit loads
    /// or doesn't, so only 0 can bound it: a share is compared with the median visit.
    private func bound(of metric: String, _ value: YAMLValue) -> Double? {
        if metric == Metric.loadFailures.id {
            let advice =
                "a visit counts 0 or 1, so write 0 to fail if most visits don't load, or { any: 0 } if one doesn't; "
                + "without a limit their share is compared with the baseline's"
            return value.number("0", advice) { $0 == 0 }
        }
        if MetricCatalog.definition(of: metric)?.metric.unit == .milliseconds {
            return value.number("a number above 0", "write it in ms, like 1200") { $0 > 0 }
        }
        return value.number(atLeast: 0, "write it in the metric's unit, like 2")
    }
}
