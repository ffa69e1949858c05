import Foundation
import LibC

/// A file system call. All changes go through here, so tests can make them fail.
package enum FileCall: String, Sendable, Hashable, CaseIterable {
    case list, read, create, write, synchronise, close, rename, remove, lock
    case makeFolder = "make the folder"
    case setMode = "set the mode"

    /// For tests: returns the `errno` with which a call on a path fails; `nil`: the call is made.
    @TaskLocal package static var fault: (@Sendable (FileCall, String) -> Int32?)?
    /// For tests: the most bytes that one call writes.
    @TaskLocal package static var mostWritten = Int.max

    /// Makes the call and repeats it if a signal interrupts it; `-1` is a failure. The path is for errors.
    /// - Parameter accepted: The `errno` values with which the call returns `-1` instead of throwing.
    @discardableResult
    func make(on path: String, accepting accepted: [Int32] = [], _ call: () -> Int) throws(FileError) -> Int {
        var code = Self.fault?(self, path)
        while code == nil {
            let result = call()
            guard result == -1 else { return result }
            // A descriptor is closed even if its close was interrupted.
            if errno == EINTR, self == .close { return 0 }
            if errno != EINTR { code = errno }
        }
        if let code, !accepted.contains(code) { throw FileError(self, path: path, code: code) }
        return -1
    }

    func refuse(on path: String) throws(FileError) {
        if let code = Self.fault?(self, path) { throw FileError(self, path: path, code: code) }
    }
}

package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let call: FileCall
    /// The path as it was given; `-` is standard output.
    package let path: String
    package let code: Int32
    /// The holder of the lock that was waited for; `nil`: unknown, or not the reason.
    package let holder: String?

    package init(_ call: FileCall, path: String, code: Int32, holder: String? = nil) {
        (self.call, self.path, self.code, self.holder) = (call, path, code, holder)
    }

    /// The error as `path: call: reason; advice`.
    package var description: String { "\(path == "-" ? "standard output" : path): \(problem)" }

    package var problem: String {
        if call == .lock, code == ETIMEDOUT {
            return "can't lock: \(holder ?? "another process") has been changing it for long; wait until that ends, or "
                + "end it"
        }
        return "can't \(call.rawValue): \(reason); \(advice)"
    }

    /// What the system says, or that a named pipe has no other end.
    package var reason: String {
        guard code == ETIMEDOUT, call == .read || call == .create else { return String(cString: strerror(code)) }
        let purpose = call == .read ? "writing" : "reading"
        return "no program has opened the pipe for \(purpose) within \(Int(NamedPipe.seconds)) seconds"
    }

    private var advice: String {
        switch code {
        case ENOSPC: "free some space, or give a path on another disk"
        case EDQUOT: "your disk quota is used up: free some space, or give a path on another disk"
        case EFBIG: "raise the limit on the size of files (ulimit -f), or give a path on another disk"
        case EROFS: "give a path on a writable disk"
        case EACCES, EPERM: "change the permissions of the file and its folder, or give another path"
        case ENOENT where call == .read: "check the path"
        case ENOENT: "make its folder, or give another path"
        case ENOTDIR: "the path uses a file as a folder: give another path"
        case EISDIR: "it is a folder: give the path of a file in it"
        case EEXIST: "there is a file instead of a folder: remove it, or give another path"
        case ETIMEDOUT: "start that program, or give the path of a file"
        case ENAMETOOLONG: "give a shorter path"
        case EPIPE: "its reader ended: check the reader, and run again"
        default: "check the path and its permissions"
        }
    }
}

package enum FileAccess {
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The path from the root, for programs that run elsewhere.
    package static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The names in a folder that don't start with a dot, sorted by bytes; empty if there is no such folder.
    package static func names(in folder: String) throws(FileError) -> [String] {
        try FileCall.list.refuse(on: folder)
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw FileError(.list, path: folder, code: errno)
        }
        closedir(stream)
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { !$0.hasPrefix(".") }
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        } catch {
            throw FileError(.list, path: folder, code: EIO)
        }
    }

    /// The bytes of a file; at most one more than `limit`, so a large file is recognised and can't exhaust memory.
    package static func read(_ path: String, limit: Int = .max) throws(FileError) -> [UInt8] {
        try InputFile.bytes(of: path == "-" ? "./-" : path, limit: limit)
    }

    /// Makes a folder and its parents if they don't exist; `mode`: the permissions of a new folder, before the umask.
    package static func makeFolder(_ path: String, mode: mode_t = 0o777) throws(FileError) {
        guard !isFolder(path) else { return }
        let outer = folder(of: path)
        if outer != path { try makeFolder(outer) }
        let made = try FileCall.makeFolder.make(on: path, accepting: [EEXIST]) { Int(mkdir(path, mode)) }
        guard made == 0 || isFolder(path) else { throw FileError(.makeFolder, path: path, code: EEXIST) }
        try synchroniseFolder(outer)
    }

    package static func remove(_ path: String) throws(FileError) {
        try FileCall.remove.make(on: path, accepting: [ENOENT]) { Int(unlink(path)) }
        try synchroniseFolder(folder(of: path))
    }

    package static func removeTree(_ folder: String) throws(FileError) {
        guard exists(folder) else { return }
        try FileCall.remove.refuse(on: folder)
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            throw FileError(.remove, path: folder, code: EIO)
        }
    }

    package static func removeFolderIfEmpty(_ path: String) { _ = rmdir(path) }

    /// Renames a file or folder within the same folder.
    package static func move(_ path: String, to other: String) throws(FileError) {
        try FileCall.rename.make(on: other) { Int(rename(path, other)) }
        try synchroniseFolder(folder(of: other))
    }

    /// Replaces a file's content, so a crash leaves the old or the new content.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        var replacement = try Replacement(of: target(of: path), with: bytes, naming: path)
        do throws(FileError) {
            try replacement.commit()
        } catch {
            replacement.discard()
            throw error
        }
    }

    /// Adds bytes to a new or existing file, and waits until they are on disk. A crash or a full disk leaves a part.
    package static func append(_ bytes: [UInt8], to path: String) throws(FileError) {
        let isNew = !exists(path)
        let file = Int32(
            try FileCall.create.make(on: path) { Int(open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)) })
        defer { close(file) }
        try write(bytes, to: file, path: path)
        try FileCall.synchronise.make(on: path) { Int(fsync(file)) }
        if isNew { try synchroniseFolder(folder(of: path)) }
    }

    /// Throws if no file can be created in a folder, or in its nearest existing parent.
    package static func probe(folder: String) throws(FileError) {
        var nearest = folder
        while !exists(nearest), self.folder(of: nearest) != nearest { nearest = self.folder(of: nearest) }
        try TemporaryFile(beside: "\(nearest)/probe", naming: folder).remove()
    }

    /// The end of a chain of symbolic links, whether it exists or not; or the first path that matches `isEnd`.
    static func target(of path: String, endingAt isEnd: (String) -> Bool = { _ in false }) throws(FileError) -> String {
        var target = path
        for _ in 0..<40 {
            guard !isEnd(target) else { return target }
            var buffer = [CChar](repeating: 0, count: 4096)
            let count = readlink(target, &buffer, buffer.count)
            guard count >= 0 else { return target }
            let next = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            target = next.hasPrefix("/") ? next : "\(folder(of: target))/\(next)"
        }
        throw FileError(.create, path: path, code: ELOOP)
    }

    /// Waits until a folder's entries are on disk.
    static func synchroniseFolder(_ path: String) throws(FileError) {
        // Some network file systems don't support fsync of a folder, and a folder may be unreadable; rename is the only
        // safety that they offer.
        let codes = [EINVAL, ENOTSUP, EACCES]
        let file = try FileCall.synchronise.make(on: path, accepting: codes) { Int(open(path, O_RDONLY | O_CLOEXEC)) }
        guard file >= 0 else { return }
        defer { close(Int32(file)) }
        try FileCall.synchronise.make(on: path, accepting: codes) { Int(fsync(Int32(file))) }
    }

    package static func write(_ bytes: [UInt8], to file: Int32, path: String) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try FileCall.write.make(on: path) { systemWrite(file, rest.prefix(FileCall.mostWritten)) }
            rest = rest.dropFirst(count)
        }
    }

    private static func systemWrite(_ file: Int32, _ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBytes { bytes in
            #if canImport(Glibc)
            Glibc.write(file, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
            Musl.write(file, bytes.baseAddress, bytes.count)
            #else
            Darwin.write(file, bytes.baseAddress, bytes.count)
            #endif
        }
    }
}
