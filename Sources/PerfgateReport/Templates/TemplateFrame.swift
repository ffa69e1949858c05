import Mustache
import PerfgateModel

/// The top-level templates of a report.
enum TemplateFrame: String, CaseIterable {
    /// The pull-request comment and the job summary.
    case markdown = "report.md"
    case html = "report.html"
    /// The graphs by day or run.
    case trend = "trend.html"

    var shape: [String: TemplateShape] {
        switch self {
        case .markdown: Self.markdownShape
        case .html: Self.htmlShape
        case .trend: Self.trendShape
        }
    }

    private static let markdownShape: [String: TemplateShape] = [
        "id": .markup, "headline": .text, "notes": texts, "faults": texts,
        "worse": .list(["rows": rows, "more": .text]),
        "next": .list([
            "fence": .markup, "steps": .list(["purpose": .markup, "command": .markup]), "left": .text,
        ]),
        "groups": .list(["title": .markup, "is_open": .flag, "rows": rows]),
        "lists": .list(["title": .markup, "items": texts]),
        "counts": .text, "link": .markup, "sides": .text,
    ]

    private static let texts: TemplateShape = .list(["text": .text])

    private static let rows: TemplateShape = .list([
        "verdict": .text, "page": .text, "environment": .text, "metric": .text, "others": .text, "place": .markup,
        "values": .text, "history": .text, "owner": .text, "leads": texts,
    ])

    private static let htmlShape: [String: TemplateShape] = [
        "style_sheet": .markup, "title": .text, "headline": .text, "outcome": .markup, "verdict": .text, "tool": .text,
        "exit_code": .text, "facts": .list(["is_first": .flag, "text": .text, "link": .text]),
        "findings": .markup, "pages": .markup, "details": .markup,
    ]

    private static let trendShape: [String: TemplateShape] = [
        "style_sheet": .markup, "title": .text, "headline": .text, "outcome": .markup, "tool": .text, "notes": texts,
        "legend": .text,
        "groups": .list([
            "name": .text, "extent": .text, "verdict": .text, "frame": .markup,
            "adoption": .list([
                "plot": .markup,
                "rows": .list(["release": .text, "first": .text, "share": .text, "peak": .text]),
            ]),
            "runs": .list(["rows": .list(["run": .text, "start": .text, "commit": .text, "version": .text])]),
            "findings": .list(finding), "passing": .list(["items": .list(finding)]),
            "lines": .list(["sample": .markup, "name": .text]),
            "contents": .list([
                "count": .text,
                "items": .list(["anchor": .markup, "page": .text, "class": .markup, "verdict": .text]),
            ]),
            "pages": .list(["anchor": .markup, "page": .text, "graphs": .markup]),
        ]),
    ]

    private static let finding: [String: TemplateShape] = [
        "heading": .text, "changes": .list(["class": .markup, "anchor": .markup, "text": .text]), "more": .text,
        "search": .text,
    ]
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
struct TemplateContext: ExpressibleByDictionaryLiteral {
    let values: [String: TemplateValue]

    /// Makes a context of names and values; for a repeated name the last counts.
    init(dictionaryLiteral elements: (String, TemplateValue)...) {
        values = Dictionary(elements) { $1 }
    }
}

/// How a template escapes text. The engine's own HTML escaping works on whole characters, so a combining mark after
/// `<` would pass it through.
enum TemplateContentType: String, CaseIterable, MustacheContentType {
    /// HTML content and quoted attributes.
    case html = "PERFGATE_HTML"
    /// Markdown of pull requests.
    case markdown = "PERFGATE_MARKDOWN"

    /// The type of a template by its name: `rows.md` is Markdown, everything else HTML.
    static func named(after template: String) -> TemplateContentType {
        template.hasSuffix(".md") ? .markdown : .html
    }

    /// Registers all types with the engine; may be called repeatedly.
    static func register() {
        for type in allCases { MustacheContentTypes.register(type, named: type.rawValue) }
    }

    /// The first line of a template of this type.
    var pragma: String { "{{% CONTENT_TYPE:\(rawValue)}}" }

    func escapeText(_ text: String) -> String {
        switch self {
        case .html: HTMLEscape.text(text)
        case .markdown: MarkdownEscape.text(text)
        }
    }
}

extension TemplateContext: MustacheParent {
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

struct TemplateTag: Equatable {
    /// What the tag does.
    enum Kind: Equatable {
        /// `{{name}}`: escaped.
        case text
        /// `{{{name}}}` or `{{&name}}`: unchanged.
        case markup
        /// `{{#name}}`.
        case section
        /// `{{^name}}`.
        case inverted
        /// `{{/name}}`.
        case end
        /// `{{> name}}`.
        case part
        /// Anything else except a comment, with its first character.
        case unsupported(Character)
    }

    let kind: Kind
    /// The name in it, without surrounding white space.
    let name: String
    /// The line of its first brace, from 1.
    let line: Int
    /// The column of its first brace in characters, from 1.
    let column: Int

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
