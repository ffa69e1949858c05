import PerfgateModel

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

    /// The same, with nothing that can fail the run.
    var ungated: CellPolicy {
        CellPolicy(
            isGated: Setting(false, from: isGated.origin), tolerance: tolerance, minChange: minChange, limit: limit,
            limitScale: limitScale, shareBound: shareBound)
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
        let definition = MetricCatalog.definition(for: metric)
        var settings = metrics[metric.id] ?? MetricSettings()
        for rule in environments + pages where rule.concerns(page, in: environment) {
            if let said = rule.metrics[metric.id] { settings.override(with: said) }
        }
        if let said = commandLine[metric.id] { settings.override(with: said) }
        settings.limit = settings.limit ?? stored
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

    /// Takes over what a later place says, key by key.
    package mutating func override(with later: MetricSettings) {
        gate = later.gate ?? gate
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
