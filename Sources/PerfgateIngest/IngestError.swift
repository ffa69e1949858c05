import PerfgateJSON
import PerfgateModel

/// Why an input could not be read.
public enum IngestError: Error, Hashable, Sendable {
    /// There is nothing at the path, or it can't be opened; with the system's reason.
    case cannotOpen(reason: String)
    /// Reading failed in the middle, with the system's reason.
    case cannotRead(reason: String)
    /// The compressed data is damaged.
    case damagedGzip
    /// The compressed data ends too early.
    case truncatedGzip
    /// The text is UTF-16 with half a character in it.
    case damagedUTF16
    /// A file of another tool holds more text than a number of bytes.
    case tooLarge(limit: Int)
    /// The file is in no format that perfgate reads; with what it looks like, and the formats' names.
    case unknownFormat(looksLike: String, known: [String])
    /// No format has the name that was asked for; with the formats' names.
    case noSuchFormat(String, known: [String])
    /// The file breaks the rules of its format; with the line, from 1, and what is wrong.
    case malformed(line: Int?, problem: String)
    /// The file is sound, and still can't be used; a sentence that ends in what to do.
    case refused(reason: String)

    /// What it counts as.
    var fault: FaultyInput.Fault {
        if case .cannotOpen = self { .notFound } else { .badData }
    }

    /// A document of another tool that isn't what it should be.
    init(_ error: JSONDocumentError) {
        self = .malformed(line: error.location.line, problem: "\(error.path): \(error.problem)")
    }
}

extension IngestError: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .cannotOpen(let reason): "It can't be opened (\(reason)). Check the path."
        case .cannotRead(let reason): "Reading it failed (\(reason)). Run again."
        case .damagedGzip: "Its gzip data is damaged. Copy it again from where it was written."
        case .truncatedGzip: "Its gzip data ends too early. Copy it again from where it was written."
        case .damagedUTF16: "It is UTF-16 with half a character in it. Copy it again from where it was written."
        case .tooLarge(let limit): "It holds more than \(limit) bytes of text. Export less of it at a time."
        case .unknownFormat(let kind, let known):
            "It is \(kind), in none of the formats \(known.joined(separator: ", ")). Check which file was given."
        case .noSuchFormat(let name, let known):
            "No format is called \(name). Use one of \(known.joined(separator: ", "))."
        case .malformed(let line, let problem):
            "It can't be read\(line.map { " (line \($0))" } ?? ""): \(problem). Export it again."
        case .refused(let reason): reason
        }
    }
}
