import PerfgateModel

/// How a run or an iteration measured under a condition is handled.
package struct FitnessRule: Sendable, Hashable {
    package enum Action: String, Sendable, Hashable, CaseIterable {
        case allow
        case warn
        /// The run is compared and shown, but doesn't gate.
        case show
        /// The run is bad data; if the condition held in one iteration, only that iteration is left out.
        case refuse
    }

    package enum Test: Sendable, Hashable {
        /// The field has this value; case-insensitive.
        case equals(FieldValue)
        case above(Double)
        case below(Double)
    }

    /// The field of a `run` or `state` line.
    package let field: String
    package let test: Test
    package let action: Action
    package let origin: Origin

    package init(_ field: String, _ test: Test, _ action: Action, from origin: Origin = .builtIn) {
        (self.field, self.test, self.action, self.origin) = (field, test, action, origin)
    }

    /// Whether the conditions match; an unknown field never does.
    package func applies(to conditions: Context) -> Bool {
        guard let value = conditions[field] else { return false }
        switch (test, value) {
        case (.equals(let expected), _):
            return value.description.lowercased() == expected.description.lowercased()
        case (.above(let bound), .number(let number)): return number > bound
        case (.below(let bound), .number(let number)): return number < bound
        case (.above, .text), (.above, .flag), (.below, .text), (.below, .flag): return false
        }
    }

    /// The thermal states, from the coolest.
    package static let thermalStates = ["nominal", "fair", "serious", "critical"]

    /// The default rules: doubtful conditions are reported and don't fail.
    package static let standard = [
        FitnessRule("thermal_state", .equals(.text("serious")), .warn),
        FitnessRule("thermal_state", .equals(.text("critical")), .warn),
        FitnessRule("low_power_mode", .equals(.flag(true)), .warn),
        FitnessRule("build", .equals(.text("Debug")), .warn),
    ]
}

extension FitnessRule {
    /// The condition of the measurement, as the end of a sentence.
    package func words(for conditions: Context) -> String {
        let value = conditions[field].map { FitnessRule.text($0) } ?? "unknown"
        switch (field, test) {
        case ("thermal_state", _): return "in the thermal state \(value)"
        case ("low_power_mode", .equals(.flag(true))): return "in low-power mode"
        case ("charging", .equals(.flag(true))): return "while charging"
        case ("simulator", .equals(.flag(true))): return "on a simulator"
        case ("build", _): return "with a \(value) build"
        case (_, .above(let bound)): return "with \(field) \(value), above \(Figure.text(bound))"
        case (_, .below(let bound)): return "with \(field) \(value), below \(Figure.text(bound))"
        case (_, .equals): return "with \(field) \(value)"
        }
    }

    private static func text(_ value: FieldValue) -> String {
        if case .number(let number) = value { return Figure.text(number) }
        return value.description
    }
}

/// A device whose runs are shown but can't fail for a while, because it measures wrongly.
package struct QuarantinedDevice: Sendable, Hashable {
    /// The identifier of the device, from the log's `device_id`.
    package let id: String
    /// The first day on which the quarantine no longer applies.
    package let until: CalendarDay
    package let reason: String
    package let origin: Origin

    package init(id: String, until: CalendarDay, reason: String, from origin: Origin) {
        (self.id, self.until, self.reason, self.origin) = (id, until, reason, origin)
    }

    /// Whether it has ended on a day; without a day it hasn't.
    package func isExpired(on day: CalendarDay?) -> Bool { day.map { $0 >= until } ?? false }
}
