import Mustache

extension TemplateContext: MustacheParent {
    /// What the engine shows under a name; an absent value hides a value of the same name further out.
    func child(named name: String) -> Any? {
        guard let value = values[name] else { return nil }
        switch value {
        case .text(let text): return text.map { CleanText.clean($0) as Any } ?? Absent()
        case .markup(let markup): return markup.map { $0 as Any } ?? Absent()
        case .flag(let flag): return flag
        case .list(let contexts): return contexts
        }
    }

    /// Nothing, told to the engine.
    private struct Absent: MustacheCustomRepresentation {
        var representation: Any? { nil }
    }
}
