import Foundation
import LibC

/// Reads and changes files and folders.
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
        do throws(FileError) {
            try FileCall.makeFolder.make(on: path) { Int(mkdir(path, mode)) }
        } catch {
            guard error.code == EEXIST, isFolder(path) else { throw error }
        }
        try synchroniseFolder(outer)
    }

    package static func remove(_ path: String) throws(FileError) {
        do throws(FileError) {
            try FileCall.remove.make(on: path) { Int(unlink(path)) }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
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
        do throws(FileError) {
            let descriptor = Int32(try FileCall.synchronise.make(on: path) { Int(open(path, O_RDONLY | O_CLOEXEC)) })
            defer { close(descriptor) }
            try FileCall.synchronise.make(on: path) { Int(fsync(descriptor)) }
        } catch {
            // Some network file systems don't support fsync of a folder, and a folder may be unreadable; rename is the
            // only safety that they offer.
            guard [EINVAL, ENOTSUP, EACCES].contains(error.code) else { throw error }
        }
    }
}

extension FileAccess {
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

/// A file for data that doesn't fit into memory. It has no name, so nothing is left when its process ends.
///
/// Values are stored in their memory layout: no other process reads them.
package final class ScratchFile {
    /// The position of an array in the file.
    package struct Stored<Element: BitwiseCopyable>: Sendable {
        fileprivate let offset: Int
        fileprivate let count: Int
    }

    private let folder: String
    private let descriptor: Int32
    private var end = 0

    package init(in folder: String) throws(FileError) {
        self.folder = folder
        descriptor = try TemporaryFile(beside: "\(folder)/scratch", naming: folder).detach()
    }

    deinit { close(descriptor) }

    package func append<Element>(_ elements: [Element]) throws(FileError) -> Stored<Element> {
        let stored = Stored<Element>(offset: end, count: elements.count)
        var written = 0
        let size = elements.count * MemoryLayout<Element>.stride
        while written < size {
            written += try FileCall.write.make(on: folder) {
                elements.withUnsafeBytes { bytes in
                    let rest = bytes[written...]
                    return rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(end + written)) }
                }
            }
        }
        end += size
        return stored
    }

    package func read<Element>(_ stored: Stored<Element>) throws(FileError) -> [Element] {
        let size = stored.count * MemoryLayout<Element>.stride
        var fault: FileError?
        let elements = [Element](unsafeUninitializedCapacity: stored.count) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            var read = 0
            do throws(FileError) {
                while read < size {
                    let more = try FileCall.read.make(on: folder) {
                        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[read..<size])
                        return pread(descriptor, rest.baseAddress, rest.count, off_t(stored.offset + read))
                    }
                    guard more > 0 else { throw FileError(.read, path: folder, code: EIO) }
                    read += more
                }
                count = stored.count
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        return elements
    }
}
