/// A key that is likely to come next, kept so that one or two comparisons of words can step over it.
///
/// The lines of one writer have the same keys in the same order, so a reader of many lines can remember the order of
/// the last one; a key that comes as expected needs no search for its end.
public struct JSONExpectedKey: Sendable {
    /// The first bytes of quote, key, quote and colon, filled up with 0 bytes.
    @usableFromInline let first: UInt64
    /// The bits of `first` that count.
    @usableFromInline let mask: UInt64
    /// The bytes from 8 to 16; 0 where there are none.
    @usableFromInline let second: UInt64
    /// The bytes from 16 to 24; 0 where there are none.
    @usableFromInline let third: UInt64
    /// The last eight bytes, of a key whose bytes are more than eight.
    @usableFromInline let last: UInt64
    /// The number of bytes, from 4 to 32.
    @usableFromInline let count: Int

    /// The key as it came; `nil` for one that is longer than 29 bytes or has escape sequences.
    @inlinable
    public init?(_ key: JSONKey) {
        let bytes = key.text.bytes
        guard !key.text.isEscaped, bytes.count <= 29 else { return nil }
        count = bytes.count &+ 3
        // The bytes lie in the input as they do here: the quotes and the colon are put around them.
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var tail: UInt64 = 0
        for index in 0..<count {
            let byte: UInt8
            switch index {
            case 0, count &- 2: byte = JSONByte.quote
            case count &- 1: byte = JSONByte.colon
            default: byte = bytes[index &- 1]
            }
            let bits = UInt64(byte) &<< UInt64(truncatingIfNeeded: index & 7 &* 8)
            switch index &>> 3 {
            case 0: words.0 |= bits
            case 1: words.1 |= bits
            case 2: words.2 |= bits
            default: words.3 |= bits
            }
            tail = tail &>> 8 | UInt64(byte) &<< 56
        }
        first = words.0
        mask = count >= 8 ? .max : (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
        second = words.1
        third = words.2
        last = tail
    }
}

extension JSONReader {
    /// Steps over the next member's key where it is the one expected, with no white space around it; else nothing
    /// happens, and `nextKey()` reads on.
    @inlinable @inline(__always)
    public mutating func takeKey(_ key: JSONExpectedKey) -> Bool {
        var start = position
        if needsComma {
            guard bytes.byteOrZero(at: start) == JSONByte.comma else { return false }
            start &+= 1
        }
        let end = start &+ key.count
        guard bytes.hasWord(at: start), end <= bytes.count, bytes.word(at: start) & key.mask == key.first else {
            return false
        }
        if key.count > 8 {
            guard bytes.word(at: end &- 8) == key.last else { return false }
            if key.count > 16 {
                guard bytes.word(at: start &+ 8) == key.second else { return false }
                if key.count > 24 {
                    guard bytes.word(at: start &+ 16) == key.third else { return false }
                }
            }
        }
        position = end
        needsComma = true
        return true
    }
}
