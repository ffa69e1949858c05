/// 128 bits that stand for bytes: good enough to tell contents and identifiers apart, not meant against an enemy who
/// wants two that collide.
///
/// Two multiply–fold lanes over 8 bytes at a time, in the manner of wyhash (Wang Yi, public domain); the same on every
/// platform and in every process.
struct ContentHash: Hashable {
    private(set) var low: UInt64 = 0x9E37_79B9_7F4A_7C15
    private(set) var high: UInt64 = 0xD1B5_4A32_D192_ED03

    /// The hash of no bytes.
    init() {}

    /// The hash of bytes.
    init(of bytes: UnsafeRawBufferPointer) {
        feed(bytes)
    }

    /// Feeds bytes; feeding them in two pieces is another content than in one.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        // The lanes wait for nothing but themselves, so that two multiplications are under way at any time.
        while offset &+ 32 <= bytes.count {
            low = Self.fold(low ^ Self.word(bytes, offset), Self.word(bytes, offset &+ 8) ^ 0xA076_1D64_78BD_642F)
            high = Self.fold(
                high ^ Self.word(bytes, offset &+ 16), Self.word(bytes, offset &+ 24) ^ 0xE703_7ED1_A0B4_28DB)
            offset &+= 32
        }
        while offset &+ 8 <= bytes.count {
            mix(Self.word(bytes, offset))
            offset &+= 8
        }
        if offset < bytes.count { mix(Self.lastWord(bytes, offset)) }
        mix(UInt64(bytes.count))
    }

    /// The hash in 64 bits, each of which depends on every byte that was fed.
    var folded: UInt64 { HashedIndex.hash(low, high) }

    /// The hash as 16 hexadecimal digits.
    var text: String {
        let digits = String(folded, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
    }

    /// The bytes from `offset` on, fewer than eight, with some before them where there are any.
    @inline(__always)
    private static func lastWord(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        if bytes.count >= 8 { return word(bytes, bytes.count &- 8) }
        var rest: UInt64 = 0
        for index in offset..<bytes.count { rest = rest << 8 | UInt64(bytes[index]) }
        return rest
    }

    @inline(__always)
    private mutating func mix(_ word: UInt64) {
        low = Self.fold(low ^ word, 0xA076_1D64_78BD_642F)
        high = Self.fold(high &+ word, 0xE703_7ED1_A0B4_28DB) ^ low
    }

    @inline(__always)
    private static func fold(_ value: UInt64, _ factor: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }
}
