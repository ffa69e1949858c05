import PerfgateModel

/// The baselines under one folder: a folder an environment, a file a page.
///
/// A change is written whole or not at all, and two processes that change one file wait for each other.
public struct BaselineStore: Sendable, Hashable {
    /// The path of the folder; it needn't be there before the first change.
    public let folder: String
    /// The fields that make an environment.
    public let key: EnvironmentKey

    /// Makes a store.
    public init(folder: String, key: EnvironmentKey = .standard) {
        self.folder = folder
        self.key = key
    }

    /// The path that the baseline of a page in an environment has unless it was found at another.
    public func path(of place: PageInEnvironment) -> String {
        "\(folder)/\(FileName(for: place.environment.folderText))/\(FileName(for: place.page.name)).json"
    }

    /// Reads every baseline; a folder that isn't there holds none.
    ///
    /// Files count that end in `.json` and don't begin with a dot, in folders that don't either: so the temporary file
    /// of a process that was killed is never read.
    public func load() throws(BaselineError) -> Baselines {
        var collector = BaselineCollector(key: key)
        for path in try paths() { try collector.add(try FileAccess.read(path), path: path) }
        return Baselines(entries: collector.entries)
    }

    /// The paths of all baselines, sorted.
    func paths() throws(BaselineError) -> [String] {
        var paths: [String] = []
        for name in try FileAccess.names(in: folder) {
            let environment = "\(folder)/\(name)"
            guard FileAccess.isFolder(environment) else { continue }
            paths += try FileAccess.names(in: environment).filter { $0.hasSuffix(".json") }.map {
                "\(environment)/\($0)"
            }
        }
        return paths
    }
}

extension Environment {
    /// The text that its folder is named for: the values in the configured order.
    fileprivate var folderText: String {
        fields.map(\.text).joined(separator: "_")
    }
}
