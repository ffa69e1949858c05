import PerfgateCompare
import PerfgateModel

extension WaiverFile {
    /// The file's text with more waivers at its end; what is there stays as it was written.
    func adding(_ more: [Waiver], key: EnvironmentKey) throws(CommandError) -> String {
        let entries = more.flatMap { Self.lines($0) }.map { $0 + "\n" }.joined()
        let result = beginning + entries
        guard let read = try? WaiverFile(Array(result.utf8), path: path, key: key),
            read.waivers.map(\.content) == (waivers + more).map(\.content)
        else {
            throw CommandError(
                status: .badConfiguration,
                description: "\(path): nothing can be added at its end. Make `waivers:` its last key, with one entry "
                    + "a `- ` below it, or add these lines yourself:\n\(entries)")
        }
        return result
    }

    /// The entry of a waiver, as a list below `waivers:` has it.
    static func lines(_ waiver: Waiver) -> [String] {
        let fields = waiver.environment.sorted { $0.key.precedesInUTF8($1.key) }
            .map { "\($0): \(YAMLText.text($1))" }.joined(separator: ", ")
        return [
            "  - page: \(YAMLText.quoted(waiver.page.name))", "    metric: \(YAMLText.quoted(waiver.metric))",
            fields.isEmpty ? nil : "    environment: { \(fields) }",
            "    ceiling: \(FieldValue.number(waiver.ceiling))",
            "    until: \(waiver.until)", "    reason: \(YAMLText.quoted(waiver.reason))",
            waiver.link.map { "    link: \(YAMLText.quoted($0))" },
        ].compactMap(\.self)
    }

    /// What stands before the first new entry.
    private var beginning: String {
        guard !text.allSatisfy(\.isWhitespace) else {
            return "# Pages that may be worse for a while. Each entry ends, and is reviewed like code.\n"
                + "schema: \(Self.schema)\nwaivers:\n"
        }
        let whole = text.last?.isNewline == true ? text : text + "\n"
        return waivers.isEmpty ? whole.replacing("\nwaivers: []\n", with: "\nwaivers:\n") : whole
    }
}

extension Waiver {
    /// The waiver without the place where it stands.
    fileprivate var content: Waiver {
        Waiver(
            page: page, metric: metric, environment: environment, ceiling: ceiling, until: until, reason: reason,
            link: link, from: .builtIn)
    }
}
