import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateField
import PerfgateFiles
import PerfgateIngest
import PerfgateModel

/// The configuration of a team: the content of `perfgate.yml`, or the defaults without a file.
package struct GateConfiguration: Sendable {
    /// The path of the file; `nil` without a file.
    package var path: String?
    package var policy = Policy()
    package var environmentKey = EnvironmentKey.standard
    /// The units and directions of the catalogue's metrics and the team's own.
    package var known = KnownMetrics()
    /// The folder of the baselines, relative to the working directory.
    package var baselines = "Baselines"
    /// How many runs a baseline keeps.
    package var window = WindowPolicy.standard
    /// The number of unreadable lines that a run may have; at least 0.
    package var badLines = 0
    /// The rules that map other tools' tests, tables and processes to pages, in the order in which they are tried.
    package var mapping: [MappingRule] = []
    /// How pages are scored; `nil`: not at all.
    package var scoring: PageScoring?
    /// The path of the traffic file, relative to the working directory; `nil`: scores aren't weighted.
    package var traffic: String?
    /// The path of the waivers file, relative to the working directory; `nil`: waivers.yml beside the configuration,
    /// if it exists.
    package var waivers: String?
    package var field = FieldSettings()

    package static let schema = 1
    package static let fileName = "perfgate.yml"

    package init() {}

    /// The defaults of an empty file.
    ///
    /// - Parameter path: The file's path; `nil`: there is no file.
    package init(defaultsOf path: String?) {
        self.path = path
        baselines = ConfigurationFolder(of: path ?? "").path(of: baselines)
    }

    package var ingestOptions: IngestOptions {
        var options = IngestOptions()
        options.environmentKey = environmentKey
        options.known = known
        options.badLines = badLines
        options.mapping = mapping
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

    /// The path of the waivers file, whether it exists or not.
    package var waiverPath: String {
        waivers ?? ConfigurationFolder(of: path ?? "").path(of: WaiverFile.fileName)
    }
}

/// Finds `perfgate.yml` and reads it.
package enum ConfigurationFile {
    /// The configuration at a path, or found from the working directory upwards; the defaults if none is found.
    package static func load(_ path: String?) throws(ConfigurationError) -> GateConfiguration {
        let found = self.path(path)
        if path == nil, let found, found.hasSuffix(Self.mistakenEnding) {
            throw ConfigurationError(
                path: found,
                "perfgate doesn't read this name: rename it to \(GateConfiguration.fileName), or name it with --config")
        }
        if path == nil, let found, isThere(found.dropLast(4) + Self.mistakenEnding) {
            throw ConfigurationError(
                path: found.dropLast(4) + Self.mistakenEnding,
                "perfgate reads \(GateConfiguration.fileName) beside it instead: keep one of them")
        }
        var configuration = try content(found)
        configuration.policy.waivers = try configuration.waiverFile().waivers
        if let traffic = configuration.traffic { configuration.scoring?.traffic = try TrafficFile.read(traffic) }
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
            try ConfigurationReader.checkVersion(root)
            configuration = ConfigurationReader.configuration(root, in: folder)
        }
        try file.throwProblems()
        configuration.path = path
        return configuration
    }

    /// The nearest file upwards, relative to the working directory, so reports don't depend on where a checkout is.
    private static func found() -> String? {
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let folders = (0...depth).map { String(repeating: "../", count: $0) }
        let name = GateConfiguration.fileName
        let candidates = folders.flatMap { [$0 + name, $0 + name.dropLast(4) + mistakenEnding] }
        return candidates.first(where: isThere)
    }

    /// A file name suffix that was probably a mistake.
    private static let mistakenEnding = ".yaml"

    /// Whether the path exists, even as a broken link: that is no reason to use the defaults.
    private static func isThere(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path)) != nil
    }
}

/// The folder of a configuration: paths in the file are relative to it, not to the working directory.
package struct ConfigurationFolder: Sendable, Hashable {
    private let prefix: String

    package init(of file: String) {
        prefix = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    /// A path in the file, relative to the working directory.
    package func path(of text: String) -> String {
        text.hasPrefix("/") ? text : prefix + text
    }
}

/// An unusable configuration, or an unusable file that it names, with all problems.
package struct ConfigurationError: Error, Sendable, Hashable {
    /// The problems in the order of their lines; not empty.
    package let problems: [YAMLProblem]

    private static let mostProblems = 20

    init(_ problems: [YAMLProblem]) { self.problems = Set(problems).sorted() }

    init(path: String, _ message: String) {
        self.init([YAMLProblem(path: path, line: nil, column: nil, message: message, excerpt: nil)])
    }
}

extension ConfigurationError: CustomStringConvertible {
    package var description: String {
        let told = problems.prefix(Self.mostProblems).map(\.description).joined(separator: "\n")
        let more = problems.count - Self.mostProblems
        return more > 0 ? "\(told)\n… and \(more) more" : told
    }
}

/// Reads page visits from a file of `page: visits` lines.
enum TrafficFile {
    /// The visits by page, in any unit.
    static func read(_ path: String) throws(ConfigurationError) -> [Page: Double] {
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
}
