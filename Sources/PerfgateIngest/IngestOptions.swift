import PerfgateJSON
import PerfgateModel

package struct IngestOptions: Sendable {
    /// A required field value of lines, such as `network=wifi`.
    package struct Condition: Sendable, Hashable {
        package let field: String
        package let value: String

        package init(field: String, value: String) { (self.field, self.value) = (field, value) }
    }

    package var environmentKey = EnvironmentKey.standard
    /// The units and directions that measurements must not contradict.
    package var known = KnownMetrics()
    /// The conditions from the command line, used if the log has none.
    package var context = Context()
    /// The page of lines without one; `nil`: they are dropped and reported with their number.
    package var defaultPage: String?
    /// The conditions that all lines must meet; empty: use all lines.
    package var conditions: [Condition] = []
    /// The number of unreadable lines allowed before a run is bad data; at least 0.
    package var badLines = 0
    /// The format of every input by name; `nil`: detected.
    package var format: String?
    /// The mapping of other tools' tests, tables and processes to pages; the first matching rule applies.
    package var mapping: [MappingRule] = []

    package init() {}
}

/// Why an input could not be read.
package enum IngestError: Error, Hashable, Sendable {
    /// The path doesn't exist or can't be opened; with the system's reason.
    case cannotOpen(reason: String)
    case cannotRead(reason: String)
    case damagedGzip
    case truncatedGzip
    /// The text is UTF-16 with an incomplete character.
    case damagedUTF16
    /// A file of another tool has more than this many bytes of text.
    case tooLarge(limit: Int)
    /// The format is unknown; with a description, and the known formats' names.
    case unknownFormat(looksLike: String, known: [String])
    /// The format contains no data for perfgate; with the format, and advice.
    case ignoredFormat(String, advice: String)
    /// The requested format doesn't exist; with the known formats' names.
    case noSuchFormat(String, known: [String])
    /// The file breaks the rules of its format; with the line, from 1, and the problem.
    case malformed(line: Int?, problem: String)
    /// The file is valid but unusable; a sentence that ends with advice.
    case refused(reason: String)

    package var fault: FaultyInput.Fault { if case .cannotOpen = self { .notFound } else { .badData } }

    /// A document of another tool with an invalid value.
    init(_ error: JSONDocumentError) {
        self = .malformed(line: error.location.line, problem: "\(error.path): \(error.problem)")
    }
}

extension IngestError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotOpen(let reason): "It can't be opened (\(reason)). Check the path."
        case .cannotRead(let reason): "Reading it failed (\(reason)). Run again."
        case .damagedGzip: "Its gzip data is damaged. Copy it again from where it was written."
        case .truncatedGzip: "Its gzip data ends too early. Copy it again from where it was written."
        case .damagedUTF16: "It is UTF-16 with half a character in it. Copy it again from where it was written."
        case .tooLarge(let limit): "It holds more than \(limit) bytes of text. Export less of it at a time."
        case .unknownFormat(let kind, let known):
            "It is \(kind), in none of the formats \(known.joined(separator: ", ")). Check which file was given."
        case .ignoredFormat(let title, let advice): "It is one of the \(title). \(advice)"
        case .noSuchFormat(let name, let known):
            "No format is called \(name). Use one of \(known.joined(separator: ", "))."
        case .malformed(let line, let problem):
            "It can't be read\(line.map { " (line \($0))" } ?? ""): \(problem). Export it again."
        case .refused(let reason): reason
        }
    }
}
