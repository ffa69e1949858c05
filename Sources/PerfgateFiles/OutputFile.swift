import LibC
import Synchronization

/// An output file of a command. Creating it checks that it can be written, before the work starts; its old content
/// stays until the new content is complete. Standard output, devices and pipes are written directly.
package final class OutputFile {
    /// The path as it was given; `-` is standard output.
    package let path: String
    private let place: Place

    private enum Place {
        /// A file, which needn't exist, at a path that isn't a symbolic link.
        case file(String)
        /// A pipe, a device or a process descriptor; or a file, truncated first, whose folder allows no others.
        case stream(Int32, isCut: Bool)
    }

    /// Takes a path, and throws if it can't be written; `CallFiles` opens the outputs of a call.
    init(_ path: String) throws(FileError) {
        self.path = path
        place = try Self.place(of: path)
    }

    package static func isStandardOutput(_ path: String) -> Bool { descriptor(named: path) == 1 }

    /// Whether a path is a process descriptor instead of a file.
    static func isStream(_ path: String) -> Bool { descriptor(named: path) != nil }

    deinit { if case .stream(let descriptor, _) = place { close(descriptor) } }

    package func write(_ bytes: [UInt8]) throws { try Self.write([(self, { bytes })]) }

    /// Replaces the content of several files: each new content is first written beside its file, then all are renamed.
    /// All keep their old content if one can't be written or renamed.
    package static func write(_ contents: [(file: OutputFile, bytes: () throws -> [UInt8])]) throws {
        var replacements: [Replacement] = []
        var streams: [(file: OutputFile, bytes: [UInt8])] = []
        defer { for replacement in replacements { replacement.discard() } }
        for (file, bytes) in contents {
            switch file.place {
            case .file(let target):
                replacements.append(try Replacement(of: target, with: try bytes(), naming: file.path))
            case .stream: streams.append((file, try bytes()))
            }
        }
        for index in replacements.indices {
            do {
                try replacements[index].commit(keepingOld: replacements.count > 1)
            } catch {
                for replacement in replacements[...index].reversed() { replacement.undo() }
                throw error
            }
        }
        for (file, bytes) in streams { try file.send(bytes) }
    }

    private func send(_ bytes: [UInt8]) throws(FileError) {
        guard case .stream(let descriptor, let isCut) = place else { return }
        if isCut { try FileCall.write.make(on: path) { Int(ftruncate(descriptor, 0)) } }
        try FileAccess.write(bytes, to: descriptor, path: path)
    }

    private static func place(of path: String) throws(FileError) -> Place {
        guard !path.isEmpty else { throw FileError(.create, path: path, code: ENOENT) }
        let target = try FileAccess.target(of: path) { descriptor(named: $0) != nil }
        if let number = descriptor(named: target) {
            return .stream(Int32(try FileCall.create.make(on: path) { Int(dup(number)) }), isCut: false)
        }
        func opened() throws(FileError) -> Int32 {
            if NamedPipe.isAt(target) { return try NamedPipe.openForWriting(target, naming: path) }
            return Int32(try FileCall.create.make(on: path) { Int(open(target, O_WRONLY | O_CLOEXEC)) })
        }
        var status = stat()
        let isThere = stat(target, &status) == 0
        guard !isThere || status.st_mode & S_IFMT == S_IFREG else { return .stream(try opened(), isCut: false) }
        if isThere { try FileCall.create.make(on: path) { Int(access(target, W_OK)) } }
        do throws(FileError) {
            try TemporaryFile(beside: target, naming: path).remove()
            return .file(target)
        } catch {
            guard isThere, [EACCES, EPERM, EROFS].contains(error.code) else { throw error }
            return .stream(try opened(), isCut: true)
        }
    }

    /// The process descriptor of a path. It is written directly: what is open for appending must keep other output.
    static func descriptor(named path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": return 1
        case "/dev/stderr": return 2
        default:
            let folders = ["/dev/fd/", "/proc/self/fd/"]
            return folders.lazy.compactMap { path.hasPrefix($0) ? Int32(path.dropFirst($0.count)) : nil }.first
        }
    }
}

/// The new content of a file: complete and on disk beside it, under a temporary name until it is committed.
struct Replacement {
    private let path, name: String
    private let file: TemporaryFile
    private var old = Old.untouched

    private enum Old {
        /// It isn't replaced yet, or can't be restored.
        case untouched
        /// It is replaced, and there was none before.
        case absent
        case kept(String)
    }

    /// Writes the bytes; on failure leaves nothing behind. `name` is the path for errors.
    init(of path: String, with bytes: [UInt8], naming name: String) throws(FileError) {
        (self.path, self.name) = (path, name)
        file = try TemporaryFile(beside: path, naming: name)
        do throws(FileError) {
            try file.fill(with: bytes, likeFile: path)
        } catch {
            file.discard()
            throw error
        }
    }

    /// Replaces the file with the content, and waits until the rename is on disk.
    /// - Parameter keepingOld: Whether the old file gets another name, for `undo`; some file systems have no such names.
    mutating func commit(keepingOld: Bool = false) throws(FileError) {
        let isThere = FileAccess.exists(path)
        if keepingOld, isThere, link(path, file.nameOfOld) == 0 { old = .kept(file.nameOfOld) }
        try FileCall.rename.make(on: name) { Int(rename(file.path, path)) }
        if keepingOld, !isThere { old = .absent }
        try FileAccess.synchroniseFolder(FileAccess.folder(of: path))
    }

    /// Restores the state before the commit, because a file of the same call can't be replaced.
    func undo() {
        switch old {
        case .untouched: break
        case .absent: unlink(path)
        case .kept(let name): rename(name, path)
        }
    }

    /// Removes uncommitted content, and the other name of the old file.
    func discard() {
        file.discard()
        if case .kept(let name) = old { unlink(name) }
    }
}

/// A new file under a unique name, whose leading dot hides it from readers of the folder.
struct TemporaryFile {
    let path: String
    private let descriptor: Int32
    private let target: String

    init(beside path: String, naming target: String) throws(FileError) {
        let folder = FileAccess.folder(of: path)
        Self.removeLeftovers(in: folder)
        let name = "\(folder)/\(Self.prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))\(Self.suffix)"
        // The umask determines its permissions, like those of any file that a command writes.
        descriptor = Int32(
            try FileCall.create.make(on: target) { Int(open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)) })
        (self.path, self.target) = (name, target)
    }

    /// Writes all bytes, syncs them to disk, and closes the file. It gets the mode of the file that it replaces.
    func fill(with bytes: [UInt8], likeFile original: String) throws(FileError) {
        var isOpen = true
        defer { if isOpen { close(descriptor) } }
        try FileAccess.write(bytes, to: descriptor, path: target)
        var status = stat()
        if stat(original, &status) == 0 {
            // Only root can change the owner; other users' files are their own already.
            _ = fchown(descriptor, status.st_uid, status.st_gid)
            try FileCall.setMode.make(on: target) { Int(fchmod(descriptor, status.st_mode & 0o777)) }
        }
        try FileCall.synchronise.make(on: target) { Int(fsync(descriptor)) }
        isOpen = false
        let closed = Int(close(descriptor))
        try FileCall.close.make(on: target) { closed }
    }

    func remove() throws(FileError) {
        close(descriptor)
        try FileCall.remove.make(on: target) { Int(unlink(path)) }
    }

    /// Removes its name and returns the descriptor, which stays open.
    func detach() throws(FileError) -> Int32 {
        do throws(FileError) {
            try FileCall.remove.make(on: target) { Int(unlink(path)) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Removes it, ignoring failures because another error is being thrown.
    func discard() { unlink(path) }

    var nameOfOld: String { path.dropLast(Self.suffix.count) + "-old" + Self.suffix }

    private static let prefix = ".perfgate-", suffix = ".part"
    /// The age in seconds after which a temporary file has no writer any more.
    private static let lifetime = 3_600

    private static let cleaned = Mutex<Set<String>>([])

    /// Removes leftovers of killed writers; once per folder, since a folder may get many files.
    private static func removeLeftovers(in folder: String) {
        guard cleaned.withLock({ $0.insert(folder).inserted }), let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        let now = time(nil)
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { continue }
            var status = stat()
            let path = "\(folder)/\(name)"
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            #if canImport(Darwin)
            let changed = status.st_mtimespec.tv_sec
            #else
            let changed = status.st_mtim.tv_sec
            #endif
            if now - changed > lifetime { unlink(path) }
        }
    }
}
