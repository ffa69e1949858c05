/// Why a report could not be rendered.
public enum ReportError: Error, Hashable, Sendable {
    /// There is no memory for it.
    case outOfMemory
    /// libxml2 could not write a part of it.
    case xml
}

extension ReportError: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .outOfMemory: "There is not enough memory for the report. Give the job more."
        case .xml: "libxml2 could not write the JUnit report. Please report this with the input."
        }
    }
}
