import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateField
import PerfgateIngest
import PerfgateModel

/// What a team configured: the content of `perfgate.yml`, or the defaults where there is none.
package struct GateConfiguration: Sendable {
    /// The path of the file; `nil` where there is none.
    package var path: String?
    /// What the team wants of the gate.
    package var policy = Policy()
    /// The fields that make an environment.
    package var environmentKey = EnvironmentKey.standard
    /// The units and directions of the catalogue's metrics and of the team's own.
    package var known = KnownMetrics()
    /// The folder of the baselines, from the working directory.
    package var baselines = "Baselines"
    /// How many runs a baseline keeps.
    package var window = WindowPolicy.standard
    /// How many unreadable lines a run may have; at least 0.
    package var badLines = 0
    /// How tests, tables and processes of other tools become pages, in the order in which they are tried.
    package var mapping: [MappingRule] = []
    /// How pages are scored; `nil`: they aren't.
    package var scoring: PageScoring?
    /// The path of the file with the traffic, from the working directory; `nil`: scores aren't weighted.
    package var traffic: String?
    /// The path of the file with the waivers, from the working directory; `nil`: waivers.yml beside the
    /// configuration, where there is one.
    package var waivers: String?
    /// What field data is called, and its bounds.
    package var field = FieldSettings()

    /// The version of the configuration that this program reads.
    package static let schema = 1
    /// The name under which the configuration is looked for.
    package static let fileName = "perfgate.yml"

    /// The defaults.
    package init() {}

    /// The defaults of a file that says nothing.
    ///
    /// - Parameter path: Its path; `nil` where there is none.
    package init(defaultsOf path: String?) {
        self.path = path
        baselines = ConfigurationFolder(of: path ?? "").path(of: baselines)
    }

    /// How logs are read.
    package var ingestOptions: IngestOptions {
        var options = IngestOptions()
        options.environmentKey = environmentKey
        options.known = known
        options.badLines = badLines
        options.mapping = mapping
        return options
    }

    /// The baselines.
    package var store: BaselineStore { BaselineStore(folder: baselines, key: environmentKey, known: known) }

    /// The file with the waivers.
    package func waiverFile() throws(ConfigurationError) -> WaiverFile {
        try WaiverFile(path: waiverPath, isRequired: waivers != nil, key: environmentKey)
    }

    /// The path of the file with the waivers, be it there or not.
    package var waiverPath: String {
        waivers ?? ConfigurationFolder(of: path ?? "").path(of: WaiverFile.fileName)
    }
}

/// Finds `perfgate.yml` and reads it.
package enum ConfigurationFile {
    /// The configuration at a path, or found from the working directory upwards; the defaults where none is found.
    package static func load(_ path: String?) throws(ConfigurationError) -> GateConfiguration {
        let found = self.path(path)
        if path == nil, let found, found.hasSuffix(Self.mistakenEnding) {
            throw ConfigurationError(
                path: found, "it is not read: call it \(GateConfiguration.fileName), or name it with --config")
        }
        if path == nil, let found, isThere(found.dropLast(4) + Self.mistakenEnding) {
            throw ConfigurationError(
                path: found.dropLast(4) + Self.mistakenEnding,
                "it is not read, because \(GateConfiguration.fileName) is beside it: keep one of them")
        }
        var configuration = try content(found)
        configuration.policy.waivers = try configuration.waiverFile().waivers
        if let traffic = configuration.traffic { configuration.scoring?.traffic = try TrafficFile.read(traffic) }
        return configuration
    }

    /// The path of the file that is read: the given one, or the nearest from the working directory upwards; `nil` where
    /// there is none.
    package static func path(_ given: String?) -> String? { given ?? found() }

    private static func content(_ path: String?) throws(ConfigurationError) -> GateConfiguration {
        guard let path else { return GateConfiguration() }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            let fault =
                FileManager.default.fileExists(atPath: path)
                ? "the configuration can't be read" : "there is no such file"
            throw ConfigurationError(path: path, "\(fault): give the path of a configuration to --config")
        }
        return try read(Array(bytes), path: path)
    }

    /// What the bytes of a configuration say.
    static func read(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> GateConfiguration {
        let file = try YAMLFile(path: path, bytes: bytes)
        let folder = ConfigurationFolder(of: path)
        var configuration = GateConfiguration(defaultsOf: path)
        if let root = try file.root() {
            configuration = try ConfigurationReader(root).configuration(in: folder)
        }
        try file.throwProblems()
        configuration.path = path
        return configuration
    }

    /// The nearest file upwards, named from the working directory, so that reports don't depend on where a checkout is.
    private static func found() -> String? {
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let folders = (0...depth).map { String(repeating: "../", count: $0) }
        let name = GateConfiguration.fileName
        let candidates = folders.flatMap { [$0 + name, $0 + name.dropLast(4) + mistakenEnding] }
        return candidates.first(where: isThere)
    }

    /// How the name of a file ends that was meant to be read.
    private static let mistakenEnding = ".yaml"

    /// Whether there is something of that name, if only a link to nothing: that is no reason for the defaults.
    private static func isThere(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path)) != nil
    }
}

/// The folder of a configuration: the paths in the file begin there, not in the working directory.
package struct ConfigurationFolder: Sendable, Hashable {
    private let prefix: String

    /// The folder of a file, as the file was named.
    package init(of file: String) {
        prefix = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    /// A path of the file, as it is used from the working directory.
    package func path(of text: String) -> String {
        text.hasPrefix("/") ? text : prefix + text
    }
}

/// A configuration, or a file that it names, that can't be used: all that is wrong with it.
package struct ConfigurationError: Error, Sendable, Hashable {
    /// What is wrong, in the order of the lines; not empty.
    package let problems: [YAMLProblem]

    /// How many problems are told.
    private static let mostProblems = 20

    /// Makes an error of problems.
    init(_ problems: [YAMLProblem]) {
        self.problems = Set(problems).sorted()
    }

    /// Makes an error about a file as a whole.
    init(path: String, _ message: String) {
        self.init([YAMLProblem(path: path, line: nil, column: nil, message: message, excerpt: nil)])
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// A problem after the other, each with its place.
    package var description: String {
        let told = problems.prefix(Self.mostProblems).map(\.description).joined(separator: "\n")
        let more = problems.count - Self.mostProblems
        return more > 0 ? "\(told)\n… and \(more) more" : told
    }
}

/// Reads how often each page is visited, from a file of `page: visits` lines.
enum TrafficFile {
    /// The visits by page, in any unit.
    static func read(_ path: String) throws(ConfigurationError) -> [Page: Double] {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(
                path: path, "the traffic can't be read: make the file, or take score.traffic out of the configuration")
        }
        let file = try YAMLFile(path: path, bytes: Array(bytes))
        let visits = try file.root()?.entries().compactMap { entry in
            entry.value.number("a number, at least 0", "write how often the page is visited") { $0 >= 0 }
                .map { (Page(entry.key), $0) }
        }
        try file.throwProblems()
        return Dictionary(visits ?? []) { first, _ in first }
    }
}
