import CZlib
import LibC

/// The bytes of a file or of standard input, in chunks, decompressed where they are gzip.
package struct ByteStream: ~Copyable {
    /// How many bytes a chunk has at most.
    static let chunkSize = 1 << 20

    /// How many bytes of the input were read so far, compressed where it is.
    package private(set) var readCount = 0
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private let buffer: UnsafeMutableRawBufferPointer
    private var inflater: Inflater?
    private var isAtStart = true

    /// Opens a path; `-` is standard input.
    package init(path: String) throws(IngestError) {
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
    package mutating func next(_ body: (UnsafeRawBufferPointer) -> Void) throws(IngestError) -> Bool {
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
    package static func size(of path: String) -> Int? {
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

/// Decompresses a gzip file of one or more members, chunk by chunk, in constant memory.
struct Inflater: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableRawBufferPointer
    private var isInsideMember = true

    /// Starts a decoder.
    init() throws(IngestError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard perfgate_inflate_init_gzip(stream) == Z_OK else {
            stream.deallocate()
            throw .damagedGzip
        }
        self.stream = stream
        output = .allocate(byteCount: ByteStream.chunkSize, alignment: 16)
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Decompresses a chunk and gives the result to a closure, in pieces.
    mutating func inflate(
        _ chunk: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(IngestError) {
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: chunk.bindMemory(to: Bytef.self).baseAddress)
        stream.pointee.avail_in = UInt32(chunk.count)
        repeat {
            if !isInsideMember {
                guard stream.pointee.avail_in > 0 else { return }
                guard inflateReset(stream) == Z_OK else { throw .damagedGzip }
                isInsideMember = true
            }
            try step(body)
        } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    }

    /// Says that the input is at its end.
    borrowing func finish() throws(IngestError) {
        if isInsideMember { throw .truncatedGzip }
    }

    private mutating func step(_ body: (UnsafeRawBufferPointer) -> Void) throws(IngestError) {
        stream.pointee.next_out = output.bindMemory(to: Bytef.self).baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw .damagedGzip }
        let produced = output.count - Int(stream.pointee.avail_out)
        if produced > 0 { body(UnsafeRawBufferPointer(rebasing: output[..<produced])) }
        if status == Z_STREAM_END { isInsideMember = false }
    }
}
