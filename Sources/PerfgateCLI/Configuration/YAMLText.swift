import PerfgateModel

/// Values as YAML writes them so that every reader gets the same back.
enum YAMLText {
    /// A text in double quotes; what a line can't show is escaped.
    static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    /// A field's value: texts in quotes, numbers and flags plain.
    static func text(_ value: FieldValue) -> String {
        if case .text(let text) = value { return quoted(text) }
        return value.description
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case " "..."~": return String(scalar)
        default:
            let isShown = scalar.value > 0xA0 && scalar.value < 0xD800 && !isHidden(scalar)
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return isShown ? String(scalar) : "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        }
    }

    /// Whether a reviewer would not see it as it is: marks of direction, separators of lines, and the like.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator, .control, .unassigned, .privateUse, .surrogate: true
        default: false
        }
    }
}
