import PerfgateFiles
import PerfgateModel

/// The baselines in one folder: one folder per environment, one file per page. A change is written completely or not at
/// all. Two processes that change the same file wait for each other.
package struct BaselineStore: Sendable, Hashable {
    /// The path of the folder; it needn't exist before the first change.
    package let folder: String
    package let key: EnvironmentKey
    /// The units and directions that its files must not contradict.
    package let known: KnownMetrics

    package init(folder: String, key: EnvironmentKey = .standard, known: KnownMetrics = KnownMetrics()) {
        (self.folder, self.key, self.known) = (folder, key, known)
    }

    package func other(_ folder: String) -> BaselineStore { BaselineStore(folder: folder, key: key, known: known) }

    package var isThere: Bool { FileAccess.isFolder(folder) }

    /// Throws if the store can't be changed; called before expensive work.
    package func probe() throws { try FileAccess.probe(folder: folder) }

    package func path(of place: PageInEnvironment) -> String {
        let environment = place.environment.fields.map(\.text).joined(separator: "_")
        return "\(folder)/\(FileName(for: environment))/\(FileName(for: place.page.name)).json"
    }

    /// Reads every baseline; a folder that doesn't exist has none. Only `.json` files whose names, and whose folders'
    /// names, don't start with a dot count, so temporary files of killed processes are never read.
    package func load() throws -> Baselines {
        let files = try paths().concurrentMap { path in
            (path, Result { try BaselineFile(reading: try Self.bytes(of: path), path: path, known: known) })
        }
        var baselines = Baselines()
        for (path, file) in files { try baselines.add(try file.get(), path: path, key) }
        return baselines.recallingLost()
    }

    package func paths() throws -> [String] {
        try FileAccess.names(in: folder).map { "\(folder)/\($0)" }.filter(FileAccess.isFolder).flatMap { environment in
            try FileAccess.names(in: environment).filter { $0.hasSuffix(".json") }.map { "\(environment)/\($0)" }
        }
    }

    /// Changes the baseline of a page in an environment: reads it again, or `nil`, and writes what `change` makes of it.
    /// - Parameter found: The path where the baseline was found; `nil` for the default path.
    /// - Returns: Whether the bytes of the file changed; a baseline without samples isn't created.
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
        guard bytes.count <= BaselineFile.mostBytes else { throw BaselineError(.tooLarge, path: path) }
        try FileAccess.makeFolder(FileAccess.folder(of: path))
        try FileAccess.replace(path, with: bytes)
        return true
    }

    /// Removes a baseline, and the environment's folder with its last one; returns whether it existed.
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

    /// Renames the page of a baseline in an environment, with all its samples. The new file is written before the old
    /// one is removed, so a crash loses nothing. If there is a file of the new name that goes on with the old one, it
    /// takes in the runs.
    /// - Returns: Whether the baseline existed.
    @discardableResult
    package func rename(
        _ place: PageInEnvironment, to page: Page, foundAt found: String? = nil, window: WindowPolicy = .standard
    ) throws -> Bool {
        let old = found ?? path(of: place)
        guard page != place.page, FileAccess.exists(old) else { return false }
        let renamedPlace = PageInEnvironment(page: page, environment: place.environment)
        let new = path(of: renamedPlace)
        let lock = try FolderLock(folder)
        defer { lock.release() }
        guard let file = try file(at: old, holding: place).file else { return false }
        var renamed = file.renamed(to: page)
        if FileAccess.exists(new), let known = try self.file(at: new, holding: renamedPlace).file {
            guard known.goesOn(with: renamed) else { throw BaselineError(.exists, path: new) }
            renamed = try BaselineFile.merge(base: nil, ours: known, theirs: renamed, window: window)
        }
        try FileAccess.makeFolder(FileAccess.folder(of: new))
        try FileAccess.replace(new, with: renamed.bytes())
        try FileAccess.remove(old)
        FileAccess.removeFolderIfEmpty(FileAccess.folder(of: old))
        return true
    }

    private static func bytes(of path: String) throws(FileError) -> [UInt8] {
        try FileAccess.read(path, limit: BaselineFile.mostBytes)
    }

    /// The current content at a path; throws if that is another page or environment.
    private func file(
        at path: String, holding place: PageInEnvironment
    ) throws -> (file: BaselineFile?, bytes: [UInt8]?) {
        guard FileAccess.exists(path) else { return (nil, nil) }
        let bytes = try Self.bytes(of: path)
        let file = try BaselineFile(reading: bytes, path: path, known: known)
        guard file.place(by: key) == place else { throw BaselineError(.misplaced(page: file.placeText), path: path) }
        return (file, bytes)
    }
}

/// Pinned copies of a store, such as one per release: they don't change, so they reveal a drift of small steps.
extension BaselineStore {
    /// The folder in the store that contains them; its leading dot hides it from readers of the store.
    private static let pinnedFolder = ".pinned"

    /// Whether a name is valid for a pinned copy: letters, digits, dashes, underscores and inner dots, at most 80.
    package static func canPin(as name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 80
            && name.utf8.allSatisfy { byte in byte.isLetterOrDigit || "._-".utf8.contains(byte) }
    }

    /// The copy with a name, as a store, whether it exists or not.
    package func pinned(_ name: String) -> BaselineStore { other("\(folder)/\(Self.pinnedFolder)/\(name)") }

    package func pinnedNames() throws -> [String] { try FileAccess.names(in: "\(folder)/\(Self.pinnedFolder)") }

    /// Copies every baseline unchanged; an existing copy stays. The caller must check the name with `canPin`. The copy
    /// gets its name when it is complete, so a crash leaves none.
    /// - Returns: The number of copied baselines; without any, no copy is made.
    package func pin(as name: String) throws -> Int {
        let copy = pinned(name)
        guard isThere else { return 0 }
        let lock = try FolderLock(folder)
        defer { lock.release() }
        guard !FileAccess.exists(copy.folder) else { throw BaselineError(.exists, path: copy.folder) }
        // Git ignores leftovers of a killed call with this name; the next call removes them.
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

extension Baselines {
    /// Adds one file of a folder or a git revision; throws if another file has the same page in the same environment.
    package mutating func add(_ file: BaselineFile, path: String, _ key: EnvironmentKey) throws(BaselineError) {
        let place = file.place(by: key)
        if let first = entries.updateValue(Entry(path: path, file: file), forKey: place) {
            throw BaselineError(.duplicatePage(page: file.placeText, first: first.path), path: path)
        }
    }
}

/// The baselines in a store when it was read.
package struct Baselines: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package let path: String
        package let file: BaselineFile
    }

    package internal(set) var entries: [PageInEnvironment: Entry]

    /// Makes a collection of files; by default empty, like a store without a folder.
    package init(entries: [PageInEnvironment: Entry] = [:]) { self.entries = entries }

    package subscript(_ place: PageInEnvironment) -> BaselineFile? { entries[place]?.file }

    /// All places with a baseline, sorted by page, then environment.
    package var places: [PageInEnvironment] { entries.keys.sorted() }

    package var environments: [Environment] { Set(entries.keys.map(\.environment)).sorted() }

    /// The pages with a baseline in an environment, sorted.
    package func pages(in environment: Environment) -> [Page] {
        entries.keys.filter { $0.environment == environment }.map(\.page).sorted()
    }

    /// The places whose newest run started this many UTC days before the newest run of all, sorted. The store's newest
    /// run is the reference, so the answer doesn't depend on the current day.
    package func places(daysOlderThanNewest days: Int) -> [PageInEnvironment] {
        let newest = entries.values.compactMap { $0.file.runs.last?.startedAt.day }.max()
        return places.filter { place in
            if let newest, let last = self[place]?.runs.last?.startedAt.day { return newest - last >= days }
            // An imported limit has no age.
            return self[place]?.metrics.values.allSatisfy { $0.limit == nil } ?? true
        }
    }

    /// Applies an update to the baseline of a page as a store would write it; contradictions show before a write.
    package mutating func take(
        _ update: BaselineUpdate, at place: PageInEnvironment, of store: BaselineStore, window: WindowPolicy = .standard
    ) throws(BaselineError) {
        let path = entries[place]?.path ?? store.path(of: place)
        do throws(BaselineError) {
            let file = try (self[place] ?? BaselineFile(place)).taking(update, window: window)
            if entries[place] != nil || !file.isEmpty { entries[place] = Entry(path: path, file: file) }
        } catch {
            throw error.located(in: path)
        }
    }

    /// The baselines in which metrics that an earlier version's window emptied are marked as lost: other pages, and most
    /// of them, have samples of the metric from the same runs.
    func recallingLost() -> Baselines {
        guard entries.values.contains(where: \.file.isForgetful) else { return self }
        var result = self
        for (_, group) in Dictionary(grouping: entries, by: \.key.environment) {
            for (place, entry) in group where entry.file.isForgetful {
                let runs = Set(entry.file.runs.map(\.id))
                let others = group.map(\.value.file).filter { other in
                    other.page != place.page && other.runs.contains { runs.contains($0.id) }
                }
                var file = entry.file
                for (id, definition) in Self.lost(runs, besides: Set(file.metrics.keys), others) {
                    file.metrics[id] = BaselineMetric(definition, samples: [:], isLost: true)
                }
                result.entries[place] = Entry(path: entry.path, file: file)
            }
        }
        return result
    }

    private static func lost(
        _ runs: Set<String>, besides known: Set<String>, _ others: [BaselineFile]
    ) -> [String: BaselineMetric.Definition] {
        var counts: [String: (pages: Int, definition: BaselineMetric.Definition)] = [:]
        for (id, metric) in others.flatMap(\.metrics) where !known.contains(id) {
            guard metric.samples.keys.contains(where: runs.contains) else { continue }
            let least = counts[id].map { min($0.definition, metric.definition) } ?? metric.definition
            counts[id] = ((counts[id]?.pages ?? 0) + 1, least)
        }
        return counts.filter { 2 * $0.value.pages > others.count }.mapValues(\.definition)
    }
}
