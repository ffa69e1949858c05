import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

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
