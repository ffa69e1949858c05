import PerfgateModel

/// The baselines that a store held when it was read.
public struct Baselines: Sendable, Hashable {
    /// One file of the store.
    public struct Entry: Sendable, Hashable {
        /// Its path.
        public let path: String
        /// What it holds.
        public let file: BaselineFile

        /// Makes an entry of its parts.
        public init(path: String, file: BaselineFile) {
            self.path = path
            self.file = file
        }
    }

    /// The files by what they are the baseline of.
    public internal(set) var entries: [PageInEnvironment: Entry]

    /// Makes a collection of files; the empty one is that of a store without a folder.
    public init(entries: [PageInEnvironment: Entry] = [:]) {
        self.entries = entries
    }

    /// The baseline of a page in an environment; `nil` where there is none.
    public subscript(_ place: PageInEnvironment) -> BaselineFile? {
        entries[place]?.file
    }

    /// Everything that there is a baseline of, by page, then environment.
    public var places: [PageInEnvironment] { entries.keys.sorted() }

    /// The environments that there is a baseline of, sorted.
    public var environments: [Environment] { Set(entries.keys.map(\.environment)).sorted() }

    /// The pages that there is a baseline of in an environment, sorted.
    public func pages(in environment: Environment) -> [Page] {
        entries.keys.filter { $0.environment == environment }.map(\.page).sorted()
    }
}
