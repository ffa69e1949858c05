import CZlib
import LibC

/// Bytes of an input in separately owned memory, retained by their readers.
package final class ByteBlock: @unchecked Sendable {
    /// The number of readable zeros after the bytes, so the last bytes can be read by words.
    static let padding = 32

    fileprivate let memory: UnsafeMutableRawBufferPointer
    /// The number of bytes.
    package private(set) var count = 0

    /// Memory for bytes, without other writers.
    init(capacity: Int) {
        memory = .allocate(byteCount: capacity + Self.padding, alignment: 16)
    }

    /// A copy of bytes.
    convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(capacity: bytes.count)
        memory.copyMemory(from: bytes)
        end(at: bytes.count)
    }

    deinit { memory.deallocate() }

    /// The bytes.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    /// The bytes and the padding.
    var padded: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<(count + Self.padding)]) }

    /// The memory for bytes.
    fileprivate var room: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: memory[..<(memory.count - Self.padding)])
    }

    /// Sets the number of written bytes.
    fileprivate func end(at count: Int) {
        self.count = count
        for index in count..<(count + Self.padding) { memory[index] = 0 }
    }
}

/// Lends blocks, and reuses those that have no other owner.
private final class BlockPool {
    private var blocks: [ByteBlock] = []

    func vacant() -> ByteBlock {
        for index in blocks.indices where isKnownUniquelyReferenced(&blocks[index]) { return blocks[index] }
        let block = ByteBlock(capacity: ByteStream.chunkSize)
        blocks.append(block)
        return block
    }
}

/// The bytes of a file or of standard input in chunks, with gzip decompressed.
package struct ByteStream: ~Copyable {
    /// The largest chunk in bytes.
    static let chunkSize = 1 << 20

    /// The number of input bytes read so far, before decompression.
    package private(set) var readCount = 0
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private let pool = BlockPool()
    private var inflater: Inflater?
    private var isAtStart = true
    /// The deadline for a program to open the named pipe for writing; `nil`: it is open, or there is no pipe.
    private var writerDeadline: ContinuousClock.Instant?

    /// The seconds to wait for a program that writes into a named pipe.
    @TaskLocal static var writerSeconds = 60.0

    /// Opens a path; `-` is standard input.
    package init(path: String) throws(IngestError) {
        let isPipe = Self.isNamedPipe(path)
        // A blocking open of a pipe would wait for its writer forever.
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC | (isPipe ? O_NONBLOCK : 0))
        guard descriptor >= 0 else { throw .cannotOpen(reason: String(cString: strerror(errno))) }
        self.descriptor = descriptor
        ownsDescriptor = path != "-"
        writerDeadline = isPipe ? .now + .seconds(Self.writerSeconds) : nil
    }

    deinit { if ownsDescriptor { close(descriptor) } }

    /// Passes the next bytes to a closure; false at the end.
    package mutating func next(_ body: (UnsafeRawBufferPointer) -> Void) throws(IngestError) -> Bool {
        try nextBlock { body($0.bytes) }
    }

    /// Passes the next bytes to a closure, which may retain them; false at the end.
    package mutating func nextBlock(_ body: (ByteBlock) -> Void) throws(IngestError) -> Bool {
        let block = pool.vacant()
        // Its bytes are passed on without it.
        defer { withExtendedLifetime(block) {} }
        try fill(block)
        readCount += block.count
        if isAtStart {
            isAtStart = false
            if block.bytes.starts(with: [0x1F, 0x8B]) { inflater = try Inflater() }
        }
        if inflater != nil {
            if block.count == 0 { try inflater?.finish() } else { try inflater?.inflate(block.bytes, pool, body) }
        } else if block.count > 0 {
            body(block)
        }
        return block.count > 0
    }

    /// The size of a file in bytes; `nil` if it doesn't exist or isn't a regular file.
    package static func size(of path: String) -> Int? {
        var status = stat()
        guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Whether a path is a named pipe. The pipes of a shell's `<(…)` have writers from the start.
    private static func isNamedPipe(_ path: String) -> Bool {
        var status = stat()
        let isOfProcess = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
        return path != "-" && !isOfProcess && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Fills a block as far as possible, so a slow pipe doesn't give many small chunks.
    private mutating func fill(_ block: ByteBlock) throws(IngestError) {
        var filled = 0
        while filled < block.room.count, let base = block.room.baseAddress {
            let count = read(descriptor, base + filled, block.room.count - filled)
            if let deadline = writerDeadline {
                // Without a writer, a read returns the end; with an idle one, no data yet.
                if count == 0 { try wait(until: deadline) } else { awaitNoWriter() }
                filled += max(0, count)
                continue
            }
            if count == 0 { break }
            if count > 0 { filled += count }
            if count < 0, errno != EINTR { throw .cannotRead(reason: String(cString: strerror(errno))) }
        }
        block.end(at: filled)
    }

    private func wait(until deadline: ContinuousClock.Instant) throws(IngestError) {
        guard ContinuousClock.now < deadline else {
            let reason = "no program has opened the pipe for writing within \(Int(Self.writerSeconds)) seconds"
            throw .cannotRead(reason: reason)
        }
        usleep(20_000)
    }

    /// From now on, reading blocks for the writer.
    private mutating func awaitNoWriter() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        writerDeadline = nil
    }
}

/// Decompresses a gzip file with one or more members, chunk by chunk, in constant memory.
private struct Inflater: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>
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
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses a chunk and passes the result to a closure in pieces.
    mutating func inflate(
        _ chunk: UnsafeRawBufferPointer, _ pool: BlockPool, _ body: (ByteBlock) -> Void
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
            try step(pool.vacant(), body)
        } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    }

    /// Checks the end of the input.
    borrowing func finish() throws(IngestError) {
        if isInsideMember { throw .truncatedGzip }
    }

    private mutating func step(_ output: ByteBlock, _ body: (ByteBlock) -> Void) throws(IngestError) {
        stream.pointee.next_out = output.room.bindMemory(to: Bytef.self).baseAddress
        stream.pointee.avail_out = UInt32(output.room.count)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw .damagedGzip }
        output.end(at: output.room.count - Int(stream.pointee.avail_out))
        if output.count > 0 { body(output) }
        if status == Z_STREAM_END { isInsideMember = false }
    }
}
