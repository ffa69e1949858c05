import PerfgateModel

/// What the policy says of one cell, with the origin of each value.
public struct CellPolicy: Sendable, Hashable {
    /// Whether the cell can fail the run.
    public internal(set) var isGated: Setting<Bool>
    /// The relative tolerance, such as 0.1 for 10 %; at least 0.
    public let tolerance: Setting<Double>
    /// The smallest change that matters, in the metric's unit; at least 0.
    public let minChange: Setting<Double>
    /// The limit in the metric's unit, already scaled by the refresh rate; `nil`: none.
    public let limit: Setting<Limit>?

    /// The relative tolerance where the configuration says nothing.
    public static let standardTolerance = 0.1

    /// The same, with nothing that can fail the run.
    var ungated: CellPolicy {
        CellPolicy(
            isGated: Setting(false, from: isGated.origin), tolerance: tolerance, minChange: minChange, limit: limit)
    }
}

extension Policy {
    /// What holds for a metric of a page in an environment.
    ///
    /// Built-in values are overridden by `metrics`, then `environments`, then `pages`, then the command line; within a
    /// list later entries win, key by key. A configured limit gates its metric unless something says `gate: false`.
    ///
    /// - Parameter stored: The limit that the baseline has; built-in ones give way to it, and the configuration wins.
    public func cellPolicy(
        page: Page, metric: Metric, environment: Environment, stored: Setting<Limit>? = nil
    ) -> CellPolicy {
        let definition = MetricCatalog.definition(for: metric)
        var settings = metrics[metric.id] ?? MetricSettings()
        for rule in environments + pages where rule.concerns(page, in: environment) {
            if let said = rule.metrics[metric.id] { settings.override(with: said) }
        }
        if let said = commandLine[metric.id] { settings.override(with: said) }
        settings.limit = settings.limit ?? stored
        let limit = settings.limit ?? definition.limit.map { Setting(Limit($0), from: .builtIn) }
        return CellPolicy(
            isGated: gate(settings, definition, environment),
            tolerance: settings.tolerance ?? Setting(CellPolicy.standardTolerance, from: .builtIn),
            minChange: settings.minChange ?? Setting(definition.minChange, from: .builtIn),
            limit: appliesLimits ? limit.map { scaled($0, definition, environment) } : nil)
    }

    /// What holds for a cell of a reference, by its own metric and the limit that is stored with it.
    public func cellPolicy(of cell: Cell, _ entry: Reference.Entry) -> CellPolicy {
        cellPolicy(page: cell.page, metric: entry.metric, environment: cell.environment, stored: entry.limit)
    }

    /// Where a page is implemented and who answers for it, as far as the configuration says.
    public func place(of page: Page, in environment: Environment) -> (source: String?, owner: String?) {
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

    private func scaled(
        _ limit: Setting<Limit>, _ definition: MetricDefinition, _ environment: Environment
    ) -> Setting<Limit> {
        guard definition.isLimitScaledByRefreshRate, !limit.value.isTakenAsWritten else { return limit }
        let factor = max(1, (environment.maxFPS ?? 60) / 60)
        return Setting(
            Limit(limit.value.value * factor, subject: limit.value.subject, isTakenAsWritten: true),
            from: limit.origin)
    }
}

extension Policy {
    /// The policy that asks about change alone: no limit at all, built-in ones included, no waiver, nothing expected
    /// and no coverage. Baselines are updated by it: what is missing besides must not hide what got worse.
    public var withoutLimits: Policy {
        var policy = self
        policy.appliesLimits = false
        policy.waivers = []
        policy.expected = []
        return policy
    }
}
