import PerfgateFiles
import PerfgateModel

/// The baselines under one folder: a folder an environment, a file a page.
///
/// A change is written whole or not at all, and two processes that change one file wait for each other.
package struct BaselineStore: Sendable, Hashable {
    /// The path of the folder; it needn't be there before the first change.
    package let folder: String
    /// The fields that make an environment.
    package let key: EnvironmentKey
    /// The units and directions that its files must not contradict.
    package let known: KnownMetrics

    /// Makes a store.
    package init(folder: String, key: EnvironmentKey = .standard, known: KnownMetrics = KnownMetrics()) {
        self.folder = folder
        self.key = key
        self.known = known
    }

    /// Another folder of the same kind.
    package func other(_ folder: String) -> BaselineStore { BaselineStore(folder: folder, key: key, known: known) }

    /// The path that the baseline of a page in an environment has unless it was found at another.
    package func path(of place: PageInEnvironment) -> String {
        "\(folder)/\(FileName(for: place.environment.folderText))/\(FileName(for: place.page.name)).json"
    }

    /// Reads every baseline; a folder that isn't there holds none.
    ///
    /// Files count that end in `.json` and don't begin with a dot, in folders that don't either: so the temporary file
    /// of a process that was killed is never read.
    package func load() throws -> Baselines {
        var collector = BaselineCollector(of: self)
        for path in try paths() { try collector.add(try FileAccess.read(path), path: path) }
        return Baselines(entries: collector.entries)
    }

    /// The paths of all baselines, sorted.
    package func paths() throws -> [String] {
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

extension BaselineStore {
    /// Changes the baseline of a page in an environment: reads it anew, lets `change` decide, writes what it gives.
    ///
    /// - Parameters:
    ///   - place: The page in the environment.
    ///   - found: The path where the baseline was found; `nil` for the one it has by name.
    ///   - change: Gives the new baseline for the present one, `nil` where there is none.
    /// - Returns: Whether the bytes of the file changed; a baseline without samples is not made.
    @discardableResult
    package func update(
        _ place: PageInEnvironment, foundAt found: String? = nil,
        _ change: (BaselineFile?) throws(BaselineError) -> BaselineFile
    ) throws -> Bool {
        let path = found ?? path(of: place)
        try FileAccess.makeFolder(folder)
        let lock = try FolderLock(folder)
        defer { lock.release() }
        let present = try file(at: path, holding: place)
        let changed: BaselineFile
        do throws(BaselineError) {
            changed = try change(present.file)
        } catch {
            throw error.located(in: path)
        }
        let bytes = changed.bytes()
        guard bytes != present.bytes, present.file != nil || !changed.isEmpty else { return false }
        try FileAccess.makeFolder(FileAccess.folder(of: path))
        try FileAccess.replace(path, with: bytes)
        return true
    }

    /// Removes the baseline of a page in an environment, and the environment's folder with its last one.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    package func prune(_ place: PageInEnvironment, foundAt found: String? = nil) throws -> Bool {
        let path = found ?? path(of: place)
        guard FileAccess.exists(path) else { return false }
        let lock = try FolderLock(folder)
        defer { lock.release() }
        guard try file(at: path, holding: place).file != nil else { return false }
        try FileAccess.remove(path)
        FileAccess.removeFolderIfEmpty(FileAccess.folder(of: path))
        return true
    }

    /// Gives the baseline of a page in an environment another page's name, with all its samples.
    ///
    /// The new file is there before the old one goes, so that a crash loses nothing.
    /// - Returns: Whether there was one to rename.
    @discardableResult
    package func rename(
        _ place: PageInEnvironment, to page: Page, foundAt found: String? = nil
    ) throws -> Bool {
        let old = found ?? path(of: place)
        guard page != place.page, FileAccess.exists(old) else { return false }
        let new = path(of: PageInEnvironment(page: page, environment: place.environment))
        let lock = try FolderLock(folder)
        defer { lock.release() }
        guard let file = try file(at: old, holding: place).file else { return false }
        guard !FileAccess.exists(new) else { throw BaselineError(.exists, path: new) }
        try FileAccess.makeFolder(FileAccess.folder(of: new))
        try FileAccess.replace(new, with: file.renamed(to: page).bytes())
        try FileAccess.remove(old)
        FileAccess.removeFolderIfEmpty(FileAccess.folder(of: old))
        return true
    }

    /// What stands at a path now; an error where that is another page or environment.
    private func file(
        at path: String, holding place: PageInEnvironment
    ) throws -> (file: BaselineFile?, bytes: [UInt8]?) {
        guard FileAccess.exists(path) else { return (nil, nil) }
        let bytes = try FileAccess.read(path)
        let file = try BaselineFile(reading: bytes, path: path, known: known)
        guard file.place(by: key) == place else {
            throw BaselineError(.misplaced(page: file.placeText), path: path)
        }
        return (file, bytes)
    }
}

extension BaselineStore {
    /// Fails where the store can't be changed, before the work whose result it takes.
    package func probe() throws { try FileAccess.probe(folder: folder) }
}

/// Pinned copies of a store, such as one a release: they never move, so that a drift of many steps, each below its
/// tolerance, is seen.
extension BaselineStore {
    /// The folder within the store that holds them; readers of the store pass it by, because it begins with a dot.
    private static let pinnedFolder = ".pinned"

    /// Whether a name can be given to a pinned copy: letters, digits, dots, dashes and underscores, at most 80 of them,
    /// and no dot at the start.
    package static func canPin(as name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 80
            && name.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || "._-".utf8.contains(byte)
            }
    }

    /// The copy of a name, a store like any other, whether it is there or not.
    package func pinned(_ name: String) -> BaselineStore {
        other("\(folder)/\(Self.pinnedFolder)/\(name)")
    }

    /// The names of the copies, sorted.
    package func pinnedNames() throws -> [String] {
        try FileAccess.names(in: "\(folder)/\(Self.pinnedFolder)")
    }

    /// Whether the folder is there.
    package var isThere: Bool { FileAccess.isFolder(folder) }

    /// Copies every baseline as it is; an existing copy stays, and a name that `canPin` refuses is the caller's mistake.
    ///
    /// The copy gets its name once it is whole, so that a crash leaves none.
    /// - Returns: How many baselines were copied; without any no copy is made.
    package func pin(as name: String) throws -> Int {
        let copy = pinned(name)
        guard FileAccess.isFolder(folder) else { return 0 }
        let lock = try FolderLock(folder)
        defer { lock.release() }
        guard !FileAccess.exists(copy.folder) else { throw BaselineError(.exists, path: copy.folder) }
        // Git ignores what a killed call leaves under such a name; the next call removes it.
        let unfinished = pinned(".perfgate-\(name).part").folder
        let files = try paths()
        guard !files.isEmpty else { return 0 }
        try FileAccess.removeTree(unfinished)
        do {
            for path in files {
                let target = unfinished + path.dropFirst(folder.count)
                try FileAccess.makeFolder(FileAccess.folder(of: target))
                try FileAccess.replace(target, with: try FileAccess.read(path))
            }
            try FileAccess.move(unfinished, to: copy.folder)
        } catch {
            try? FileAccess.removeTree(unfinished)
            throw error
        }
        return files.count
    }
}

/// Collects the files of a store, wherever their bytes come from: a folder, or a revision in a repository.
package struct BaselineCollector: Sendable {
    private let store: BaselineStore
    /// The files so far, by what they are the baseline of.
    package private(set) var entries: [PageInEnvironment: Baselines.Entry] = [:]

    /// Makes an empty collection of files like those of a store.
    package init(of store: BaselineStore) {
        self.store = store
    }

    /// Reads one file; an error where another one holds the same page in the same environment.
    package mutating func add(_ bytes: [UInt8], path: String) throws(BaselineError) {
        let file = try BaselineFile(reading: bytes, path: path, known: store.known)
        let place = file.place(by: store.key)
        if let first = entries[place] {
            throw BaselineError(.duplicatePage(page: file.placeText, first: first.path), path: path)
        }
        entries[place] = Baselines.Entry(path: path, file: file)
    }
}
