/// Eight bytes looked at together, the first in the lowest bits ("SIMD within a register").
///
/// The searches give a mask with the top bit of every byte found. Where a borrow can run into higher bytes, the
/// lowest byte found is still right, and only that one is used.
@usableFromInline
enum JSONWord {
    /// A word whose eight bytes are all `byte`.
    @inlinable @inline(__always)
    static func filled(with byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// The top bit of each byte.
    @inlinable static var topBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Marks what a string scan has to look at: a quote, a backslash, a control character, a byte beyond ASCII.
    ///
    /// Flipping bit 1 puts the quote (0x22) right above the controls, so that one subtraction finds both
    /// (D. Lemire, "Quickly checking whether a string needs escaping", 2024).
    @inlinable @inline(__always)
    static func stringStops(in word: UInt64) -> UInt64 {
        let quotesAndControls = (word ^ filled(with: 0x02)) &- filled(with: 0x21)
        let backslashes = (word ^ filled(with: JSONByte.backslash)) &- filled(with: 0x01)
        return (quotesAndControls | backslashes | word) & topBits
    }

    /// Marks every byte that isn't a decimal digit; exact for every byte, as no carry leaves one.
    @inlinable @inline(__always)
    static func nonDigits(in word: UInt64) -> UInt64 {
        let values = word ^ filled(with: JSONByte.zero)
        return (((values & ~topBits) &+ filled(with: 0x76)) | values) & topBits
    }

    /// The index of the lowest byte marked, or 8 for an empty mask.
    @inlinable @inline(__always)
    static func firstIndex(_ mask: UInt64) -> Int { mask.trailingZeroBitCount &>> 3 }

    /// The value of the first `count` bytes, 1 to 8 of them, all decimal digits.
    ///
    /// Three multiplications join neighbours to pairs, pairs to fours and fours to eight (D. Lemire, "Number parsing
    /// at a gigabyte per second", 2021). The digits are moved to the top, which reads as zeros in front of them.
    @inlinable @inline(__always)
    static func value(ofDigits count: Int, in word: UInt64) -> UInt64 {
        let digits = (word ^ filled(with: JSONByte.zero)) &<< (64 &- 8 &* UInt64(truncatingIfNeeded: count))
        let pairs = digits &* 10 &+ (digits &>> 8)
        let low = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
        let high = ((pairs &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
        return (low &+ high) &>> 32
    }

    /// The first `count` bytes of a word, with 0xFF, which no UTF-8 holds, in the place of the others.
    @inlinable @inline(__always)
    static func prefix(_ count: Int, of word: UInt64) -> UInt64 {
        count >= 8 ? word : word | (UInt64.max &<< (8 &* UInt64(truncatingIfNeeded: count)))
    }
}
