/// A key in the input, with its first eight bytes for fast comparison. `switch key { case "page": … }` compares one
/// word per case, which the compiler turns into a search tree.
@usableFromInline package struct JSONKey {
    /// The key as a text; it borrows the reader's bytes.
    @usableFromInline package let text: JSONText
    /// The first eight bytes of the decoded key, padded with 0xFF, which UTF-8 never contains.
    @usableFromInline let head: UInt64

    /// The key whose validated bytes are at `start ..< end` of `input`.
    @inlinable @inline(__always) init(_ input: JSONBytes, _ start: Int, _ end: Int, isEscaped: Bool) {
        text = JSONText(input.slice(start, end), isEscaped: isEscaped)
        if isEscaped {
            head = text.bytes.unescapedHead()
        } else {
            head =
                input.hasWord(at: start) ? JSONWord.prefix(end &- start, of: input.word(at: start)) : text.bytes.head()
        }
    }

    package var string: String { text.string }

    /// Whether the decoded key is the literal, byte for byte.
    @inlinable @inline(__always) package static func == (key: JSONKey, literal: StaticString) -> Bool {
        // Below eight bytes the padding marks the key's end.
        key.head == JSONBytes(literal).head()
            && (literal.utf8CodeUnitCount < 8 || key.text.isEqual(to: JSONBytes(literal), from: 8))
    }

    @inlinable @inline(__always) package static func ~= (literal: StaticString, key: JSONKey) -> Bool { key == literal }

    /// The number of bytes before the key in the input that it was read from.
    func offset(in input: JSONBytes) -> Int { text.bytes.base - input.base }
}

/// Eight bytes processed together, the first in the lowest bits ("SIMD within a register"). The searches return a mask
/// with the top bit of every byte found. If a borrow runs into higher bytes, the lowest byte found is still correct,
/// and only that one is used.
@usableFromInline enum JSONWord {
    @inlinable @inline(__always)
    static func filled(with byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    @inlinable static var topBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Marks the bytes that end a plain string scan: quote, backslash, control characters, non-ASCII bytes. Flipping
    /// bit 1 puts the quote (0x22) right above the controls, so that one subtraction finds both (D. Lemire, "Quickly
    /// checking whether a string needs escaping", 2024).
    @inlinable @inline(__always) static func stringStops(in word: UInt64) -> UInt64 {
        let quotesAndControls = (word ^ filled(with: 0x02)) &- filled(with: 0x21)
        let backslashes = (word ^ filled(with: JSONByte.backslash)) &- filled(with: 0x01)
        return (quotesAndControls | backslashes | word) & topBits
    }

    /// Marks every byte that isn't a decimal digit; exact for every byte, since no carry leaves one.
    @inlinable @inline(__always) static func nonDigits(in word: UInt64) -> UInt64 {
        let values = word ^ filled(with: JSONByte.zero)
        return (((values & ~topBits) &+ filled(with: 0x76)) | values) & topBits
    }

    /// The index of the lowest marked byte, or 8 for an empty mask.
    @inlinable @inline(__always) static func firstIndex(_ mask: UInt64) -> Int { mask.trailingZeroBitCount &>> 3 }

    /// The value of the first `count` bytes, 1 to 8 of them, all decimal digits. Three multiplications join neighbours
    /// to pairs, pairs to fours and fours to eight (D. Lemire, "Number parsing at a gigabyte per second", 2021). The
    /// digits are moved to the top, which acts as leading zeros.
    @inlinable @inline(__always) static func value(ofDigits count: Int, in word: UInt64) -> UInt64 {
        let digits = (word ^ filled(with: JSONByte.zero)) &<< (64 &- 8 &* UInt64(truncatingIfNeeded: count))
        let pairs = digits &* 10 &+ (digits &>> 8)
        let low = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
        let high = ((pairs &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
        return (low &+ high) &>> 32
    }

    /// The first `count` bytes of a word, with the others replaced by 0xFF, which UTF-8 never contains.
    @inlinable @inline(__always) static func prefix(_ count: Int, of word: UInt64) -> UInt64 {
        count >= 8 ? word : word | (UInt64.max &<< (8 &* UInt64(truncatingIfNeeded: count)))
    }
}

/// A key compared by bytes, as in JSON; Swift's strings treat "é" and "e" with an accent as equal.
struct JSONKeyBytes: Hashable, Comparable {
    let key: String

    init(_ key: String) { self.key = key }

    static func == (left: JSONKeyBytes, right: JSONKeyBytes) -> Bool {
        // Equal texts may still differ in their bytes, by their normalization.
        left.key == right.key && left.key.utf8.elementsEqual(right.key.utf8)
    }

    static func < (left: JSONKeyBytes, right: JSONKeyBytes) -> Bool {
        left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var key = key
        key.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Which of up to 128 known fields an object has had, to detect repeated keys.
@usableFromInline package struct JSONFieldSet {
    /// One bit per field, by index: 0 to 63, and above.
    @usableFromInline var bits = SIMD2<UInt64>()

    @inlinable package init() {}

    /// Adds a field by its index, 0 to 127, and returns whether it is the first time.
    @inlinable package mutating func insert(_ index: Int) -> Bool {
        let bit: UInt64 = 1 << (index & 63)
        defer { bits[index >> 6] |= bit }
        return bits[index >> 6] & bit == 0
    }
}

/// A validated string in the input, not yet copied. It borrows the reader's bytes: use it while they are valid.
@usableFromInline package struct JSONText {
    @usableFromInline let bytes: JSONBytes
    /// Whether the bytes contain escape sequences, so the text differs from `rawBytes`.
    @usableFromInline package let isEscaped: Bool

    @inlinable @inline(__always)
    init(_ bytes: JSONBytes, isEscaped: Bool) { (self.bytes, self.isEscaped) = (bytes, isEscaped) }

    /// The bytes between the quotes; equal to the text unless `isEscaped`.
    @inlinable @inline(__always) package var rawBytes: UnsafeRawBufferPointer { bytes.buffer }

    package var string: String { isEscaped ? String(decoding: bytes.unescaped, as: UTF8.self) : bytes.string }

    /// Appends the decoded text as UTF-8 to the caller's buffer.
    package func appendDecoded(to buffer: inout [UInt8]) {
        if isEscaped { bytes.appendUnescaped(to: &buffer) } else { buffer.append(contentsOf: rawBytes) }
    }

    /// Whether the decoded text is the literal, byte for byte.
    @inlinable @inline(__always) package static func == (text: JSONText, literal: StaticString) -> Bool {
        text.isEqual(to: JSONBytes(literal), from: 0)
    }

    @inlinable @inline(__always)
    package static func ~= (literal: StaticString, text: JSONText) -> Bool { text == literal }

    /// Whether the decoded text is the literal, if the part before `start` is known to be equal.
    @inlinable @inline(__always) func isEqual(to literal: JSONBytes, from start: Int) -> Bool {
        if isEscaped { return isEqualUnescaped(to: literal) }
        return bytes.count == literal.count && bytes.isEqual(to: literal, from: start)
    }

    /// `isEqual` for a text that must be decoded first.
    @usableFromInline @inline(never)
    func isEqualUnescaped(to literal: JSONBytes) -> Bool { bytes.unescaped.elementsEqual(literal.buffer) }
}
