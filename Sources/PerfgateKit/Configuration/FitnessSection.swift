import PerfgateCompare
import PerfgateModel

/// Reads `fit`: how measurements under unfit conditions are handled.
enum FitnessSection {
    private enum Form {
        case thermalStates
        case equals(FieldValue)
        /// A bound of the field, and the action beyond it.
        case above, below
    }

    /// Each key with the field of a `run` or `state` line that it is about.
    private static let keys: [(name: String, field: String, form: Form)] = [
        ("thermal_state", "thermal_state", .thermalStates),
        ("low_power_mode", "low_power_mode", .equals(.flag(true))),
        ("debug_build", "build", .equals(.text("Debug"))),
        ("simulator", "simulator", .equals(.flag(true))),
        ("charging", "charging", .equals(.flag(true))),
        ("max_fps", "max_fps", .below),
        ("cpu_percent", "cpu_percent", .above),
        ("memory_bytes", "memory_bytes", .above),
        ("threads", "threads", .above),
    ]

    /// The rules; unset keys keep their defaults.
    static func rules(_ value: YAMLValue) -> [FitnessRule] {
        value.read { keys in
            Self.keys.flatMap { key in
                keys.value(key.name).map { rules(of: key.field, key.form, $0) }
                    ?? FitnessRule.standard.filter { $0.field == key.field }
            }
        }
    }

    private static func rules(of field: String, _ form: Form, _ value: YAMLValue) -> [FitnessRule] {
        switch form {
        case .thermalStates:
            value.read { keys in
                FitnessRule.thermalStates.flatMap { state in
                    keys.value(state).map { rules(of: field, .equals(.text(state)), $0) } ?? []
                }
            }
        case .equals(let found):
            value.choice(FitnessRule.Action.self).map {
                [FitnessRule(field, .equals(found), $0, from: value.origin)]
            } ?? []
        case .above: bound("above", FitnessRule.Test.above, of: field, value)
        case .below: bound("below", FitnessRule.Test.below, of: field, value)
        }
    }

    /// A bound and the action beyond it; default: a warning.
    private static func bound(
        _ name: String, _ test: (Double) -> FitnessRule.Test, of field: String, _ value: YAMLValue
    ) -> [FitnessRule] {
        value.read { keys in
            let bound = keys.required(name, "write the bound, such as { \(name): 60, then: warn }")
            let then = keys.value("then")
            guard let bound else { return [] }
            let action = then.map { $0.choice(FitnessRule.Action.self) } ?? .warn
            let number = bound.number(atLeast: 0, "write the bound, like 60")
            guard let number, let action else { return [] }
            return [FitnessRule(field, test(number), action, from: value.origin)]
        }
    }
}
