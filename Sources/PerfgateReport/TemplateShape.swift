/// What a name in a template stands for: what a template is checked against before anything is rendered.
indirect enum TemplateShape: Sendable {
    /// Text that is escaped; as a section: where it is there.
    case text
    /// Markup that is inserted as it is.
    case markup
    /// Yes or no.
    case flag
    /// Contexts with these names; as a section: once for each.
    case list([String: TemplateShape])
}

/// What a name in a template is filled with.
enum TemplateValue {
    /// Text that somebody else chose: cleaned here, escaped by the template; `nil` where there is none.
    case text(String?)
    /// Markup, safe by construction; `nil` where there is none.
    case markup(String?)
    /// Yes or no.
    case flag(Bool)
    /// Contexts, one for each time that the section is rendered.
    case list([TemplateContext])
}

/// The names that one level of a template is filled with.
struct TemplateContext: ExpressibleByDictionaryLiteral {
    /// The values by name.
    let values: [String: TemplateValue]

    /// Makes a context of names and values; of a name given twice the last counts.
    init(dictionaryLiteral elements: (String, TemplateValue)...) {
        values = Dictionary(elements) { $1 }
    }
}
