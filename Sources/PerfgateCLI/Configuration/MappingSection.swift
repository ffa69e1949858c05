/// Reads the entries of `map`.
enum MappingSection {
    /// The keys of an entry.
    enum Key: String, YAMLKey {
        case format, pattern
    }

    /// An entry; `nil` where it has no pattern.
    static func entry(_ value: YAMLValue) -> MappingEntry? {
        let fields = value.fields(Key.self)
        let format = fields[.format]?.text("write the name of a format, as --format takes it")
        guard let pattern = fields[.pattern] else {
            value.lacks(Key.pattern, "write a regular expression such as '^(?<page>\\w+)Tests/'")
            return nil
        }
        return pattern.text("write a regular expression such as '^(?<page>\\w+)Tests/'").map {
            MappingEntry(format: format, pattern: $0, origin: value.origin)
        }
    }
}
