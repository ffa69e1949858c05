import CZlib

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
