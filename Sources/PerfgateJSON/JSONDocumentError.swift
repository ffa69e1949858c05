/// Why a document can't be read, or isn't what the caller expects, and where.
public struct JSONDocumentError: Error, Hashable, Sendable {
    /// What is wrong.
    public let problem: Problem
    /// The value that is wrong, or lacks something.
    public let path: JSONPath
    /// Where it stands.
    public let location: JSONLocation

    /// What can be wrong.
    public enum Problem: Hashable, Sendable {
        /// The text breaks JSON's grammar, or a value is of another kind or size than the one asked for.
        case syntax(JSONError.Kind)
        /// An object lacks a key.
        case missingKey(String)
        /// An array is too short for an index.
        case missingElement(Int)
        /// A rule of the caller's, in words that end in what to do.
        case rule(String)
    }
}

extension JSONDocumentError: CustomStringConvertible {
    /// The error as `line:column: path: what is wrong; what to do`, to be put behind the file's path.
    public var description: String { "\(location): \(path): \(problem)" }
}

extension JSONDocumentError.Problem: CustomStringConvertible {
    /// What is wrong and what to do, without the place.
    public var description: String {
        switch self {
        case .syntax(let kind): kind.description
        case .missingKey(let key): "has no key \(JSONWriter.quoted(key)); add it"
        case .missingElement(let index): "has no element \(index); add it"
        case .rule(let text): text
        }
    }
}
