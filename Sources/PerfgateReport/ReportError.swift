/// Why a report could not be rendered, or read back.
package enum ReportError: Error, Hashable, Sendable {
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
    package var isPlaced: Bool {
        guard case .json = self else { return false }
        return true
    }
}

extension ReportError: CustomStringConvertible {
    /// What is wrong, and what to do.
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

/// What is wrong with a template, and where.
package struct TemplateError: Error, Equatable {
    /// What is wrong.
    package enum Cause: Equatable, Sendable {
        /// The file can't be read as UTF-8 text.
        case unreadable
        /// The template engine doesn't understand a tag; the payload is its word for it.
        case syntax(String)
        /// A part is included that is neither built in nor in the folder.
        case missingPart(String)
        /// A part includes itself, directly or through others.
        case circularPart(String)
        /// A name is used that nothing fills there; the payload is the name and the names that are filled.
        case unknownName(String, known: [String])
        /// `{{{…}}}` or `{{&…}}` around text that somebody else chose, which would then not be escaped.
        case unescapedText(String)
        /// `{{…}}` around markup, which would then be escaped.
        case escapedMarkup(String)
        /// `{{…}}` around a list or a yes or no.
        case notText(String)
        /// A tag that these templates don't have; the payload is its beginning.
        case unsupportedTag(String)
        /// There is more of something than a template may have.
        case tooMuch(TemplateLimit)
    }

    /// What is wrong.
    package let cause: Cause
    /// The template's file: its path, or its name where it is built in.
    package let path: String
    /// The line, from 1; `nil` where it is the whole file.
    package let line: Int?
    /// The column in characters, from 1; `nil` where it is the whole file.
    package let column: Int?

    /// Makes an error of its parts.
    package init(_ cause: Cause, path: String, line: Int? = nil, column: Int? = nil) {
        self.cause = cause
        self.path = path
        self.line = line
        self.column = column
    }
}

extension TemplateError: CustomStringConvertible {
    /// The location as compilers write it, what is wrong, and what to do.
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
        case .circularPart(let name): "the template '\(name)' includes itself; take one of the inclusions out"
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

/// What a template may have at most, so that none takes all memory or time.
package enum TemplateLimit: Int, Sendable {
    /// Bytes of one file.
    case bytes = 1_000_000
    /// Tags of one file.
    case tags = 5_000
    /// Sections and parts within each other.
    case depth = 50
    /// Parts that a report includes, each time counted.
    case parts = 1_000

    fileprivate var words: String {
        switch self {
        case .bytes: "bytes in the file"
        case .tags: "tags in the file"
        case .depth: "sections or parts within each other"
        case .parts: "parts included, each time counted"
        }
    }
}
