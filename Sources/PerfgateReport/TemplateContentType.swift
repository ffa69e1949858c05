import Mustache

/// How text is escaped in a template; the engine's own HTML looks at whole characters, and a combining mark after `<`
/// would carry it through.
enum TemplateContentType: String, CaseIterable, MustacheContentType {
    /// HTML text and quoted attributes.
    case html = "PERFGATE_HTML"
    /// Markdown of pull requests.
    case markdown = "PERFGATE_MARKDOWN"

    /// The type of a template by its name: `rows.md` is Markdown, everything else HTML.
    static func named(after template: String) -> TemplateContentType {
        template.hasSuffix(".md") ? .markdown : .html
    }

    /// Tells the engine of all types; may be called any number of times.
    static func register() {
        for type in allCases { MustacheContentTypes.register(type, named: type.rawValue) }
    }

    /// What a template begins with to be of this type.
    var pragma: String { "{{% CONTENT_TYPE:\(rawValue)}}" }

    /// The text, safe to stand in this type.
    func escapeText(_ text: String) -> String {
        switch self {
        case .html: HTMLEscape.text(text)
        case .markdown: MarkdownEscape.text(text)
        }
    }
}
