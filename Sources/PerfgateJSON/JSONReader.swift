/// A strict (RFC 8259), fast reader that is asked for one value after the other.
///
/// It borrows its bytes, usually one line, and is a plain value of five words: a copy of it is a bookmark to return
/// to. It allocates only for keys with escape sequences, numbers of 20 digits and more, and for skipping what is nested
/// deeper than 64 levels.
///
/// A value is read by the function for what it should be. `JSONError.Kind.mismatch` leaves the reader before a value of
/// another kind, so that it can still be skipped; after any other error nothing more can be read. What isn't read has
/// to be skipped, and only `finish()` says that all of the input is right.
///
///     var reader = JSONReader(line)
///     try reader.enterObject()
///     while let key = try reader.nextKey() {
///         switch key {
///         case "page": page = try reader.readText()
///         case "ttfl_ms": ttfl = try reader.readDouble()
///         default: try reader.skipValue()
///         }
///     }
///     try reader.finish()
public struct JSONReader {
    /// The input.
    @usableFromInline let bytes: JSONBytes
    /// The position of the next byte to look at.
    @usableFromInline var position: Int
    /// The number of containers that stand open.
    @usableFromInline var depth = 0
    /// Whether the container that stands open has had an item, so that a comma has to come before the next.
    @usableFromInline var needsComma = false

    /// The number of containers that may stand open within one another.
    @inlinable
    public static var depthLimit: Int { 512 }

    /// A reader of a whole JSON text; the bytes have to outlive it and every `JSONText` it gives.
    ///
    /// - Parameter offset: Where the text begins, such as behind a byte order mark.
    @inlinable @inline(__always)
    public init(_ buffer: UnsafeRawBufferPointer, from offset: Int = 0) {
        bytes = JSONBytes(buffer)
        position = min(max(offset, 0), buffer.count)
    }

    /// The number of bytes at the start of an input that are a byte order mark: 3 or 0.
    public static func byteOrderMarkLength(of buffer: UnsafeRawBufferPointer) -> Int {
        buffer.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The number of bytes read so far.
    @inlinable @inline(__always)
    public var offset: Int { position }

    /// The kind of the next value, which stays unread.
    @inlinable
    public mutating func peekKind() throws(JSONError) -> JSONKind {
        guard let kind = JSONKind(firstByte: nextByte()) else { throw bytes.unexpected(.expectedValue, at: position) }
        return kind
    }

    /// Validates the next value, of any kind and depth, without reading it; numbers of any size pass.
    @inlinable @inline(__always)
    public mutating func skipValue() throws(JSONError) {
        if bytes.byteOrZero(at: position) == JSONByte.quote, let end = bytes.plainStringEnd(from: position &+ 1) {
            position = end &+ 1
        } else {
            position = try bytes.valueEnd(from: position, depth: depth)
        }
    }

    /// Demands that nothing but white space follows and every container is closed.
    @inlinable @inline(__always)
    public mutating func finish() throws(JSONError) {
        _ = nextByte()
        guard depth == 0 else { throw JSONError(.unexpectedEnd, at: position) }
        guard position == bytes.count else { throw JSONError(.trailingContent, at: position) }
    }

    /// Steps over white space and looks at the byte behind it; 0 at the end.
    @inlinable @inline(__always)
    mutating func nextByte() -> UInt8 {
        position = bytes.spaceEnd(from: position)
        return bytes.byteOrZero(at: position)
    }
}
