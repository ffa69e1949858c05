/// Why a report could not be rendered or read.
package enum ReportError: Error, Hashable, Sendable {
    /// There isn't enough memory.
    case outOfMemory
    /// libxml2 could not write a part of it.
    case xml
    /// The JSON isn't a report: line, column and JSON pointer (RFC 6901), the problem and advice.
    case json(line: Int, column: Int, pointer: String, problem: String)
    /// The bytes aren't JSON of a report: a description of them.
    case otherFormat(String)
}

extension ReportError {
    /// Whether the description starts with line and column, so it can follow a path and a colon.
    package var isPlaced: Bool {
        guard case .json = self else { return false }
        return true
    }
}

extension ReportError: CustomStringConvertible {
    /// The problem and advice.
    package var description: String {
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

package struct TemplateError: Error, Equatable {
    /// The possible problems.
    package enum Cause: Equatable, Sendable {
        /// The file can't be read as UTF-8 text.
        case unreadable
        /// The template engine doesn't understand a tag; the payload is its message.
        case syntax(String)
        /// An included part is neither built in nor in the folder.
        case missingPart(String)
        /// A part includes itself, directly or through others.
        case circularPart(String)
        /// A list's section is within itself, so the text would multiply with each level.
        case repeatedList(String)
        /// A name has no value there; the payload is the name and the known names.
        case unknownName(String, known: [String])
        /// `{{{…}}}` or `{{&…}}` around untrusted text, which would not be escaped.
        case unescapedText(String)
        /// `{{…}}` around markup, which would be escaped.
        case escapedMarkup(String)
        /// `{{…}}` around a list or a flag.
        case notText(String)
        /// A tag that these templates don't support; the payload is its beginning.
        case unsupportedTag(String)
        /// The template exceeds a limit.
        case tooMuch(TemplateLimit)
    }

    package let cause: Cause
    /// The template's path, or its name if it is built in.
    package let path: String
    /// The line, from 1; `nil` for the whole file.
    package let line: Int?
    /// The column in characters, from 1; `nil` for the whole file.
    package let column: Int?

    package init(_ cause: Cause, path: String, line: Int? = nil, column: Int? = nil) {
        (self.cause, self.path, self.line, self.column) = (cause, path, line, column)
    }
}

extension TemplateError: CustomStringConvertible {
    /// The location in compiler format, the problem and advice.
    package var description: String {
        let place = [path] + [line, column].compactMap { $0.map(String.init) }
        return place.joined(separator: ":") + ": " + sentence
    }

    private var sentence: String {
        switch cause {
        case .unreadable: "the template can't be read as UTF-8 text; check the file and its permissions"
        case .syntax(let word): "the tag can't be read (\(word)); close it, or each section with its own name"
        case .missingPart(let name):
            "there is no template '\(name)' to include; add \(name).mustache to the folder, or correct the name"
        case .circularPart(let name): "the template '\(name)' includes itself; remove one of the inclusions"
        case .repeatedList(let name): "the section '\(name)' is within itself; remove the inner one"
        case .unknownName(let name, let known):
            "nothing is called '\(name)' here; use one of " + known.joined(separator: ", ")
        case .unescapedText(let name): "'\(name)' is text and must be escaped; write {{\(name)}}"
        case .escapedMarkup(let name): "'\(name)' is finished markup; write {{{\(name)}}}"
        case .notText(let name): "'\(name)' is not a text; write it as a section, {{#\(name)}}…{{/\(name)}}"
        case .unsupportedTag(let tag):
            "tags that begin with '\(tag)' aren't allowed in these templates; use variables, sections and parts"
        case .tooMuch(let limit): "there are more than \(limit.rawValue) \(limit.words); write a simpler template"
        }
    }
}

/// The limits of a template, so none uses all memory or time.
package enum TemplateLimit: Int, Sendable {
    case bytes = 1_000_000
    case tags = 5_000
    /// Nested sections and parts.
    case depth = 50
    /// Included parts of a report, counting repeats.
    case parts = 1_000

    fileprivate var words: String {
        switch self {
        case .bytes: "bytes in the file"
        case .tags: "tags in the file"
        case .depth: "nested sections or parts"
        case .parts: "included parts, counting repeats"
        }
    }
}
