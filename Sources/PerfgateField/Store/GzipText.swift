import CZlib
import PerfgateIngest

struct TableText {
    /// The text so far, in UTF-8.
    fileprivate(set) var bytes: [UInt8] = []

    mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    @inline(__always)
    mutating func append(_ byte: Unicode.Scalar) { bytes.append(UInt8(ascii: byte)) }

    /// Appends a whole number, at least 0, in decimal digits.
    @inline(__always)
    mutating func append(_ number: Int) {
        var rest = number.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        var (low, high) = (start, bytes.count &- 1)
        while low < high {
            bytes.swapAt(low, high)
            (low, high) = (low &+ 1, high &- 1)
        }
    }

    mutating func append(field: String) {
        guard field.utf8.contains(where: Self.needsQuotes) else { return append(field.utf8) }
        append("\"")
        for byte in field.utf8 { append(byte == UInt8(ascii: "\"") ? [byte, byte] : [byte]) }
        append("\"")
    }

    /// Appends CSV fields, each followed by a comma.
    mutating func append(names: [String]) {
        for name in names {
            append(field: name)
            append(",")
        }
    }

    /// Appends CSV fields, each followed by a comma, but the last one by `end`.
    mutating func append(numbers: [Int], end: Unicode.Scalar = ",") {
        for (index, number) in numbers.enumerated() {
            append(number)
            append(index == numbers.count - 1 ? end : ",")
        }
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0D || byte == 0x0A
    }
}

/// Text compressed while it is written: the same bytes always give the same file.
struct GzipText: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>
    private let header: UnsafeMutablePointer<gz_header>
    private var text = TableText()
    private var compressed: [UInt8] = []
    private let scratch: UnsafeMutableBufferPointer<UInt8>

    private static let pieceSize = 1 << 16
    private static let unknownSystem: Int32 = 255
    /// Higher levels take several times as long and make files of digits hardly smaller.
    private static let level: Int32 = 1

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        header = .allocate(capacity: 1)
        header.initialize(to: gz_header())
        header.pointee.os = Self.unknownSystem
        scratch = .allocate(capacity: Self.pieceSize)
        perfgate_deflate_init_gzip(stream, Self.level)
        deflateSetHeader(stream, header)
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        header.deallocate()
        scratch.deallocate()
    }

    @inline(__always)
    mutating func write(_ body: (inout TableText) -> Void) {
        body(&text)
        if text.bytes.count >= Self.pieceSize { deflate(Z_NO_FLUSH) }
    }

    consuming func finished() -> [UInt8] {
        deflate(Z_FINISH)
        return compressed
    }

    private mutating func deflate(_ flush: Int32) {
        let (stream, scratch) = (stream, scratch)
        text.bytes.withUnsafeMutableBufferPointer { text in
            stream.pointee.next_in = text.baseAddress
            stream.pointee.avail_in = UInt32(text.count)
            repeat {
                stream.pointee.next_out = scratch.baseAddress
                stream.pointee.avail_out = UInt32(scratch.count)
                _ = CZlib.deflate(stream, flush)
                compressed.append(contentsOf: scratch[..<(scratch.count - Int(stream.pointee.avail_out))])
            } while stream.pointee.avail_out == 0
        }
        text.bytes.removeAll(keepingCapacity: true)
    }
}

/// Reads a file into memory and decompresses gzip.
enum WholeFile {
    /// The whole file, or the part read before the closure returned false.
    static func read(_ path: String, while isWanted: ([UInt8]) -> Bool = { _ in true }) throws(IngestError) -> [UInt8] {
        var bytes: [UInt8] = []
        var stream = try ByteStream(path: path)
        while isWanted(bytes), try stream.next({ bytes.append(contentsOf: $0) }) {}
        return bytes
    }
}
