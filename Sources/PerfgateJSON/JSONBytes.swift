#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A borrowed run of bytes; the only file of this target that touches memory by address.
///
/// Each primitive is one line, and each that reads asserts the positions it was given, so that the grammar above it
/// is written and reviewed as safe code. The memory belongs to whoever made the buffer and has to outlive this value.
@usableFromInline
struct JSONBytes {
    /// The first byte; valid to read for `count` bytes.
    @usableFromInline let base: UnsafeRawPointer
    /// The number of bytes.
    @usableFromInline let count: Int

    /// Borrows `count` bytes at `base`.
    @inlinable @inline(__always)
    init(base: UnsafeRawPointer, count: Int) {
        self.base = base
        self.count = count
    }

    /// Borrows a buffer, which may be empty.
    @inlinable @inline(__always)
    init(_ buffer: UnsafeRawBufferPointer) {
        self.init(base: buffer.baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start), count: buffer.count)
    }

    /// Borrows the UTF-8 of a literal, which lives as long as the program.
    @inlinable @inline(__always)
    init(_ literal: StaticString) {
        self.init(base: UnsafeRawPointer(literal.utf8Start), count: literal.utf8CodeUnitCount)
    }

    /// Runs `body` on the bytes of an array.
    static func with<Result, Failure: Error>(
        _ array: [UInt8], _ body: (JSONBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try array.withUnsafeBufferPointer { buffer throws(Failure) in
            try body(JSONBytes(UnsafeRawBufferPointer(buffer)))
        }
    }

    /// The bytes as a buffer pointer, for callers of the public interface.
    @inlinable @inline(__always)
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// The byte at a position below `count`.
    @inlinable @inline(__always)
    subscript(position: Int) -> UInt8 {
        assert(position >= 0 && position < count)
        return base.load(fromByteOffset: position, as: UInt8.self)
    }

    /// The byte at a position, or 0, which no rule of JSON's grammar accepts, where the input has ended.
    @inlinable @inline(__always)
    func byteOrZero(at position: Int) -> UInt8 { position < count ? self[position] : 0 }

    /// Whether eight bytes can be read at `position`.
    @inlinable @inline(__always)
    func hasWord(at position: Int) -> Bool { position &+ 8 <= count }

    /// The eight bytes at `position`, the first in the lowest bits.
    @inlinable @inline(__always)
    func word(at position: Int) -> UInt64 {
        assert(position >= 0 && hasWord(at: position))
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// The two bytes at `position`, the first in the lowest bits.
    @inlinable @inline(__always)
    func pair(at position: Int) -> UInt16 {
        assert(position >= 0 && position &+ 2 <= count)
        return UInt16(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt16.self))
    }

    /// The bytes of a range within these, borrowed from the same memory.
    @inlinable @inline(__always)
    func slice(_ start: Int, _ end: Int) -> JSONBytes {
        assert(start >= 0 && start <= end && end <= count)
        return JSONBytes(base: base + start, count: end &- start)
    }

    /// Whether the bytes from `start` on are the same as those of `other` from `start` on; both have equally many.
    @inlinable @inline(__always)
    func isEqual(to other: JSONBytes, from start: Int) -> Bool {
        assert(count == other.count && start <= count)
        return memcmp(base + start, other.base + start, count &- start) == 0
    }

    /// The position of the next line feed at or after `start`, or `nil`.
    func lineFeed(from start: Int) -> Int? {
        memchr(base + start, 0x0A, count - start).map { UnsafeRawPointer($0) - base }
    }

    /// The bytes as text; they are known to be valid UTF-8.
    var string: String { String(decoding: buffer, as: UTF8.self) }

    /// Appends the bytes to an array.
    func append(to array: inout [UInt8]) { array.append(contentsOf: buffer) }
}
