import CZlib
import LibC
import PerfgateFiles

/// Bytes of an input in separately owned memory, retained by their readers.
package final class ByteBlock: @unchecked Sendable {
    /// The number of readable zeros after the bytes, so the last bytes can be read by words.
    static let padding = 32

    fileprivate let memory: UnsafeMutableRawBufferPointer
    package private(set) var count = 0

    init(capacity: Int) { memory = .allocate(byteCount: capacity + Self.padding, alignment: 16) }

    convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(capacity: bytes.count)
        memory.copyMemory(from: bytes)
        end(at: bytes.count)
    }

    deinit { memory.deallocate() }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    var padded: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<(count + Self.padding)]) }

    fileprivate var room: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: memory[..<(memory.count - Self.padding)])
    }

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
    static let chunkSize = 1 << 20

    /// The number of input bytes read so far, before decompression.
    package private(set) var readCount = 0
    private var file: InputFile
    private let pool = BlockPool()
    private var inflater: Inflater?
    private var isAtStart = true

    /// Opens a path; `-` is standard input.
    package init(path: String) throws(IngestError) {
        do throws(FileError) {
            file = try InputFile(path)
        } catch {
            throw .cannotOpen(reason: error.reason)
        }
    }

    /// Passes the next bytes to a closure; false at the end.
    package mutating func next(_ body: (UnsafeRawBufferPointer) -> Void) throws(IngestError) -> Bool {
        try nextBlock { body($0.bytes) }
    }

    /// Passes the next bytes to a closure, which may retain them; false at the end.
    package mutating func nextBlock(_ body: (ByteBlock) -> Void) throws(IngestError) -> Bool {
        let block = pool.vacant()
        // Its bytes are passed on without it.
        defer { withExtendedLifetime(block) {} }
        do throws(FileError) {
            block.end(at: try file.fill(block.room))
        } catch {
            throw .cannotRead(reason: error.reason)
        }
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
}

/// Decompresses a gzip file with one or more members, chunk by chunk, in constant memory.
private final class Inflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private var isInsideMember = true

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
    func inflate(_ chunk: UnsafeRawBufferPointer, _ pool: BlockPool, _ body: (ByteBlock) -> Void) throws(IngestError) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: chunk.bindMemory(to: Bytef.self).baseAddress)
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

    func finish() throws(IngestError) { if isInsideMember { throw .truncatedGzip } }

    private func step(_ output: ByteBlock, _ body: (ByteBlock) -> Void) throws(IngestError) {
        stream.pointee.next_out = output.room.bindMemory(to: Bytef.self).baseAddress
        stream.pointee.avail_out = UInt32(output.room.count)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw .damagedGzip }
        output.end(at: output.room.count - Int(stream.pointee.avail_out))
        if output.count > 0 { body(output) }
        if status == Z_STREAM_END { isInsideMember = false }
    }
}
