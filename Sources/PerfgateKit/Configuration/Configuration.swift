import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateField
import PerfgateFiles
import PerfgateIngest
import PerfgateModel

/// The configuration of a team: the content of `perfgate.yml`, or the defaults without a file.
package struct GateConfiguration: Sendable {
    package var path: String?
    package var policy = Policy()
    package var environmentKey = EnvironmentKey.standard
    package var known = KnownMetrics()
    /// The folder of the baselines, relative to the working directory.
    package var baselines = "Baselines"
    package var window = WindowPolicy.standard
    /// The number of unreadable lines that a run may have; at least 0.
    package var badLines = 0
    /// The rules that map other tools' tests, tables and processes to pages, in the order in which they are tried.
    package var mapping: [MappingRule] = []
    /// How pages are scored; `nil`: not at all.
    package var scoring: PageScoring?
    /// The path of the traffic file, relative to the working directory; `nil`: scores aren't weighted.
    package var traffic: String?
    /// The waivers file, relative to the working directory; `nil`: waivers.yml beside the configuration, if any.
    package var waivers: String?
    package var field = FieldMapping()

    package static let schema = 1, fileName = "perfgate.yml"

    package init() {}

    package init(defaultsOf path: String?) {
        self.path = path
        baselines = ConfigurationFolder(of: path ?? "").path(of: baselines)
    }

    package var ingestOptions: IngestOptions {
        var options = IngestOptions()
        (options.environmentKey, options.known) = (environmentKey, known)
        (options.badLines, options.mapping) = (badLines, mapping)
        return options
    }

    /// The same with the folder of baselines that a caller named; `nil`: none.
    package func naming(baselines folder: String?) -> GateConfiguration {
        guard let folder else { return self }
        var named = self
        named.baselines = folder
        named.policy.expectsBaselines = true
        return named
    }

    package var store: BaselineStore { BaselineStore(folder: baselines, key: environmentKey, known: known) }

    package func waiverFile() throws(ConfigurationError) -> WaiverFile {
        try WaiverFile(path: waiverPath, isRequired: waivers != nil, key: environmentKey)
    }

    package var waiverPath: String { waivers ?? ConfigurationFolder(of: path ?? "").path(of: WaiverFile.fileName) }
}

package enum ConfigurationFile {
    /// The configuration at a path, or found from the working directory upwards; the defaults if none is found.
    package static func load(_ path: String?) throws(ConfigurationError) -> GateConfiguration {
        let found = self.path(path)
        if path == nil, let found {
            if found.hasSuffix(mistakenEnding) {
                throw ConfigurationError(
                    path: found,
                    "perfgate doesn't read this name: rename it to \(GateConfiguration.fileName), or name it with --config"
                )
            }
            let mistaken: String = found.dropLast(4) + mistakenEnding
            if isThere(mistaken) {
                throw ConfigurationError(
                    path: mistaken, "perfgate reads \(GateConfiguration.fileName) beside it instead: keep one of them")
            }
        }
        var configuration = try content(found)
        configuration.policy.waivers = try configuration.waiverFile().waivers
        if let path = configuration.traffic { configuration.scoring?.traffic = try traffic(path) }
        return configuration
    }

    /// The path of the file: the given one, or the nearest from the working directory upwards; `nil` if there is none.
    package static func path(_ given: String?) -> String? { given ?? found() }

    private static func content(_ path: String?) throws(ConfigurationError) -> GateConfiguration {
        guard let path else { return GateConfiguration() }
        let bytes = try YAMLFile.bytes(of: path) {
            let isThere = FileAccess.exists($0.path)
            let fault = isThere ? "the configuration can't be read (\($0.reason))" : "there is no such file"
            return "\(fault): give the path of a configuration to --config"
        }
        return try read(bytes, path: path)
    }

    static func read(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> GateConfiguration {
        let file = try YAMLFile(path: path, bytes: bytes)
        let folder = ConfigurationFolder(of: path)
        var configuration = GateConfiguration(defaultsOf: path)
        if let root = try file.root() {
            // Throws if this program can't read the file's version.
            try root.entries().first { $0.key == "schema" }?.value.requireVersion(GateConfiguration.schema)
            configuration = ConfigurationReader.configuration(root, in: folder)
        }
        try file.throwProblems()
        configuration.path = path
        return configuration
    }

    /// The visits by page, in any unit, from a file of `page: visits` lines.
    private static func traffic(_ path: String) throws(ConfigurationError) -> [Page: Double] {
        let bytes = try YAMLFile.bytes(of: path) {
            "the traffic file can't be read (\($0.reason)): create it, or remove score.traffic from the configuration"
        }
        let file = try YAMLFile(path: path, bytes: bytes)
        let visits = try file.root()?.entries().compactMap { entry in
            entry.value.number(atLeast: 0, "write how often the page is visited").map { (Page(entry.key), $0) }
        }
        try file.throwProblems()
        return Dictionary(visits ?? []) { first, _ in first }
    }

    /// The nearest file upwards, relative to the working directory, so reports don't depend on where a checkout is.
    private static func found() -> String? {
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let folders = (0...depth).map { String(repeating: "../", count: $0) }
        let name = GateConfiguration.fileName
        let candidates = folders.flatMap { [$0 + name, $0 + name.dropLast(4) + mistakenEnding] }
        return candidates.first(where: isThere)
    }

    private static let mistakenEnding = ".yaml"

    /// Whether the path exists, even as a broken link: that is no reason to use the defaults.
    private static func isThere(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path)) != nil
    }
}

/// The folder of a configuration: paths in the file are relative to it, not to the working directory.
package struct ConfigurationFolder: Sendable, Hashable {
    private let prefix: String

    package init(of file: String) { prefix = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "" }

    package func path(of text: String) -> String { text.hasPrefix("/") ? text : prefix + text }
}

/// An unusable configuration, or an unusable file that it names, with all problems.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problems in the order of their lines; not empty.
    package let problems: [YAMLProblem]

    private static let mostProblems = 20

    init(_ problems: [YAMLProblem]) { self.problems = Set(problems).sorted() }

    init(path: String, _ message: String) {
        self.init([YAMLProblem(path: path, line: nil, column: nil, message: message, excerpt: nil)])
    }

    package var description: String {
        problems.map(\.description).first(Self.mostProblems) { "… and \($0) more" }.joined(separator: "\n")
    }
}

/// The waivers file, which is reviewed like code.
package struct WaiverFile {
    package let path: String, text: String, waivers: [Waiver]

    package static let schema = 1, fileName = "waivers.yml"
}

extension WaiverFile {
    /// Reads a file; a missing file has no waivers, unless it is required.
    package init(path: String, isRequired: Bool, key: EnvironmentKey) throws(ConfigurationError) {
        guard isRequired || FileAccess.exists(path) else {
            self.init(path: path, text: "", waivers: [])
            return
        }
        let bytes = try YAMLFile.bytes(of: path) {
            "the waivers file can't be read (\($0.reason)): create it, or remove `waivers` from the configuration"
        }
        try self.init(bytes, path: path, key: key)
    }

    package init(_ bytes: [UInt8], path: String, key: EnvironmentKey) throws(ConfigurationError) {
        let file = try YAMLFile(path: path, bytes: bytes)
        let fields = try file.root()?.read { (schema: $0.value("schema"), waivers: $0.value("waivers")) }
        try fields?.schema?.requireVersion(Self.schema)
        let environments = EnvironmentSection(key: key)
        let waivers = fields?.waivers?.list().compactMap { Self.waiver($0, environments) } ?? []
        try file.throwProblems()
        self.init(path: path, text: String(decoding: bytes, as: UTF8.self), waivers: waivers)
    }

    private static func waiver(_ value: YAMLValue, _ environments: EnvironmentSection) -> Waiver? {
        value.read { keys in
            let page = keys.required("page", YAMLValue.text, "write the page's name")
            let metric = keys.required("metric", YAMLValue.text, "write the metric's name, such as ttil")
            var environment: [String: FieldValue] = [:]
            keys.set(&environment, "environment", environments.fields)
            let advice = "write the worst value that is allowed, in the metric's unit"
            let ceiling = keys.required("ceiling", advice)?.number("a number", advice) { _ in true }
            let until = keys.required("until", YAMLValue.day, "write the day on which it ends, such as 2026-12-24")
            let reason = keys.required("reason", YAMLValue.text, "write the reason, for the next reader")
            let link = keys.value("link")?.text("write a link to the discussion")
            guard let page, let metric, let ceiling, let until, let reason else { return nil }
            return Waiver(
                page: Page(page), metric: metric, environment: environment, ceiling: ceiling, until: until,
                reason: reason, link: link, from: value.origin)
        }
    }
}
