import PerfgateModel
import PerfgateStats

package struct Policy: Sendable, Hashable {
    /// Whether a kind of finding fails the run.
    package enum Severity: String, Sendable, Hashable, CaseIterable { case warn, fail }

    /// Whether a gated cell without a baseline fails the run.
    package enum NoBaseline: String, Sendable, Hashable, CaseIterable {
        /// It fails if nothing in its environment was compared: a new page is reported, a new device fails.
        case auto
        case warn, fail
    }

    package enum BadRun: String, Sendable, Hashable, CaseIterable { case fail, exclude }

    /// Whether frame metrics of a simulator can fail a run.
    package enum Simulator: String, Sendable, Hashable, CaseIterable { case show, gate }

    /// Whether a suspect must be confirmed by a second run.
    package enum Confirmation: String, Sendable, Hashable, CaseIterable {
        case off
        /// A first look gives `inconclusive` (confirm); a second one, pooled with it, decides.
        case rerun
    }

    package var inconclusive = Severity.warn
    /// Whether an `inconclusive` fails that is gross: its median is more than twice the baseline's.
    package var inconclusiveGross = Severity.fail
    /// Whether inconclusive changes that runs' noise explains pass, as in a check; an update stores them as doubtful.
    package var quietsNoise = false
    package var noBaseline = NoBaseline.auto
    /// Whether a folder of baselines was named: if it is empty, limits alone are less than was asked.
    package var expectsBaselines = false
    package var missing = Severity.fail
    /// Whether regressions against a pinned reference fail.
    package var drift = Severity.warn
    package var baselineDrift = Severity.warn
    package var badRun = BadRun.fail
    package var simulator = Simulator.show
    package var confirmation = Confirmation.off
    /// The rule for runs of base and head in turn, judged after every pair; `nil`: a fixed number of runs is compared.
    package var sequence: PairSequence.Rule?
    /// Whether only a part of the expected pages was meant to run: pages without any line are then excused.
    package var isPartial = false
    package var poolsBuilds = false
    /// The conditions of the command line that lines must meet to be used, such as `network=wifi`.
    package var conditions: [String] = []
    package var isConditional: Bool { !conditions.isEmpty }
    package var measured = MeasuredShares()
    package var expectedEnvironments: [ExpectedEnvironment] = []
    /// Whether limits apply; an update of baselines ignores them.
    var appliesLimits = true
    package var quarantine: [QuarantinedDevice] = []
    /// The rules for unfit conditions, in the order in which they are reported.
    package var fitness = FitnessRule.standard
    /// Whether unused rules are reported; not if only a part is checked.
    package var reportsUnusedRules = true
    package var waivers: [Waiver] = []
    /// The UTC day that decides when waivers and quarantines end; `nil`: none has ended.
    package var day: CalendarDay?
    package var expected: [ExpectedPage] = []
    package var metrics: [String: MetricSettings] = [:]
    /// The global settings of field quantiles, by identifiers such as `ttil@p90`.
    package var field: [String: MetricSettings] = [:]
    package var environments: [PolicyRule] = [], pages: [PolicyRule] = [], commandLine: [String: MetricSettings] = [:]

    package init() {}
}

extension Policy {
    /// All metric settings of the configuration in their order, each by metric identifier.
    package var metricSettings: [[String: MetricSettings]] { [metrics] + (environments + pages).map(\.metrics) }
    /// The metrics in the configuration that perfgate doesn't know: the team's own, unless misspelt.
    package var ownMetrics: Set<String> {
        Set(metricSettings.flatMap(\.keys).filter { MetricCatalog.definition(of: $0) == nil })
    }
}

package struct ExpectedEnvironment: Sendable, Hashable {
    /// The required fields by name; other fields may have any value. Not empty.
    package let fields: [String: FieldValue]
    package let isRequired: Bool, origin: Origin

    package init(_ fields: [String: FieldValue], isRequired: Bool, from origin: Origin = .builtIn) {
        (self.fields, self.isRequired, self.origin) = (fields, isRequired, origin)
    }
}

extension Environment {
    /// Whether it has all these values, by name in the log or in the environment's key.
    package func has(_ fields: [String: FieldValue]) -> Bool {
        fields.allSatisfy { name, value in self[EnvironmentKey.storedName(of: name)]?.description == value.description }
    }
}

package struct ExpectedPage: Sendable, Hashable {
    package let page: Page
    /// The identifiers of the required metrics; empty: any line of the page is enough.
    package let metrics: [String]
    /// The required iterations per run and scrolls per iteration, positive; `nil`: a share of the baseline's.
    package let iterations, scrolls: Int?

    package init(page: Page, metrics: [String] = [], iterations: Int? = nil, scrolls: Int? = nil) {
        (self.page, self.metrics, self.iterations, self.scrolls) = (page, metrics, iterations, scrolls)
    }
}

package struct CellPolicy: Sendable, Hashable {
    package internal(set) var isGated: Setting<Bool>
    /// The relative tolerance, such as 0.1 for 10 %; at least 0.
    package let tolerance: Setting<Double>
    /// The smallest change that matters, in the metric's unit; at least 0.
    package let minChange: Setting<Double>
    /// The limit in the metric's unit, already scaled by the refresh rate; `nil`: none.
    package let limit: Setting<Limit>?
    /// The factor of the limit, 1 or more, if it judges the time of dropped frames instead of their number.
    var limitScale: Double?
    /// The limit over which counts are compared as shares, scaled in the same way, even if no limit is judged.
    package internal(set) var shareBound: Double?

    package static let standardTolerance = 0.1
}

extension Policy {
    /// The policy of a page's metric in an environment.
    ///
    /// Built-in values are overridden by `metrics`, then `environments`, then `pages`, then the command line; within a
    /// list later entries win, key by key. A configured limit gates its metric unless something says `gate: false`.
    /// - Parameter stored: The baseline's limit; it overrides built-in limits, and the configuration overrides it.
    package func cellPolicy(
        page: Page, metric: Metric, environment: Environment, stored: Setting<Limit>? = nil
    ) -> CellPolicy {
        var settings = settings(of: metric.id, page, environment)
        settings.limit = settings.limit ?? stored
        return cellPolicy(of: metric, settings, environment)
    }

    /// The policy of a quantile of field data: the metric's settings without its limit, overridden by the quantile's.
    package func cellPolicy(page: Page, quantile: MetricQuantile, environment: Environment) -> CellPolicy {
        var settings = settings(of: quantile.base.id, page, environment)
        settings.limit = nil
        // A visit of a run is one of few; a share is of thousands.
        if quantile.percent == nil { settings.minChange = nil }
        settings.override(with: field[quantile.metric.id] ?? MetricSettings())
        settings.override(with: self.settings(of: quantile.metric.id, page, environment))
        return cellPolicy(of: quantile.metric, settings, environment)
    }

    package func limitedQuantiles(of metric: Metric) -> Set<MetricQuantile> {
        let limited = ([field, commandLine] + metricSettings).flatMap { $0.filter { $1.limit != nil }.keys }
        let parts = limited.compactMap(MetricQuantile.parts(of:)).filter { $0.metric == metric.id }
        return Set(parts.map { MetricQuantile(of: metric, percent: $0.percent) })
    }

    private func settings(of metric: String, _ page: Page, _ environment: Environment) -> MetricSettings {
        var settings = metrics[metric] ?? MetricSettings()
        for rule in environments + pages where rule.concerns(page, in: environment) {
            if let said = rule.metrics[metric] { settings.override(with: said) }
        }
        if let said = commandLine[metric] { settings.override(with: said) }
        return settings
    }

    private func cellPolicy(of metric: Metric, _ settings: MetricSettings, _ environment: Environment) -> CellPolicy {
        let definition = MetricCatalog.definition(for: metric)
        let written = settings.limit ?? definition.limit.map { Setting(Limit($0), from: .builtIn) }
        let isScaled = definition.isLimitScaledByRefreshRate && written?.value.isTakenAsWritten == false
        let scale = isScaled ? max(1, (environment.maxFPS ?? 60) / 60) : nil
        let limit = written.map { limit in scale.map { limit.scaled(by: $0) } ?? limit }
        return CellPolicy(
            isGated: gate(settings, definition, environment),
            tolerance: settings.tolerance ?? Setting(CellPolicy.standardTolerance, from: .builtIn),
            minChange: settings.minChange ?? Setting(definition.minChange(at: environment.maxFPS), from: .builtIn),
            limit: appliesLimits ? limit : nil, limitScale: scale, shareBound: limit?.value.value)
    }

    package func cellPolicy(of cell: Cell, _ entry: Reference.Entry) -> CellPolicy {
        cellPolicy(page: cell.page, metric: entry.metric, environment: cell.environment, stored: entry.limit)
    }

    package func place(of page: Page, in environment: Environment) -> (source: String?, owner: String?) {
        let rules = pages.filter { $0.concerns(page, in: environment) }
        return (rules.compactMap(\.source).last, rules.compactMap(\.owner).last)
    }

    private func gate(_ said: MetricSettings, _ metric: MetricDefinition, _ environment: Environment) -> Setting<Bool> {
        let isOnlyShown = simulator == .show && environment.isSimulator && metric.isAboutFrames
        if isOnlyShown { return Setting(false, from: .builtIn) }
        return said.gate ?? said.limit.map { Setting(true, from: $0.origin) }
            ?? Setting(metric.isGatedByDefault, from: .builtIn)
    }
}

extension Policy {
    /// The policy that only judges change: no limits, not even built-in ones, no waivers, no expectations and no
    /// coverage. Updates of baselines use it: missing measurements must not hide regressions.
    package var withoutLimits: Policy {
        var policy = self
        (policy.appliesLimits, policy.waivers, policy.expected) = (false, [], [])
        return policy
    }
}

/// An entry of the configuration's `environments` or `pages`: what it matches, and the metric settings.
package struct PolicyRule: Sendable, Hashable {
    /// The required field values of an environment; empty: every environment.
    package let environment: [String: FieldValue]
    /// The pattern for the whole page name (`*` any text, `?` any one character); `nil`: every page.
    package let page: String?
    package let metrics: [String: MetricSettings]
    /// The page's source, as `path` or `path:line`, and its owner; `nil` if not set.
    package let source, owner: String?
    package let origin: Origin

    package init(
        environment: [String: FieldValue] = [:], page: String? = nil, metrics: [String: MetricSettings] = [:],
        source: String? = nil, owner: String? = nil, from origin: Origin = .builtIn
    ) {
        (self.environment, self.page, self.metrics, self.source) = (environment, page, metrics, source)
        (self.owner, self.origin) = (owner, origin)
    }

    package func concerns(_ page: Page, in environment: Environment) -> Bool {
        (self.page.map { NamePattern($0).matches(page.name) } ?? true) && environment.has(self.environment)
    }
}

/// The settings of a metric in one place of the configuration; unset values are `nil`.
package struct MetricSettings: Sendable, Hashable {
    package var gate: Setting<Bool>?
    /// As in `CellPolicy`.
    package var tolerance, minChange: Setting<Double>?
    package var limit: Setting<Limit>?
    /// The unit of a metric that the catalogue doesn't know.
    package var unit: Setting<Unit>?
    package var better: Setting<Better>?

    package var declaration: KnownMetrics.Declaration? {
        guard let origin = unit?.origin ?? better?.origin else { return nil }
        return KnownMetrics.Declaration(unit: unit?.value, better: better?.value, origin: "\(origin)")
    }

    package init(
        gate: Setting<Bool>? = nil, tolerance: Setting<Double>? = nil, minChange: Setting<Double>? = nil,
        limit: Setting<Limit>? = nil
    ) {
        (self.gate, self.tolerance, self.minChange, self.limit) = (gate, tolerance, minChange, limit)
    }

    /// Applies later settings, key by key. A later limit cancels an earlier `gate: false`.
    package mutating func override(with later: MetricSettings) {
        gate = later.gate ?? (later.limit == nil || gate?.value == true ? gate : nil)
        tolerance = later.tolerance ?? tolerance
        minChange = later.minChange ?? minChange
        limit = later.limit ?? limit
    }
}
