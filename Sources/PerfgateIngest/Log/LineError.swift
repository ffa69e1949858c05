import PerfgateJSON

/// Why a line can't be used.
enum LineError: Error {
    /// It isn't JSON, or a value is of the wrong kind.
    case syntax(JSONError)
    /// It lacks a field that its type needs.
    case lacks(String)
    /// A field has a value that it can't have.
    case invalid(String, String)

    /// Whether the line isn't even JSON, as where it was cut.
    var isSyntax: Bool {
        if case .syntax = self { true } else { false }
    }

    /// One sentence.
    var message: String {
        switch self {
        case .syntax(let error): "The line can't be read: \(error)."
        case .lacks(let field): "The line has no \"\(field)\", which its type needs."
        case .invalid(let field, let problem): "\"\(field)\" \(problem)."
        }
    }
}
