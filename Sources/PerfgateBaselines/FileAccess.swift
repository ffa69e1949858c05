import Foundation
import LibC

/// What the store asks of the file system.
enum FileAccess {
    /// The folder that a path is in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether there is something at a path.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether there is a folder at a path.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The names in a folder that don't begin with a dot, sorted by their bytes; none where there is no folder.
    static func names(in folder: String) throws(BaselineError) -> [String] {
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw failure(.list, folder)
        }
        closedir(stream)
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { !$0.hasPrefix(".") }
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        } catch {
            throw BaselineError(.system(.list, code: EIO), path: folder)
        }
    }

    /// The bytes of a file.
    static func read(_ path: String) throws(BaselineError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(.read, path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = retrying { systemRead(file, &buffer) }
            guard count >= 0 else { throw failure(.read, path) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Makes a folder with those around it, where they aren't there.
    static func makeFolder(_ path: String) throws(BaselineError) {
        guard !isFolder(path) else { return }
        let outer = folder(of: path)
        if outer != path { try makeFolder(outer) }
        guard mkdir(path, 0o777) == 0 || (errno == EEXIST && isFolder(path)) else { throw failure(.create, path) }
        try synchroniseFolder(outer)
    }

    /// Removes a file for good.
    static func remove(_ path: String) throws(BaselineError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure(.remove, path) }
        try synchroniseFolder(folder(of: path))
    }

    /// Removes a folder with everything in it, if it is there.
    static func removeTree(_ folder: String) throws(BaselineError) {
        guard exists(folder) else { return }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            throw BaselineError(.system(.remove, code: EIO), path: folder)
        }
    }

    /// Removes a folder that holds nothing; one that holds something stays.
    static func removeFolderIfEmpty(_ path: String) {
        _ = rmdir(path)
    }

    /// Waits until the names in a folder are on the disk.
    static func synchroniseFolder(_ path: String) throws(BaselineError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.synchronise, path) }
        defer { close(descriptor) }
        // Some network file systems know no fsync of a folder; a rename is all the safety that they offer.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw failure(.synchronise, path) }
    }

    /// The error of the call that was just made.
    static func failure(_ operation: BaselineError.SystemOperation, _ path: String) -> BaselineError {
        BaselineError(.system(operation, code: errno), path: path)
    }

    /// The result of a call that is made again while a signal interrupts it.
    static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }

    private static func systemRead(_ file: Int32, _ buffer: inout [UInt8]) -> Int {
        buffer.withUnsafeMutableBytes { bytes in
            #if canImport(Glibc)
            Glibc.read(file, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
            Musl.read(file, bytes.baseAddress, bytes.count)
            #else
            Darwin.read(file, bytes.baseAddress, bytes.count)
            #endif
        }
    }
}

extension FileAccess {
    /// Puts bytes in the place of a file, so that a crash leaves the old or the new one.
    ///
    /// They are written to a file of another name in the same folder, brought to the disk, and renamed; then the
    /// folder is brought to the disk, without which the new name itself could be lost.
    static func replace(_ path: String, with bytes: [UInt8]) throws(BaselineError) {
        let (file, temporary) = try makeTemporaryFile(in: folder(of: path))
        do throws(BaselineError) {
            defer { close(file) }
            try write(bytes, to: file, path: temporary)
            guard fsync(file) == 0 else { throw failure(.synchronise, temporary) }
            // A temporary file is its owner's alone; a baseline is for everyone that may read the repository.
            guard fchmod(file, 0o644) == 0 else { throw failure(.write, temporary) }
            guard rename(temporary, path) == 0 else { throw failure(.rename, path) }
        } catch {
            unlink(temporary)
            throw error
        }
        try synchroniseFolder(folder(of: path))
    }

    /// Gives a file or a folder another name in the same folder.
    static func move(_ path: String, to other: String) throws(BaselineError) {
        guard rename(path, other) == 0 else { throw failure(.rename, other) }
        try synchroniseFolder(folder(of: other))
    }

    private static func makeTemporaryFile(in folder: String) throws(BaselineError) -> (file: Int32, path: String) {
        var template = Array("\(folder)/.perfgate-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw failure(.create, folder) }
        return (file, String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    private static func write(_ bytes: [UInt8], to file: Int32, path: String) throws(BaselineError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = retrying { systemWrite(file, rest) }
            guard count >= 0 else { throw failure(.write, path) }
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

/// Keeps other processes from changing the baselines of a store.
///
/// The lock is on the folder itself, so that no file of a lock stands beside the baselines, and it ends with the
/// process, also with one that is killed.
struct FolderLock {
    private let descriptor: Int32

    /// Waits until no one else holds the lock, then takes it.
    init(_ folder: String) throws(BaselineError) {
        descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileAccess.failure(.lock, folder) }
        guard FileAccess.retrying({ Int(flock(descriptor, LOCK_EX)) }) == 0 || errno == ENOTSUP else {
            let error = FileAccess.failure(.lock, folder)
            close(descriptor)
            throw error
        }
    }

    /// Gives the lock back.
    func release() {
        close(descriptor)
    }
}
