#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Small files in which a system tells about itself.
enum TextFile {
    /// The first 64 kB of a file; `nil` if it can't be read.
    static func contents(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(file, buffer.baseAddress.map { $0 + length }, buffer.count - length)
            }
            guard count > 0 else { break }
            length += count
        }
        return String(decoding: bytes[..<length], as: UTF8.self)
    }
}
