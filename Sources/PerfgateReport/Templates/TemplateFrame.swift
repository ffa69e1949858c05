import Mustache
import PerfgateModel

enum TemplateFrame: String, CaseIterable {
    /// The pull-request comment and the job summary.
    case markdown = "report.md"
    case html = "report.html"
    /// The graphs by day or run.
    case trend = "trend.html"

    var shape: [String: TemplateShape] {
        let texts = TemplateShape.list(["text": .text])
        let rows = TemplateShape.list([
            "verdict": .text, "page": .text, "environment": .text, "metric": .text, "others": .text, "place": .markup,
            "values": .text, "history": .text, "owner": .text, "leads": texts,
        ])
        return switch self {
        case .markdown:
            [
                "id": .markup, "headline": .text, "notes": texts, "faults": texts, "counts": .text, "link": .markup,
                "sides": .text, "worse": .list(["rows": rows, "more": .text]),
                "next": .list([
                    "fence": .markup, "steps": .list(["purpose": .markup, "command": .markup]), "left": .text,
                ]),
                "groups": .list(["title": .markup, "is_open": .flag, "rows": rows]),
                "lists": .list(["title": .markup, "items": texts]),
            ]
        case .html:
            [
                "style_sheet": .markup, "title": .text, "headline": .text, "outcome": .markup, "verdict": .text,
                "tool": .text, "exit_code": .text, "findings": .markup, "pages": .markup, "details": .markup,
                "facts": .list(["is_first": .flag, "text": .text, "link": .text]),
            ]
        case .trend:
            [
                "style_sheet": .markup, "script": .markup, "script_hash": .markup, "data": .markup, "title": .text,
                "headline": .text, "dated_headline": .markup, "outcome": .markup, "facts": .text,
                "dated_facts": .markup, "notes": texts,
                "changes": .list([
                    "cards": .markup, "more": .markup, "more_count": .text, "of_days": .flag, "has_releases": .flag,
                    "has_worse": .flag, "has_better": .flag, "has_other": .flag, "has_gap": .flag,
                ]),
                "groups": .list([
                    "name": .text, "about": .text, "frame": .markup, "table": .markup, "noun": .text, "week": .text,
                    "pages": .markup, "passing": .list(["items": texts]),
                    "runs": .list(["rows": .list(["run": .text, "start": .text, "commit": .text, "version": .text])]),
                ]),
            ]
        }
    }
}

/// The kind of a name in a template, against which templates are checked before rendering.
indirect enum TemplateShape: Sendable {
    /// Escaped text; as a section: if it is present.
    case text
    /// Markup that is inserted unchanged.
    case markup
    case flag
    /// Contexts with these names; as a section: once for each.
    case list([String: TemplateShape])
}

enum TemplateValue {
    /// Untrusted text: cleaned here, escaped by the template; `nil` if absent.
    case text(String?)
    /// Markup, safe by construction; `nil` if absent.
    case markup(String?)
    case flag(Bool)
    /// Contexts, one per rendering of the section.
    case list([TemplateContext])
}

/// The names and values at one level of a template.
struct TemplateContext: ExpressibleByDictionaryLiteral, MustacheParent {
    let values: [String: TemplateValue]

    /// Makes a context of names and values; for a repeated name the last counts.
    init(dictionaryLiteral elements: (String, TemplateValue)...) { values = Dictionary(elements) { $1 } }

    /// The value that the engine uses for a name; an absent value hides an outer value of the same name.
    func child(named name: String) -> Any? {
        guard let value = values[name] else { return nil }
        switch value {
        case .text(let text): return Shown(text: text.map(CleanText.clean))
        case .markup(let markup): return Shown(text: markup)
        case .flag(let flag): return flag
        case .list(let contexts): return contexts
        }
    }

    /// A text for the engine, which looks for this protocol first; for the others it searches slowly.
    private struct Shown: MustacheCustomRenderable, MustacheParent {
        let text: String?

        var renderText: String { text ?? "" }
        var isNull: Bool { text == nil }

        /// A text has no names; those of the context count.
        func child(named name: String) -> Any? { nil }
    }
}

/// How a template escapes text. The engine's own HTML escaping works on whole characters, so a combining mark after
/// `<` would pass it through.
enum TemplateContentType: String, CaseIterable, MustacheContentType {
    /// HTML content and quoted attributes.
    case html = "PERFGATE_HTML"
    case markdown = "PERFGATE_MARKDOWN"

    /// The type of a template by its name: `rows.md` is Markdown, everything else HTML.
    static func named(after template: String) -> TemplateContentType { template.hasSuffix(".md") ? .markdown : .html }

    /// Registers all types with the engine; may be called repeatedly.
    static func register() { for type in allCases { MustacheContentTypes.register(type, named: type.rawValue) } }

    /// The first line of a template of this type.
    var pragma: String { "{{% CONTENT_TYPE:\(rawValue)}}" }

    func escapeText(_ text: String) -> String {
        switch self {
        case .html: HTMLEscape.text(text)
        case .markdown: MarkdownEscape.text(text)
        }
    }
}

struct TemplateTag: Equatable {
    enum Kind: Equatable {
        /// `{{name}}`, which is escaped; `{{{name}}}` or `{{&name}}`, which isn't.
        case text, markup
        /// `{{#name}}`, `{{^name}}`, `{{/name}}`, and `{{> name}}`.
        case section, inverted, end, part
        /// Anything else except a comment, with its first character.
        case unsupported(Character)
    }

    let kind: Kind
    /// The name in it, without surrounding white space.
    let name: String
    /// The place of its first brace, from 1; columns are characters.
    let line, column: Int

    /// The tags of a template in order, without comments; the engine reports an unfinished tag.
    static func all(in template: String) -> [TemplateTag] {
        var tags: [TemplateTag] = []
        var line = 1
        var column = 1
        var rest = template[...]
        func pass(_ text: Substring) {
            line += text.count { $0 == "\n" }
            column = text.lastIndex(of: "\n").map { text[$0...].count } ?? column + text.count
        }
        while let (before, after) = split(rest, at: "{{"), let (inside, next) = split(after, at: "}}") {
            pass(before)
            if let tag = TemplateTag(inside: inside, line: line, column: column) { tags.append(tag) }
            let end = next.first == "}" && inside.first == "{" ? next.dropFirst() : next
            pass(rest[before.endIndex..<end.startIndex])
            rest = end
        }
        return tags
    }

    private init?(inside: Substring, line: Int, column: Int) {
        guard let mark = inside.first, mark != "!" else { return nil }
        let kinds: [Character: Kind] = [
            "{": .markup, "&": .markup, "#": .section, "^": .inverted, "/": .end, ">": .part,
        ]
        let marks: Set<Character> = ["=", "<", "$", "%", "*"]
        kind = kinds[mark] ?? (marks.contains(mark) ? .unsupported(mark) : .text)
        let name = kind == .text ? inside : inside.dropFirst()
        self.name = String(name.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        (self.line, self.column) = (line, column)
    }

    private static func split(_ text: Substring, at mark: String) -> (Substring, Substring)? {
        guard let range = text.firstRange(of: mark) else { return nil }
        return (text[..<range.lowerBound], text[range.upperBound...])
    }
}

package struct TemplateError: Error, Equatable, CustomStringConvertible {
    package enum Cause: Equatable, Sendable {
        case unreadable
        /// The message of the template engine.
        case syntax(String)
        /// The name of a part that is neither built in nor in the folder, or that includes itself, also through others.
        case missingPart(String), circularPart(String)
        /// A list's section is within itself, so the text would multiply with each level.
        case repeatedList(String)
        case unknownName(String, known: [String])
        /// The name has the wrong braces, or is that of a list or a flag.
        case unescapedText(String), escapedMarkup(String), notText(String)
        /// The beginning of the tag.
        case unsupportedTag(String)
        case tooMuch(TemplateLimit)
    }

    package let cause: Cause
    /// The template's path, or its name if it is built in.
    package let path: String
    /// The line and the column in characters, from 1; `nil` for the whole file.
    package let line, column: Int?

    package init(_ cause: Cause, path: String, line: Int? = nil, column: Int? = nil) {
        (self.cause, self.path, self.line, self.column) = (cause, path, line, column)
    }

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
