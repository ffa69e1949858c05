import PerfgateModel

/// Pinned copies of a store, such as one a release: they never move, so that a drift of many steps, each below its
/// tolerance, is seen.
extension BaselineStore {
    /// The folder within the store that holds them; readers of the store pass it by, because it begins with a dot.
    private static let pinnedFolder = ".pinned"

    /// Whether a name can be given to a pinned copy: letters, digits, dots, dashes and underscores, at most 80 of them,
    /// and no dot at the start.
    public static func canPin(as name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 80
            && name.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || "._-".utf8.contains(byte)
            }
    }

    /// The copy of a name, a store like any other, whether it is there or not.
    public func pinned(_ name: String) -> BaselineStore {
        BaselineStore(folder: "\(folder)/\(Self.pinnedFolder)/\(name)", key: key)
    }

    /// The names of the copies, sorted.
    public func pinnedNames() throws(BaselineError) -> [String] {
        try FileAccess.names(in: "\(folder)/\(Self.pinnedFolder)")
    }

    /// Whether the folder is there.
    public var isThere: Bool { FileAccess.isFolder(folder) }

    /// Copies every baseline as it is; an existing copy stays, and a name that `canPin` refuses is the caller's mistake.
    ///
    /// The copy gets its name once it is whole, so that a crash leaves none.
    /// - Returns: How many baselines were copied; without any no copy is made.
    public func pin(as name: String) throws(BaselineError) -> Int {
        let copy = pinned(name)
        guard FileAccess.isFolder(folder) else { return 0 }
        let lock = try FolderLock(folder)
        defer { lock.release() }
        guard !FileAccess.exists(copy.folder) else { throw BaselineError(.exists, path: copy.folder) }
        let unfinished = pinned(".\(name)").folder
        let files = try paths()
        guard !files.isEmpty else { return 0 }
        try FileAccess.removeTree(unfinished)
        for path in files {
            let target = unfinished + path.dropFirst(folder.count)
            try FileAccess.makeFolder(FileAccess.folder(of: target))
            try FileAccess.replace(target, with: try FileAccess.read(path))
        }
        try FileAccess.move(unfinished, to: copy.folder)
        return files.count
    }
}
