/// Something that a person should know about an input: a value, collected and repeated in every report.
public struct Diagnostic: Sendable, Hashable {
    /// How much it matters.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Something is missing or wrong: what it concerns counts as bad data.
        case error
        /// Something is doubtful; the measurement stands.
        case warning
        /// Something worth knowing.
        case note
    }

    /// The stable code.
    public let code: DiagnosticCode
    /// How much it matters.
    public let severity: Severity
    /// The file it is about, as it was named; `nil` where it is about no file.
    public let path: String?
    /// The line in it, from 1; `nil` where it is about the whole file.
    public let line: Int?
    /// One sentence, without the location; its last clause says what to do where something can be done.
    public let message: String

    /// Makes a diagnostic; the severity is the code's own where none is given.
    public init(
        _ code: DiagnosticCode, severity: Severity? = nil, path: String? = nil, line: Int? = nil, _ message: String
    ) {
        self.code = code
        self.severity = severity ?? code.severity
        self.path = path
        self.line = line
        self.message = message
    }

    /// The location as compilers write it: `run.ndjson:17`; `nil` where there is none.
    public var location: String? {
        guard let path else { return nil }
        return line.map { "\(path):\($0)" } ?? path
    }
}

extension Diagnostic: Comparable {
    /// By path, line, code, then message.
    public static func < (lhs: Diagnostic, rhs: Diagnostic) -> Bool {
        if lhs.path != rhs.path { return (lhs.path ?? "").precedesInUTF8(rhs.path ?? "") }
        if lhs.line != rhs.line { return (lhs.line ?? 0) < (rhs.line ?? 0) }
        if lhs.code != rhs.code { return lhs.code.rawValue < rhs.code.rawValue }
        return lhs.message.precedesInUTF8(rhs.message)
    }
}
