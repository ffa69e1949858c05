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
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.write(rawValue, $0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
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
