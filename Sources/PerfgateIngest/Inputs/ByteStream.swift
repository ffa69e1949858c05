import CZlib

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes of a file or of standard input, in chunks, decompressed where they are gzip.
struct ByteStream: ~Copyable {
    /// How many bytes a chunk has at most.
    static let chunkSize = 1 << 20

    /// How many bytes of the input were read so far, compressed where it is.
    private(set) var readCount = 0
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private let buffer: UnsafeMutableRawBufferPointer
    private var inflater: Inflater?
    private var isAtStart = true

    /// Opens a path; `-` is standard input.
    init(path: String) throws(IngestError) {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotOpen(reason: String(cString: strerror(errno))) }
        self.descriptor = descriptor
        ownsDescriptor = path != "-"
        buffer = .allocate(byteCount: Self.chunkSize, alignment: 16)
    }

    deinit {
        buffer.deallocate()
        if ownsDescriptor { close(descriptor) }
    }

    /// Gives the next bytes to a closure; false at the end.
    mutating func next(_ body: (UnsafeRawBufferPointer) -> Void) throws(IngestError) -> Bool {
        let count = try fill()
        readCount += count
        let chunk = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if isAtStart {
            isAtStart = false
            if chunk.starts(with: [0x1F, 0x8B]) { inflater = try Inflater() }
        }
        if inflater != nil {
            if count == 0 { try inflater?.finish() } else { try inflater?.inflate(chunk, body) }
        } else if count > 0 {
            body(chunk)
        }
        return count > 0
    }

    /// How many bytes the file at a path has; `nil` where there is none, or where it is no ordinary file.
    static func size(of path: String) -> Int? {
        var status = stat()
        guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Fills the buffer as far as the input goes, so that a slow pipe gives few small chunks.
    private func fill() throws(IngestError) -> Int {
        var filled = 0
        while filled < buffer.count, let base = buffer.baseAddress {
            let count = read(descriptor, base + filled, buffer.count - filled)
            if count == 0 { break }
            if count > 0 { filled += count }
            if count < 0, errno != EINTR { throw .cannotRead(reason: String(cString: strerror(errno))) }
        }
        return filled
    }
}
