import Foundation

/// Finds `perfgate.yml` and reads it.
enum ConfigurationFile {
    /// The configuration at a path, or found from the working directory upwards; the defaults where none is found.
    static func load(_ path: String?) throws(ConfigurationError) -> Configuration {
        var configuration = try content(path ?? found())
        configuration.policy.waivers = try configuration.waiverFile().waivers
        if let traffic = configuration.traffic { configuration.scoring?.traffic = try TrafficFile.read(traffic) }
        return configuration
    }

    private static func content(_ path: String?) throws(ConfigurationError) -> Configuration {
        guard let path else { return Configuration() }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(path: path, "the configuration can't be read: give the path of one to --config")
        }
        return try read(Array(bytes), path: path)
    }

    /// What the bytes of a configuration say.
    static func read(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> Configuration {
        let file = try YAMLFile(path: path, bytes: bytes)
        let folder = ConfigurationFolder(of: path)
        var configuration = Configuration()
        configuration.baselines = folder.path(of: configuration.baselines)
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
        let candidates = (0...depth).map { String(repeating: "../", count: $0) + Configuration.fileName }
        return candidates.first { FileManager.default.fileExists(atPath: $0) }
    }
}
