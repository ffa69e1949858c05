import PerfgateBaselines
import PerfgateCompare
import PerfgateModel

/// Reads the whole of `perfgate.yml`, key by key. What is wrong is noted in the file, so that all of it is told at once.
struct ConfigurationReader {
    /// The keys of the file.
    enum Key: String, YAMLKey {
        case schema, baselines, environment, window, confirmation, inconclusive
        case noBaseline = "no_baseline"
        case missing, drift
        case badLines = "bad_lines"
        case badRun = "bad_run"
        case simulator, fit, metrics, environments, pages, expected
        case expectedEnvironments = "expected_environments"
        case quarantine, waivers, map, score
    }

    /// The keys of `window`.
    enum WindowKey: String, YAMLKey {
        case runs
        case perDay = "per_day"
    }

    private let fields: [Key: YAMLValue]

    /// Takes the content of the file; throws where it is of a version that this program can't read.
    init(_ root: YAMLValue) throws(ConfigurationError) {
        if let version = root.entries().first(where: { $0.key == Key.schema.rawValue })?.value {
            try version.requireVersion(Configuration.schema)
        }
        fields = root.fields(Key.self)
    }

    /// What the file says, where its paths begin with a folder.
    func configuration(in folder: ConfigurationFolder) -> Configuration {
        var result = Configuration()
        result.environmentKey = fields[.environment].flatMap(EnvironmentSection.key) ?? result.environmentKey
        if let path = fields[.baselines]?.text("write the folder, such as Baselines") { result.baselines = path }
        result.baselines = folder.path(of: result.baselines)
        result.waivers = fields[.waivers]?.text("write the file's name, such as waivers.yml").map(folder.path)
        result.window = fields[.window].map(window) ?? result.window
        result.badLines = fields[.badLines]?.integer(atLeast: 0, "write 0 to allow none") ?? result.badLines
        result.mapping = fields[.map]?.list().compactMap(MappingSection.rule) ?? []
        let score = fields[.score].map(ScoreSection.scoring)
        result.scoring = score?.scoring
        result.traffic = score?.traffic.map(folder.path)
        result.policy = policy(result.environmentKey)
        return result
    }

    private func policy(_ key: EnvironmentKey) -> Policy {
        var policy = Policy()
        policy.confirmation = fields[.confirmation]?.choice(Policy.Confirmation.self) ?? policy.confirmation
        policy.inconclusive = fields[.inconclusive]?.choice(Policy.Severity.self) ?? policy.inconclusive
        policy.noBaseline = fields[.noBaseline]?.choice(Policy.Severity.self) ?? policy.noBaseline
        policy.missing = fields[.missing]?.choice(Policy.Severity.self) ?? policy.missing
        policy.drift = fields[.drift]?.choice(Policy.Severity.self) ?? policy.drift
        policy.badRun = fields[.badRun]?.choice(Policy.BadRun.self) ?? policy.badRun
        policy.simulator = fields[.simulator]?.choice(Policy.Simulator.self) ?? policy.simulator
        policy.fitness = fields[.fit].map(FitnessSection.rules) ?? policy.fitness
        policy.metrics = fields[.metrics].map { MetricSection().settings($0) } ?? [:]
        let match = EnvironmentSection(key: key)
        policy.environments = fields[.environments]?.list().compactMap { RuleSection.environment($0, match) } ?? []
        policy.pages = fields[.pages]?.list().compactMap(RuleSection.page) ?? []
        let expectations = ExpectationSection(metricsOf: policy)
        policy.expected = fields[.expected]?.list().compactMap(expectations.page) ?? []
        policy.expectedEnvironments = fields[.expectedEnvironments]?.list().compactMap(match.expected) ?? []
        policy.quarantine = fields[.quarantine]?.list().compactMap(QuarantineSection.device) ?? []
        return policy
    }

    private func window(_ value: YAMLValue) -> WindowPolicy {
        let fields = value.fields(WindowKey.self)
        let standard = WindowPolicy.standard
        return WindowPolicy(
            runs: fields[.runs]?.integer(atLeast: 1, "write how many runs a page keeps") ?? standard.runs,
            perDay: fields[.perDay]?.integer(atLeast: 1, "write how many runs of a day stay") ?? standard.perDay)
    }
}
