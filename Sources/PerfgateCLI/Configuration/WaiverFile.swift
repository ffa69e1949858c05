import Foundation
import PerfgateCompare
import PerfgateModel

/// The file with the waivers, which is reviewed like code.
struct WaiverFile {
    /// The keys of the file.
    enum Key: String, YAMLKey {
        case schema, waivers
    }

    /// The path, as it was named.
    let path: String
    /// The whole text; empty where there is no file.
    let text: String
    /// The waivers in their order.
    let waivers: [Waiver]

    /// The version of the form that this program reads.
    static let schema = 1
    /// The name that the file has where the configuration doesn't say another.
    static let fileName = "waivers.yml"

    /// Reads a file; one that isn't there holds no waiver unless it must be.
    init(path: String, isRequired: Bool, key: EnvironmentKey) throws(ConfigurationError) {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            guard !isRequired, !FileManager.default.fileExists(atPath: path) else {
                throw ConfigurationError(
                    path: path, "the waivers can't be read: make the file, or take `waivers` out of the configuration")
            }
            self.init(path: path, text: "", waivers: [])
            return
        }
        try self.init(Array(bytes), path: path, key: key)
    }

    /// Reads the bytes of a file.
    init(_ bytes: [UInt8], path: String, key: EnvironmentKey) throws(ConfigurationError) {
        let file = try YAMLFile(path: path, bytes: bytes)
        let fields = try file.root()?.fields(Key.self) ?? [:]
        let section = WaiverSection(environments: EnvironmentSection(key: key))
        try fields[.schema]?.requireVersion(Self.schema)
        let waivers = fields[.waivers]?.list().compactMap(section.waiver) ?? []
        try file.throwProblems()
        self.init(path: path, text: String(decoding: bytes, as: UTF8.self), waivers: waivers)
    }

    private init(path: String, text: String, waivers: [Waiver]) {
        self.path = path
        self.text = text
        self.waivers = waivers
    }
}

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

/// Reads the entries of `waivers`.
struct WaiverSection {
    /// The keys of an entry; all but `environment` and `link` must be there.
    enum Key: String, YAMLKey {
        case page, metric, environment, ceiling, until, reason, link
    }

    /// What may be said of an environment.
    let environments: EnvironmentSection

    /// An entry; `nil` where a part of it is missing or wrong.
    func waiver(_ value: YAMLValue) -> Waiver? {
        let fields = value.fields(Key.self)
        let optional: Set<Key> = [.environment, .link]
        for key in Key.allCases where fields[key] == nil && !optional.contains(key) {
            value.lacks(key, Self.advice(key))
        }
        let page = fields[.page]?.text(Self.advice(.page))
        let metric = fields[.metric]?.text(Self.advice(.metric))
        let environment = fields[.environment].map { environments.fields($0) ?? [:] } ?? [:]
        let ceiling = fields[.ceiling]?.number("a number", Self.advice(.ceiling)) { _ in true }
        let until = fields[.until]?.day(Self.advice(.until))
        let reason = fields[.reason]?.text(Self.advice(.reason))
        let link = fields[.link]?.text(Self.advice(.link))
        guard let page, let metric, let ceiling, let until, let reason else { return nil }
        return Waiver(
            page: Page(page), metric: metric, environment: environment, ceiling: ceiling, until: until,
            reason: reason, link: link, from: value.origin)
    }

    private static func advice(_ key: Key) -> String {
        switch key {
        case .page: "write the page's name"
        case .metric: "write the metric's name, such as ttil"
        case .environment: "write the fields that the environment must have"
        case .ceiling: "write the value that must not be passed, in the metric's unit"
        case .until: "write the day on which it ends, such as 2026-12-24"
        case .reason: "write why, so that the next reader knows"
        case .link: "write where it is discussed"
        }
    }
}
