import PerfgateModel

extension FitnessRule {
    /// Under which condition it was measured, as the end of a sentence.
    public func words(for conditions: Context) -> String {
        let value = conditions[field].map { FitnessRule.text($0) } ?? "unknown"
        switch (field, test) {
        case ("thermal_state", _): return "in the thermal state \(value)"
        case ("low_power_mode", .equals(.flag(true))): return "in low-power mode"
        case ("charging", .equals(.flag(true))): return "while charging"
        case ("simulator", .equals(.flag(true))): return "on a simulator"
        case ("build", _): return "with a \(value) build"
        case (_, .above(let bound)): return "with \(field) \(value), above \(Figure.text(bound))"
        case (_, .below(let bound)): return "with \(field) \(value), below \(Figure.text(bound))"
        default: return "with \(field) \(value)"
        }
    }

    private static func text(_ value: FieldValue) -> String {
        if case .number(let number) = value { return Figure.text(number) }
        return value.description
    }
}
