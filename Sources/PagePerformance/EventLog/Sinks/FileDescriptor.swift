#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file, by the number that the system gave it.
struct FileDescriptor: Sendable {
    let number: CInt

    /// The standard error of the process.
    static let standardError = FileDescriptor(number: 2)

    /// Writes all bytes; the cause (`errno`) if the system doesn't take them, else `nil`.
    func writeAll(_ bytes: [UInt8]) -> CInt? {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer
            while !rest.isEmpty {
                let count = write(number, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                if count < 0 { return errno }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return nil
        }
    }
}
