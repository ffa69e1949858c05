import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateModel

/// Reads all of `perfgate.yml`, key by key. Problems are collected in the file, so all are reported at once.
struct ConfigurationReader {
    enum Key: String, YAMLKey {
        case schema, baselines, environment, window, confirmation, inconclusive
        case inconclusiveGross = "inconclusive_gross"
        case noBaseline = "no_baseline"
        case missing, drift
        case baselineDrift = "baseline_drift"
        case badLines = "bad_lines"
        case badRun = "bad_run"
        case simulator, fit, measured, metrics, environments, pages, expected
        case expectedEnvironments = "expected_environments"
        case quarantine, waivers, map, score, field
        /// Used by `view-lint`, which shares the file.
        case views
    }

    /// The keys of `window`.
    enum WindowKey: String, YAMLKey {
        case runs
        case perDay = "per_day"
    }

    /// The keys of `measured`.
    enum MeasuredKey: String, YAMLKey {
        case scrolls, iterations
        case enoughIterations = "enough_iterations"
        case samples
    }

    private let fields: [Key: YAMLValue]

    /// Takes the content of the file; throws if this program can't read its version.
    init(_ root: YAMLValue) throws(ConfigurationError) {
        if let version = root.entries().first(where: { $0.key == Key.schema.rawValue })?.value {
            try version.requireVersion(GateConfiguration.schema)
        }
        fields = root.fields(Key.self)
    }

    /// The configuration; paths in it are relative to a folder.
    func configuration(in folder: ConfigurationFolder) -> GateConfiguration {
        var result = GateConfiguration()
        result.environmentKey = fields[.environment].flatMap(EnvironmentSection.key) ?? result.environmentKey
        if let path = fields[.baselines]?.name("write the folder, such as Baselines") { result.baselines = path }
        result.baselines = folder.path(of: result.baselines)
        result.waivers = fields[.waivers]?.name("write the file's name, such as waivers.yml").map(folder.path)
        result.window = fields[.window].map(window) ?? result.window
        result.badLines = fields[.badLines]?.integer(atLeast: 0, "write 0 to allow none") ?? result.badLines
        result.mapping = fields[.map]?.list().compactMap(MappingSection.rule) ?? []
        _ = fields[.views]?.entries()
        let score = fields[.score].map(ScoreSection.scoring)
        result.scoring = score?.scoring
        result.traffic = score?.traffic.map(folder.path)
        let field = fields[.field].map(FieldSection.read)
        result.field = field?.settings ?? result.field
        result.policy = policy(result.environmentKey)
        result.policy.field = field?.limits ?? [:]
        result.known = KnownMetrics(own: result.policy.metrics.compactMapValues(\.declaration))
        return result
    }

    private func policy(_ key: EnvironmentKey) -> Policy {
        var policy = Policy()
        policy.expectsBaselines = fields[.baselines] != nil
        policy.confirmation = fields[.confirmation]?.choice(Policy.Confirmation.self) ?? policy.confirmation
        policy.inconclusive = fields[.inconclusive]?.choice(Policy.Severity.self) ?? policy.inconclusive
        policy.inconclusiveGross =
            fields[.inconclusiveGross]?.choice(Policy.Severity.self) ?? policy.inconclusiveGross
        policy.noBaseline = fields[.noBaseline]?.choice(Policy.NoBaseline.self) ?? policy.noBaseline
        policy.missing = fields[.missing]?.choice(Policy.Severity.self) ?? policy.missing
        policy.drift = fields[.drift]?.choice(Policy.Severity.self) ?? policy.drift
        policy.baselineDrift = fields[.baselineDrift]?.choice(Policy.Severity.self) ?? policy.baselineDrift
        policy.badRun = fields[.badRun]?.choice(Policy.BadRun.self) ?? policy.badRun
        policy.simulator = fields[.simulator]?.choice(Policy.Simulator.self) ?? policy.simulator
        policy.fitness = fields[.fit].map(FitnessSection.rules) ?? policy.fitness
        policy.measured = fields[.measured].map(measured) ?? policy.measured
        policy.metrics = fields[.metrics].map { MetricSection(declares: true).settings($0) } ?? [:]
        let match = EnvironmentSection(key: key)
        policy.environments = fields[.environments]?.list().compactMap { RuleSection.environment($0, match) } ?? []
        policy.pages = fields[.pages]?.list().compactMap(RuleSection.page) ?? []
        let expectations = ExpectationSection(metricsOf: policy)
        policy.expected = expectations.pages(fields[.expected]?.list() ?? [])
        policy.expectedEnvironments = fields[.expectedEnvironments]?.list().compactMap(match.expected) ?? []
        policy.quarantine = fields[.quarantine]?.list().compactMap(QuarantineSection.device) ?? []
        return policy
    }

    private func measured(_ value: YAMLValue) -> MeasuredShares {
        let fields = value.fields(MeasuredKey.self)
        var shares = MeasuredShares()
        shares.scrolls = fields[.scrolls]?.share("write it like 80%", atMost: 1) ?? shares.scrolls
        shares.iterations = fields[.iterations]?.share("write it like 50%", atMost: 1) ?? shares.iterations
        shares.enoughIterations =
            fields[.enoughIterations]?.integer(atLeast: 0, "write 0 to ask for none") ?? shares.enoughIterations
        shares.samples = fields[.samples]?.integer(atLeast: 0, "write 0 to ask for none") ?? shares.samples
        return shares
    }

    private func window(_ value: YAMLValue) -> WindowPolicy {
        let fields = value.fields(WindowKey.self)
        let standard = WindowPolicy.standard
        return WindowPolicy(
            runs: fields[.runs]?.integer(atLeast: 1, "write how many runs a page keeps") ?? standard.runs,
            perDay: fields[.perDay]?.integer(atLeast: 1, "write how many runs of a day stay") ?? standard.perDay)
    }
}

/// Reads the entries of `environments` and `pages`.
enum RuleSection {
    /// The keys of an entry of `environments`.
    enum EnvironmentRuleKey: String, YAMLKey {
        case match, metrics
    }

    /// The keys of an entry of `pages`.
    enum PageRuleKey: String, YAMLKey {
        case match, source, owner, metrics
    }

    /// An entry of `environments`; `nil` if it doesn't say which environments it matches.
    static func environment(_ value: YAMLValue, _ environments: EnvironmentSection) -> PolicyRule? {
        let fields = value.fields(EnvironmentRuleKey.self)
        let section = MetricSection(isForEnvironments: true)
        let metrics = fields[.metrics].map(section.settings) ?? [:]
        guard let match = fields[.match] else {
            value.lacks(EnvironmentRuleKey.match, "say which environments, such as match: { max_fps: 120 }")
            return nil
        }
        return environments.fields(match).map { PolicyRule(environment: $0, metrics: metrics, from: value.origin) }
    }

    /// An entry of `pages`; `nil` if it doesn't say which pages it matches.
    static func page(_ value: YAMLValue) -> PolicyRule? {
        let fields = value.fields(PageRuleKey.self)
        let metrics = fields[.metrics].map { MetricSection().settings($0) } ?? [:]
        let source = fields[.source]?.text("write the file and the line, such as Sources/Search.swift:42")
        let owner = fields[.owner]?.text("write the page's owner, such as \"@search-team\"")
        guard let match = fields[.match] else {
            value.lacks(PageRuleKey.match, "say which pages, such as match: \"Search*\"")
            return nil
        }
        return match.text("write a page's name or a pattern, such as \"Search*\"").map {
            PolicyRule(page: $0, metrics: metrics, source: source, owner: owner, from: value.origin)
        }
    }
}

/// Reads a `metrics` mapping: global, in a rule for environments, or in a rule for pages.
struct MetricSection {
    enum Key: String, YAMLKey {
        case gate, tolerance
        case minChange = "min_change"
        case limit, unit, better
    }

    /// The keys of a limit that isn't a plain number.
    enum LimitKey: String, YAMLKey {
        case any
    }

    /// Whether limits are for one environment and are taken as written, instead of being values at 60 Hz.
    var isForEnvironments = false
    /// Whether it may also declare metrics, which is global.
    var declares = false

    /// The settings by the metric's identifier, which perfgate may not know.
    func settings(_ value: YAMLValue) -> [String: MetricSettings] {
        Dictionary(value.entries().map { ($0.key, settings(of: $0.key, $0.value)) }) { first, _ in first }
    }

    private func settings(of metric: String, _ value: YAMLValue) -> MetricSettings {
        let fields = value.fields(Key.self)
        if metric.contains("*") {
            value.report("\(value.keyPath) is a pattern, and metrics are named one by one: write each name")
        } else if let base = MetricQuantile.mistaken(in: metric) {
            value.report("\(value.keyPath) is not a percentile: write \(base)@p1 … \(base)@p99, such as \(base)@p90")
        } else if let meant = MetricCatalog.misspelling(of: metric) {
            value.report("\(value.keyPath) is not a metric that perfgate knows: did you mean \(meant)?")
        }
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
        settings.unit = fields[.unit].flatMap { field in
            unit(of: metric, field).map { Setting($0, from: field.origin) }
        }
        settings.better = fields[.better].flatMap { field in
            better(of: metric, field).map { Setting($0, from: field.origin) }
        }
        settings.limit = fields[.limit].flatMap { field in
            limit(of: metric, field).map { Setting($0, from: field.origin) }
        }
        return settings
    }

    /// The unit of a metric; the unit of a catalogue metric can't be changed.
    private func unit(of metric: String, _ value: YAMLValue) -> Unit? {
        guard let text = value.name("write the unit, such as MB") else { return nil }
        let unit = UnitConversion(from: text).unit
        guard unit.symbol == text || unit != MetricCatalog.definition(of: metric)?.metric.unit else {
            let reason = "because \(metric) and its limits are in \(unit)"
            value.report("\(value.keyPath) can't be \(text), \(reason): remove the key")
            return nil
        }
        return isKept(unit, MetricCatalog.definition(of: metric)?.metric.unit, metric, value) ? unit : nil
    }

    private func better(of metric: String, _ value: YAMLValue) -> Better? {
        guard let better = value.choice(Better.self) else { return nil }
        return isKept(better, MetricCatalog.definition(of: metric)?.metric.better, metric, value) ? better : nil
    }

    private func isKept<Fact: Equatable>(_ fact: Fact, _ known: Fact?, _ metric: String, _ value: YAMLValue) -> Bool {
        if !declares {
            value.report("\(value.keyPath) applies to all pages and environments: write it under metrics.\(metric)")
        } else if let known, known != fact {
            value.report("\(value.keyPath) of \(metric) is always \(known): remove the key")
        }
        return declares && known == nil
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
        return value.number("a number, at least 0", "write it in the metric's unit, like 2") { $0 >= 0 }
    }
}

/// Reads the entries of `quarantine`.
enum QuarantineSection {
    /// The keys of an entry; all are required.
    enum Key: String, YAMLKey {
        case deviceID = "device_id"
        case until, reason
    }

    /// An entry; `nil` if a part is missing or wrong.
    static func device(_ value: YAMLValue) -> QuarantinedDevice? {
        let fields = value.fields(Key.self)
        for key in Key.allCases where fields[key] == nil { value.lacks(key, advice(key)) }
        let id = fields[.deviceID]?.text(advice(.deviceID))
        let until = fields[.until]?.day(advice(.until))
        let reason = fields[.reason]?.text(advice(.reason))
        guard let id, let until, let reason else { return nil }
        return QuarantinedDevice(id: id, until: until, reason: reason, from: value.origin)
    }

    private static func advice(_ key: Key) -> String {
        switch key {
        case .deviceID: "write the device_id of its runs"
        case .until: "write the day on which the device gates again, such as 2026-12-24"
        case .reason: "write the reason, for the next reader"
        }
    }
}

/// Reads the entries of `map`.
enum MappingSection {
    /// The keys of an entry.
    enum Key: String, YAMLKey {
        case format, pattern
    }

    /// An entry; `nil` without a valid pattern.
    static func rule(_ value: YAMLValue) -> MappingRule? {
        let fields = value.fields(Key.self)
        let format = fields[.format].flatMap(format)
        guard let pattern = fields[.pattern] else {
            value.lacks(Key.pattern, advice)
            return nil
        }
        guard let text = pattern.text(advice) else { return nil }
        do {
            return try MappingRule(format: format, pattern: text)
        } catch {
            pattern.report("\(pattern.keyPath): \(error)")
            return nil
        }
    }

    private static let advice = "write a regular expression such as '^(?<page>\\w+)Tests/'"

    private static func format(_ value: YAMLValue) -> String? {
        guard let name = value.text("write a format's name, as for --format") else { return nil }
        guard !Ingest.formats.contains(name) else { return name }
        let formats = Ingest.formats
        let advice = Suggestion.advice(
            for: name, among: formats, otherwise: "use one of \(formats.joined(separator: ", "))")
        value.report("\(value.keyPath) must be a format that perfgate reads, found \(name): \(advice)")
        return nil
    }
}
