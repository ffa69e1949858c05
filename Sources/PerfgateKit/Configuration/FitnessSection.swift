import PerfgateCompare
import PerfgateModel

/// Reads `fit`: how measurements under unfit conditions are handled.
enum FitnessSection {
    /// The keys of `fit`.
    enum Key: String, YAMLKey {
        case thermalState = "thermal_state"
        case lowPowerMode = "low_power_mode"
        case debugBuild = "debug_build"
        case simulator, charging
        case maxFPS = "max_fps"
        case cpuPercent = "cpu_percent"
        case memoryBytes = "memory_bytes"
        case threads
    }

    /// The thermal states, from the coolest.
    enum ThermalKey: String, YAMLKey {
        case nominal, fair, serious, critical
    }

    /// The keys of an upper bound.
    enum CeilingKey: String, YAMLKey {
        case above, then
    }

    /// The keys of a lower bound.
    enum FloorKey: String, YAMLKey {
        case below, then
    }

    /// The rules; unset keys keep their defaults.
    static func rules(_ value: YAMLValue) -> [FitnessRule] {
        let fields = value.fields(Key.self)
        return Key.allCases.flatMap { key -> [FitnessRule] in
            guard let said = fields[key] else { return FitnessRule.standard.filter { $0.field == key.field } }
            return rules(of: key, said)
        }
    }

    private static func rules(of key: Key, _ value: YAMLValue) -> [FitnessRule] {
        switch key {
        case .thermalState:
            let states = value.fields(ThermalKey.self)
            return ThermalKey.allCases.compactMap { state in
                states[state].flatMap { rule(key, .equals(.text(state.rawValue)), $0) }
            }
        case .lowPowerMode, .simulator, .charging: return [rule(key, .equals(.flag(true)), value)].compactMap(\.self)
        case .debugBuild: return [rule(key, .equals(.text("Debug")), value)].compactMap(\.self)
        case .maxFPS:
            let fields = value.fields(FloorKey.self)
            return bound(fields[.below], fields[.then], of: key, in: value, FloorKey.below, FitnessRule.Test.below)
        case .cpuPercent, .memoryBytes, .threads:
            let fields = value.fields(CeilingKey.self)
            return bound(fields[.above], fields[.then], of: key, in: value, CeilingKey.above, FitnessRule.Test.above)
        }
    }

    private static func rule(_ key: Key, _ test: FitnessRule.Test, _ value: YAMLValue) -> FitnessRule? {
        value.choice(FitnessRule.Action.self).map { FitnessRule(key.field, test, $0, from: value.origin) }
    }

    /// A bound and the action beyond it; default: a warning.
    private static func bound(
        _ bound: YAMLValue?, _ then: YAMLValue?, of key: Key, in value: YAMLValue, _ name: some YAMLKey,
        _ test: (Double) -> FitnessRule.Test
    ) -> [FitnessRule] {
        guard let bound else {
            value.lacks(name, "write the bound, such as { \(name.rawValue): 60, then: warn }")
            return []
        }
        let action = then.map { $0.choice(FitnessRule.Action.self) } ?? .warn
        let number = bound.number("a number, at least 0", "write the bound, like 60") { $0 >= 0 }
        guard let number, let action else { return [] }
        return [FitnessRule(key.field, test(number), action, from: value.origin)]
    }
}

extension FitnessSection.Key {
    /// The field of a `run` or `state` line that the rule checks.
    fileprivate var field: String { self == .debugBuild ? "build" : rawValue }
}
