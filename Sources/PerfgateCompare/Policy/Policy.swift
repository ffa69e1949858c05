import PerfgateModel

/// What a team wants of the gate: the configuration's content without its form.
package struct Policy: Sendable, Hashable {
    /// Whether a kind of finding fails the run.
    package enum Severity: String, Sendable, Hashable, CaseIterable {
        /// It is told, and the run passes.
        case warn
        /// It fails the run with an exit code of its own.
        case fail
    }

    /// Whether a gated cell without a baseline fails the run.
    package enum NoBaseline: String, Sendable, Hashable, CaseIterable {
        /// It does where nothing of its environment was compared: a new page is told, a new device fails.
        case auto
        /// It never does.
        case warn
        /// It always does.
        case fail
    }

    /// What happens to a run that is bad data.
    package enum BadRun: String, Sendable, Hashable, CaseIterable {
        /// The run's samples are compared and shown, and the exit code is 65.
        case fail
        /// It is left out where another complete run of its environment is there.
        case exclude
    }

    /// Whether frame metrics of a simulator can fail a run.
    package enum Simulator: String, Sendable, Hashable, CaseIterable {
        /// They are shown only.
        case show
        /// They gate like those of a device.
        case gate
    }

    /// Whether a suspect must be confirmed by a second run.
    package enum Confirmation: String, Sendable, Hashable, CaseIterable {
        /// One look decides.
        case off
        /// A first look answers `inconclusive` (confirm); a pooled second one decides.
        case rerun
    }

    /// Whether `inconclusive` fails.
    package var inconclusive = Severity.warn
    /// Whether `no_baseline` fails.
    package var noBaseline = NoBaseline.auto
    /// Whether `missing` fails.
    package var missing = Severity.fail
    /// Whether fails what regressed against a pinned reference.
    package var drift = Severity.warn
    /// What happens to bad runs.
    package var badRun = BadRun.fail
    /// Whether simulators gate on frames.
    package var simulator = Simulator.show
    /// Whether suspects are confirmed.
    package var confirmation = Confirmation.off
    /// Whether only a part of the expected pages was meant to run: pages without any line are then excused.
    package var isPartial = false
    /// Whether runs of several builds may be judged together.
    package var poolsBuilds = false
    /// Whether only lines that meet some conditions are looked at.
    package var isConditional = false
    /// How much of what the baseline's runs measured a run must measure.
    package var measured = MeasuredShares()
    /// The environments that runs are expected to measure, in their order.
    package var expectedEnvironments: [ExpectedEnvironment] = []
    /// Whether limits hold; an update of baselines sets them aside.
    var appliesLimits = true
    /// The devices whose runs can't fail anything, in their order.
    package var quarantine: [QuarantinedDevice] = []
    /// What becomes of what was measured under which conditions, in the order in which it is told.
    package var fitness = FitnessRule.standard
    /// Whether rules that match nothing are told; not where only a part is looked at.
    package var tellsIdleRules = true
    /// The waivers, in their order.
    package var waivers: [Waiver] = []
    /// The day, in UTC, by which waivers and quarantines end; `nil`: none has ended.
    package var day: CalendarDay?
    /// What is expected beside what the baseline already expects.
    package var expected: [ExpectedPage] = []
    /// What the configuration says of metrics everywhere, by identifier.
    package var metrics: [String: MetricSettings] = [:]
    /// What the configuration says of quantiles of field data everywhere, by identifiers such as `ttil@p90`.
    package var field: [String: MetricSettings] = [:]
    /// The entries under `environments`, in their order.
    package var environments: [PolicyRule] = []
    /// The entries under `pages`, in their order.
    package var pages: [PolicyRule] = []
    /// What the command line says of metrics, by identifier.
    package var commandLine: [String: MetricSettings] = [:]

    /// The policy where nothing is configured.
    package init() {}
}

extension Policy {
    /// What the configuration says of metrics, in the order in which it says so, each by the metric's identifier.
    package var metricSettings: [[String: MetricSettings]] { [metrics] + (environments + pages).map(\.metrics) }

    /// The metrics that the configuration names and perfgate doesn't know: those of a team's own, if not misspelt.
    package var ownMetrics: Set<String> {
        Set(metricSettings.flatMap(\.keys).filter { MetricCatalog.definition(of: $0) == nil })
    }
}

/// An environment that runs are expected to measure.
package struct ExpectedEnvironment: Sendable, Hashable {
    /// The fields that it must have, by name; other fields may have any value. Not empty.
    package let fields: [String: FieldValue]
    /// Whether a run without any line of it fails as `missing`.
    package let isRequired: Bool
    /// Where it was configured.
    package let origin: Origin

    /// Makes an expectation of its parts.
    package init(_ fields: [String: FieldValue], isRequired: Bool, from origin: Origin = .builtIn) {
        self.fields = fields
        self.isRequired = isRequired
        self.origin = origin
    }
}

extension Environment {
    /// Whether it has all these values, by their name in the log or in the environment's key.
    package func has(_ fields: [String: FieldValue]) -> Bool {
        fields.allSatisfy { name, value in
            self[EnvironmentKey.storedName(of: name)]?.description == value.description
        }
    }
}

/// A page that a run must measure, whether a baseline knows it or not.
package struct ExpectedPage: Sendable, Hashable {
    /// The page.
    package let page: Page
    /// The identifiers of the metrics that must be measured; empty: any line of the page will do.
    package let metrics: [String]
    /// How many iterations a run must have of it, positive; `nil`: any number.
    package let iterations: Int?
    /// How many scrolls each iteration of a run must have of it, positive; `nil`: as many as the baseline's, nearly.
    package let scrolls: Int?

    /// Makes an expectation of its parts.
    package init(page: Page, metrics: [String] = [], iterations: Int? = nil, scrolls: Int? = nil) {
        self.page = page
        self.metrics = metrics
        self.iterations = iterations
        self.scrolls = scrolls
    }
}

/// A device whose runs are shown and can't fail anything for a while, because it measures wrongly.
package struct QuarantinedDevice: Sendable, Hashable {
    /// The identifier of the device, as the log's `device_id` says it.
    package let id: String
    /// The first day on which it no longer holds.
    package let until: CalendarDay
    /// Why, for a person.
    package let reason: String
    /// Where it was configured.
    package let origin: Origin

    /// Makes an entry of its parts.
    package init(id: String, until: CalendarDay, reason: String, from origin: Origin) {
        self.id = id
        self.until = until
        self.reason = reason
        self.origin = origin
    }

    /// Whether it no longer holds on a day; without a day it does.
    package func isExpired(on day: CalendarDay?) -> Bool {
        day.map { $0 >= until } ?? false
    }
}

/// What the policy says of one cell, with the origin of each value.
package struct CellPolicy: Sendable, Hashable {
    /// Whether the cell can fail the run.
    package internal(set) var isGated: Setting<Bool>
    /// The relative tolerance, such as 0.1 for 10 %; at least 0.
    package let tolerance: Setting<Double>
    /// The smallest change that matters, in the metric's unit; at least 0.
    package let minChange: Setting<Double>
    /// The limit in the metric's unit, already scaled by the refresh rate; `nil`: none.
    package let limit: Setting<Limit>?
    /// By how much the limit was multiplied, 1 or more, where the time that dropped frames took is held against it rather
    /// than their number; `nil` where it is taken as written.
    package internal(set) var limitScale: Double?
    /// The limit that shares of counts are compared over, likewise, also where no limit is judged; `nil`: none.
    package internal(set) var shareBound: Double?

    /// The relative tolerance where the configuration says nothing.
    package static let standardTolerance = 0.1

    /// The same, able to fail the run or not.
    func gated(_ isGated: Bool) -> CellPolicy {
        CellPolicy(
            isGated: Setting(isGated, from: self.isGated.origin), tolerance: tolerance, minChange: minChange,
            limit: limit, limitScale: limitScale, shareBound: shareBound)
    }
}

extension Policy {
    /// What holds for a metric of a page in an environment.
    ///
    /// Built-in values are overridden by `metrics`, then `environments`, then `pages`, then the command line; within a
    /// list later entries win, key by key. A configured limit gates its metric unless something says `gate: false`.
    ///
    /// - Parameter stored: The limit that the baseline has; built-in ones give way to it, and the configuration wins.
    package func cellPolicy(
        page: Page, metric: Metric, environment: Environment, stored: Setting<Limit>? = nil
    ) -> CellPolicy {
        var settings = settings(of: metric.id, page, environment)
        settings.limit = settings.limit ?? stored
        return cellPolicy(of: metric, settings, environment)
    }

    /// What holds for a quantile of field data: what is said of the metric but its limit, which is one of single
    /// measurements, overridden by what is said of the quantile.
    package func cellPolicy(page: Page, quantile: MetricQuantile, environment: Environment) -> CellPolicy {
        var settings = settings(of: quantile.base.id, page, environment)
        settings.limit = nil
        settings.override(with: field[quantile.metric.id] ?? MetricSettings())
        settings.override(with: self.settings(of: quantile.metric.id, page, environment))
        return cellPolicy(of: quantile.metric, settings, environment)
    }

    /// The percentages of a metric that a limit is said of anywhere.
    package func limitedPercentages(of metric: String) -> Set<Int> {
        let all = [field, commandLine] + metricSettings
        return Set(
            all.flatMap { settings in
                settings.compactMap { id, said in
                    said.limit == nil
                        ? nil : MetricQuantile.parts(of: id).flatMap { $0.metric == metric ? $0.percent : nil }
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

    private func cellPolicy(
        of metric: Metric, _ settings: MetricSettings, _ environment: Environment
    ) -> CellPolicy {
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

    /// What holds for a cell of a reference, by its own metric and the limit that is stored with it.
    package func cellPolicy(of cell: Cell, _ entry: Reference.Entry) -> CellPolicy {
        cellPolicy(page: cell.page, metric: entry.metric, environment: cell.environment, stored: entry.limit)
    }

    /// Where a page is implemented and who answers for it, as far as the configuration says.
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
    /// The policy that asks about change alone: no limit at all, built-in ones included, no waiver, nothing expected
    /// and no coverage. Baselines are updated by it: what is missing besides must not hide what got worse.
    package var withoutLimits: Policy {
        var policy = self
        policy.appliesLimits = false
        policy.waivers = []
        policy.expected = []
        return policy
    }
}

/// An entry of the configuration's `environments` or `pages`: whom it concerns, and what it says of their metrics.
package struct PolicyRule: Sendable, Hashable {
    /// The fields of an environment that must have these values; empty: every environment.
    package let environment: [String: FieldValue]
    /// The pattern that a page's name must match as a whole (`*` any text, `?` any one character); `nil`: every page.
    package let page: String?
    /// What it says, by the metric's identifier.
    package let metrics: [String: MetricSettings]
    /// Where the page is implemented, as `path` or `path:line`; `nil` where the rule doesn't say.
    package let source: String?
    /// Who answers for the page; `nil` where the rule doesn't say.
    package let owner: String?
    /// Where the rule was configured.
    package let origin: Origin

    /// Makes a rule of its parts.
    package init(
        environment: [String: FieldValue] = [:], page: String? = nil, metrics: [String: MetricSettings] = [:],
        source: String? = nil, owner: String? = nil, from origin: Origin = .builtIn
    ) {
        self.environment = environment
        self.page = page
        self.metrics = metrics
        self.source = source
        self.owner = owner
        self.origin = origin
    }

    /// Whether the rule concerns a page in an environment.
    package func concerns(_ page: Page, in environment: Environment) -> Bool {
        if let pattern = self.page, !NamePattern(pattern).matches(page.name) { return false }
        return environment.has(self.environment)
    }
}

/// What one place of the configuration says of a metric; what it leaves out is `nil`.
package struct MetricSettings: Sendable, Hashable {
    /// Whether the metric can fail a run.
    package var gate: Setting<Bool>?
    /// The relative tolerance, such as 0.1 for 10 %; at least 0.
    package var tolerance: Setting<Double>?
    /// The smallest change that matters, in the metric's unit; at least 0.
    package var minChange: Setting<Double>?
    /// The limit.
    package var limit: Setting<Limit>?
    /// The unit of a metric that the catalogue doesn't know.
    package var unit: Setting<Unit>?
    /// Its direction.
    package var better: Setting<Better>?

    /// What they say that the metric is; `nil` where they say nothing of that.
    package var declaration: KnownMetrics.Declaration? {
        guard let origin = unit?.origin ?? better?.origin else { return nil }
        return KnownMetrics.Declaration(unit: unit?.value, better: better?.value, origin: "\(origin)")
    }

    /// Makes settings of their parts.
    package init(
        gate: Setting<Bool>? = nil, tolerance: Setting<Double>? = nil, minChange: Setting<Double>? = nil,
        limit: Setting<Limit>? = nil
    ) {
        self.gate = gate
        self.tolerance = tolerance
        self.minChange = minChange
        self.limit = limit
    }

    /// Takes over what a later place says, key by key. A later limit takes an earlier `gate: false` back.
    package mutating func override(with later: MetricSettings) {
        gate = later.gate ?? (later.limit == nil || gate?.value == true ? gate : nil)
        tolerance = later.tolerance ?? tolerance
        minChange = later.minChange ?? minChange
        limit = later.limit ?? limit
    }
}

/// A value of the policy together with where it came from, so that every report can say why it holds.
package struct Setting<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The value in force.
    package let value: Value
    /// Where it came from.
    package let origin: Origin

    /// Makes a setting of its parts.
    package init(_ value: Value, from origin: Origin) {
        self.value = value
        self.origin = origin
    }
}

/// Where a setting came from.
package enum Origin: Sendable, Hashable {
    /// perfgate's own default.
    case builtIn
    /// A line of the configuration.
    case configuration(path: String, line: Int)
    /// A flag of the command line, with its dashes.
    case commandLine(String)
    /// The file that the measurement came from, such as a tolerance that another tool stored.
    case input(path: String)
}

extension Origin: CustomStringConvertible {
    /// The origin as a person looks it up: `perfgate.yml:12`.
    package var description: String {
        switch self {
        case .builtIn: "built-in default"
        case .configuration(let path, let line): "\(path):\(line)"
        case .commandLine(let flag): flag
        case .input(let path): path
        }
    }
}

/// A bound on a metric that holds without any baseline; a maximum, or a minimum where higher is better.
package struct Limit: Sendable, Hashable {
    /// Which value of the candidate is held against the bound.
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        /// The lower median, or the upper one where higher is better.
        case median
        /// The worst sample.
        case any
    }

    /// The bound, in the metric's unit; finite.
    package let value: Double
    /// Which value it is held against.
    package let subject: Subject
    /// Whether the value is taken as written: limits of dropped frames given for all environments are scaled by the
    /// refresh rate over 60 Hz, those under `environments` are not.
    package let isTakenAsWritten: Bool

    /// Makes a limit of its parts.
    package init(_ value: Double, subject: Subject = .median, isTakenAsWritten: Bool = false) {
        self.value = value
        self.subject = subject
        self.isTakenAsWritten = isTakenAsWritten
    }

    /// The limit as it holds where it is judged: nothing scales it any more.
    package var settled: Limit { Limit(value, subject: subject, isTakenAsWritten: true) }
}
