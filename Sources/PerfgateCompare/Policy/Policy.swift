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
