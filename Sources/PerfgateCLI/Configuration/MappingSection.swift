import PerfgateIngest
import PerfgateModel

/// Reads the entries of `map`.
enum MappingSection {
    /// The keys of an entry.
    enum Key: String, YAMLKey {
        case format, pattern
    }

    /// An entry; `nil` where it has no sound pattern.
    static func rule(_ value: YAMLValue) -> MappingRule? {
        let fields = value.fields(Key.self)
        let format = fields[.format].flatMap(format)
        guard let pattern = fields[.pattern] else {
            value.lacks(Key.pattern, advice)
            return nil
        }
        guard let text = pattern.text(advice) else { return nil }
        do {
            return try MappingRule(format: format, pattern: text)
        } catch {
            pattern.report("\(pattern.keyPath): \(error)")
            return nil
        }
    }

    private static let advice = "write a regular expression such as '^(?<page>\\w+)Tests/'"

    private static func format(_ value: YAMLValue) -> String? {
        guard let name = value.text("write the name of a format, as --format takes it") else { return nil }
        guard !IngestOptions.formats.contains(name) else { return name }
        let formats = IngestOptions.formats
        let advice = Suggestion.advice(
            for: name, among: formats, otherwise: "use one of \(formats.joined(separator: ", "))")
        value.report("\(value.keyPath) must be a format that perfgate reads, found \(name): \(advice)")
        return nil
    }
}
