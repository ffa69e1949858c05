#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

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
