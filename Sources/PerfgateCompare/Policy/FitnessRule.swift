import PerfgateModel

/// What becomes of a run, or of an iteration, that was measured under a condition.
package struct FitnessRule: Sendable, Hashable {
    /// What becomes of it.
    package enum Action: String, Sendable, Hashable, CaseIterable {
        /// It is judged like any other.
        case allow
        /// It is judged, and a warning says so.
        case warn
        /// The run is compared and shown, and gates nothing.
        case show
        /// The run is bad data; of a condition that held in one iteration only that iteration is left out.
        case refuse
    }

    /// When it applies.
    package enum Test: Sendable, Hashable {
        /// The field has this value; texts in upper or lower case.
        case equals(FieldValue)
        /// The field is a number above this one.
        case above(Double)
        /// The field is a number below this one.
        case below(Double)
    }

    /// The field of a `run` or `state` line.
    package let field: String
    /// When it applies.
    package let test: Test
    /// What happens then.
    package let action: Action
    /// Where it was configured.
    package let origin: Origin

    /// Makes a rule of its parts.
    package init(_ field: String, _ test: Test, _ action: Action, from origin: Origin = .builtIn) {
        self.field = field
        self.test = test
        self.action = action
        self.origin = origin
    }

    /// Whether the conditions are those that it is about; an unknown field never is.
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

    /// The thermal states that a device knows, from the coolest.
    package static let thermalStates = ["nominal", "fair", "serious", "critical"]

    /// What holds where the configuration says nothing: doubt is told, and fails nothing.
    package static let standard = [
        FitnessRule("thermal_state", .equals(.text("serious")), .warn),
        FitnessRule("thermal_state", .equals(.text("critical")), .warn),
        FitnessRule("low_power_mode", .equals(.flag(true)), .warn),
        FitnessRule("build", .equals(.text("Debug")), .warn),
    ]
}

extension FitnessRule {
    /// Under which condition it was measured, as the end of a sentence.
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
