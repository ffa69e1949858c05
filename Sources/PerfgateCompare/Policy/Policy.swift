import PerfgateModel
import PerfgateStats

/// The policy of the gate: the content of the configuration, independent of its format.
package struct Policy: Sendable, Hashable {
    /// Whether a kind of finding fails the run.
    package enum Severity: String, Sendable, Hashable, CaseIterable {
        /// It is reported, and the run passes.
        case warn
        /// It fails the run with its own exit code.
        case fail
    }

    /// Whether a gated cell without a baseline fails the run.
    package enum NoBaseline: String, Sendable, Hashable, CaseIterable {
        /// It fails if nothing in its environment was compared: a new page is reported, a new device fails.
        case auto
        case warn
        case fail
    }

    package enum BadRun: String, Sendable, Hashable, CaseIterable {
        /// The run's samples are compared and shown, and the exit code is 65.
        case fail
        /// The run is left out if its environment has another complete run.
        case exclude
    }

    /// Whether frame metrics of a simulator can fail a run.
    package enum Simulator: String, Sendable, Hashable, CaseIterable {
        case show
        /// They gate like a device's.
        case gate
    }

    /// Whether a suspect must be confirmed by a second run.
    package enum Confirmation: String, Sendable, Hashable, CaseIterable {
        /// One look decides.
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
    /// Whether runs of several builds may be judged together.
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
    /// The expectations in addition to the baseline's.
    package var expected: [ExpectedPage] = []
    package var metrics: [String: MetricSettings] = [:]
    /// The global settings of field quantiles, by identifiers such as `ttil@p90`.
    package var field: [String: MetricSettings] = [:]
    package var environments: [PolicyRule] = []
    package var pages: [PolicyRule] = []
    package var commandLine: [String: MetricSettings] = [:]

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
    /// Whether a run without any line of it fails as `missing`.
    package let isRequired: Bool
    package let origin: Origin

    package init(_ fields: [String: FieldValue], isRequired: Bool, from origin: Origin = .builtIn) {
        (self.fields, self.isRequired, self.origin) = (fields, isRequired, origin)
    }
}

extension Environment {
    /// Whether it has all these values, by name in the log or in the environment's key.
    package func has(_ fields: [String: FieldValue]) -> Bool {
        fields.allSatisfy { name, value in
            self[EnvironmentKey.storedName(of: name)]?.description == value.description
        }
    }
}

/// A page that a run must measure, whether it has a baseline or not.
package struct ExpectedPage: Sendable, Hashable {
    package let page: Page
    /// The identifiers of the required metrics; empty: any line of the page is enough.
    package let metrics: [String]
    /// The required number of iterations per run, positive; `nil`: any number.
    package let iterations: Int?
    /// The required number of scrolls per iteration, positive; `nil`: a share of the baseline's.
    package let scrolls: Int?

    package init(page: Page, metrics: [String] = [], iterations: Int? = nil, scrolls: Int? = nil) {
        (self.page, self.metrics, self.iterations, self.scrolls) = (page, metrics, iterations, scrolls)
    }
}

package struct CellPolicy: Sendable, Hashable {
    /// Whether the cell can fail the run.
    package internal(set) var isGated: Setting<Bool>
    /// The relative tolerance, such as 0.1 for 10 %; at least 0.
    package let tolerance: Setting<Double>
    /// The smallest change that matters, in the metric's unit; at least 0.
    package let minChange: Setting<Double>
    /// The limit in the metric's unit, already scaled by the refresh rate; `nil`: none.
    package let limit: Setting<Limit>?
    /// The factor of the limit, 1 or more, if it is compared with the time of dropped frames instead of their number;
    /// `nil` if it is taken as written.
    package internal(set) var limitScale: Double?
    /// The limit over which counts are compared as shares, scaled in the same way, even if no limit is judged.
    package internal(set) var shareBound: Double?

    package static let standardTolerance = 0.1

    func gated(_ isGated: Bool) -> CellPolicy {
        CellPolicy(
            isGated: Setting(isGated, from: self.isGated.origin), tolerance: tolerance, minChange: minChange,
            limit: limit, limitScale: limitScale, shareBound: shareBound)
    }
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

    /// The policy of a quantile of field data: the metric's settings except its limit, which applies to single
    /// measurements, overridden by the quantile's settings.
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
        let all = [field, commandLine] + metricSettings
        return Set(
            all.flatMap { settings in
                settings.compactMap { id, said in
                    guard said.limit != nil, let parts = MetricQuantile.parts(of: id), parts.metric == metric.id else {
                        return nil
                    }
                    return MetricQuantile(of: metric, percent: parts.percent)
                }
            })
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
        let limit = written.map { limit in scale.map { scaled(limit, by: $0) } ?? limit }
        return CellPolicy(
            isGated: gate(settings, definition, environment),
            tolerance: settings.tolerance ?? Setting(CellPolicy.standardTolerance, from: .builtIn),
            minChange: settings.minChange ?? Setting(definition.minChange(at: environment.maxFPS), from: .builtIn),
            limit: appliesLimits ? limit : nil, limitScale: scale, shareBound: limit?.value.value)
    }

    /// The policy of a reference's cell, with its own metric and stored limit.
    package func cellPolicy(of cell: Cell, _ entry: Reference.Entry) -> CellPolicy {
        cellPolicy(page: cell.page, metric: entry.metric, environment: cell.environment, stored: entry.limit)
    }

    package func place(of page: Page, in environment: Environment) -> (source: String?, owner: String?) {
        let rules = pages.filter { $0.concerns(page, in: environment) }
        return (rules.compactMap(\.source).last, rules.compactMap(\.owner).last)
    }

    private func gate(
        _ settings: MetricSettings, _ definition: MetricDefinition, _ environment: Environment
    ) -> Setting<Bool> {
        if simulator == .show, environment.isSimulator, definition.isAboutFrames {
            return Setting(false, from: .builtIn)
        }
        if let gate = settings.gate { return gate }
        if let limit = settings.limit { return Setting(true, from: limit.origin) }
        return Setting(definition.isGatedByDefault, from: .builtIn)
    }

    private func scaled(_ limit: Setting<Limit>, by scale: Double) -> Setting<Limit> {
        Setting(
            Limit(limit.value.value * scale, subject: limit.value.subject, isTakenAsWritten: true), from: limit.origin)
    }
}

extension Policy {
    /// The policy that only judges change: no limits, not even built-in ones, no waivers, no expectations and no
    /// coverage. It is used to update baselines: missing measurements must not hide regressions.
    package var withoutLimits: Policy {
        var policy = self
        policy.appliesLimits = false
        policy.waivers = []
        policy.expected = []
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
    /// The page's source, as `path` or `path:line`; `nil` if not set.
    package let source: String?
    package let owner: String?
    package let origin: Origin

    package init(
        environment: [String: FieldValue] = [:], page: String? = nil, metrics: [String: MetricSettings] = [:],
        source: String? = nil, owner: String? = nil, from origin: Origin = .builtIn
    ) {
        (self.environment, self.page, self.metrics, self.source) = (environment, page, metrics, source)
        (self.owner, self.origin) = (owner, origin)
    }

    package func concerns(_ page: Page, in environment: Environment) -> Bool {
        if let pattern = self.page, !NamePattern(pattern).matches(page.name) { return false }
        return environment.has(self.environment)
    }
}

/// The settings of a metric in one place of the configuration; unset values are `nil`.
package struct MetricSettings: Sendable, Hashable {
    package var gate: Setting<Bool>?
    /// The relative tolerance, such as 0.1 for 10 %; at least 0.
    package var tolerance: Setting<Double>?
    /// The smallest change that matters, in the metric's unit; at least 0.
    package var minChange: Setting<Double>?
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
