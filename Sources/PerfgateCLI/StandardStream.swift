#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output and standard error.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Writes a text as it is.
    func write(_ text: String) {
        write(Array(text.utf8))
    }

    /// Writes all bytes; what can't be written, because the reader is gone, is dropped.
    func write(_ bytes: [UInt8]) {
        _ = isWritten(bytes)
    }

    /// Writes all bytes of a result, without which the command has failed.
    func deliver(_ bytes: [UInt8]) throws(CommandError) {
        guard !isWritten(bytes) else { return }
        throw CommandError(
            status: .cannotWrite, description: "standard output can't be written. Look where it goes, and run again.")
    }

    private func isWritten(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.write(rawValue, $0) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Whether a person watches.
    var isTerminal: Bool { isatty(rawValue) == 1 }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
