/// Why a report could not be rendered, or read back.
public enum ReportError: Error, Hashable, Sendable {
    /// There is no memory for it.
    case outOfMemory
    /// libxml2 could not write a part of it.
    case xml
    /// The JSON isn't a report: where, as line, column and JSON pointer (RFC 6901), what is wrong and what to do.
    case json(line: Int, column: Int, pointer: String, problem: String)
    /// The bytes are something else altogether: what they look like.
    case otherFormat(String)
}

extension ReportError {
    /// Whether the description begins with line and column, to be put right behind a path and a colon.
    public var isPlaced: Bool {
        guard case .json = self else { return false }
        return true
    }
}

extension ReportError: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .outOfMemory: "There is not enough memory for the report. Give the job more."
        case .xml: "libxml2 could not write the JUnit report. Please report this with the input."
        case .json(let line, let column, let pointer, let problem):
            "\(line):\(column): \(pointer.isEmpty ? "the report" : pointer): \(problem)"
        case .otherFormat(let look):
            "this is \(look), not a report; give the file that `perfgate check --json FILE` wrote"
        }
    }
}
