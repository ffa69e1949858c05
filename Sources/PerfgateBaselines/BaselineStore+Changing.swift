import PerfgateModel

extension BaselineStore {
    /// Changes the baseline of a page in an environment: reads it anew, lets `change` decide, writes what it gives.
    ///
    /// - Parameters:
    ///   - place: The page in the environment.
    ///   - found: The path where the baseline was found; `nil` for the one it has by name.
    ///   - change: Gives the new baseline for the present one, `nil` where there is none.
    /// - Returns: Whether the bytes of the file changed; a baseline without samples is not made.
    @discardableResult
    public func update(
        _ place: PageInEnvironment, foundAt found: String? = nil,
        _ change: (BaselineFile?) throws(BaselineError) -> BaselineFile
    ) throws(BaselineError) -> Bool {
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
    public func prune(_ place: PageInEnvironment, foundAt found: String? = nil) throws(BaselineError) -> Bool {
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
    public func rename(
        _ place: PageInEnvironment, to page: Page, foundAt found: String? = nil
    ) throws(BaselineError) -> Bool {
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
    ) throws(BaselineError) -> (file: BaselineFile?, bytes: [UInt8]?) {
        guard FileAccess.exists(path) else { return (nil, nil) }
        let bytes = try FileAccess.read(path)
        let file = try BaselineFile(reading: bytes, path: path)
        guard file.place(by: key) == place else {
            throw BaselineError(.misplaced(page: file.placeText), path: path)
        }
        return (file, bytes)
    }
}

extension BaselineStore {
    /// Replaces a single file outside any store, as a merge driver does, atomically.
    public static func replace(_ path: String, with file: BaselineFile) throws(BaselineError) {
        try FileAccess.replace(path, with: file.bytes())
    }
}
