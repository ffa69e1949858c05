import PerfgateModel

/// Collects the files of a store, wherever their bytes come from: a folder, or a revision in a repository.
public struct BaselineCollector: Sendable {
    /// The fields that make an environment.
    public let key: EnvironmentKey
    /// The files so far, by what they are the baseline of.
    public private(set) var entries: [PageInEnvironment: Baselines.Entry] = [:]

    /// Makes an empty collection.
    public init(key: EnvironmentKey) {
        self.key = key
    }

    /// Reads one file; an error where another one holds the same page in the same environment.
    public mutating func add(_ bytes: [UInt8], path: String) throws(BaselineError) {
        let file = try BaselineFile(reading: bytes, path: path)
        let place = file.place(by: key)
        if let first = entries[place] {
            throw BaselineError(.duplicatePage(page: file.placeText, first: first.path), path: path)
        }
        entries[place] = Baselines.Entry(path: path, file: file)
    }
}
