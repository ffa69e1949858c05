import PerfgateJSON
import PerfgateModel

/// Finds the numbers of entries, which the owner stores, by their hashes. Open addressing with linear probing. A slot
/// contains 32 bits of the hash beside the number, so most mismatches are rejected, and the table grows, without
/// accessing the entries.
package struct HashedIndex {
    /// The number plus 1 in the lower half, and the upper half of the hash; 0 for an empty slot.
    private var places: [UInt64] = Array(repeating: 0, count: 16)
    package private(set) var count = 0
    /// The result of prefetches: without a use, the compiler would remove them.
    private var touched: UInt64 = 0

    package init() {}

    /// The number of the entry with a hash for which `isEqual` is true; a new entry gets the next number.
    @inline(__always) package mutating func number(hash: UInt64, isEqual: (Int) -> Bool) -> (number: Int, isNew: Bool) {
        let tag = hash & 0xFFFF_FFFF_0000_0000
        let mask = places.count &- 1
        var position = Int(truncatingIfNeeded: hash &>> 32) & mask
        while places[position] != 0 {
            let place = places[position]
            let number = Int(truncatingIfNeeded: place & 0xFFFF_FFFF) &- 1
            if place & 0xFFFF_FFFF_0000_0000 == tag, isEqual(number) { return (number, false) }
            position = (position &+ 1) & mask
        }
        places[position] = tag | UInt64(truncatingIfNeeded: count &+ 1)
        count += 1
        if count &* 2 > places.count { grow() }
        return (count &- 1, true)
    }

    /// The number of the entry with a hash for which `isEqual` is true; `nil` if unknown.
    package func known(hash: UInt64, isEqual: (Int) -> Bool) -> Int? {
        let tag = hash & 0xFFFF_FFFF_0000_0000
        var position = Int(truncatingIfNeeded: hash &>> 32) & (places.count &- 1)
        while places[position] != 0 {
            let number = Int(truncatingIfNeeded: places[position] & 0xFFFF_FFFF) &- 1
            if places[position] & 0xFFFF_FFFF_0000_0000 == tag, isEqual(number) { return number }
            position = (position &+ 1) & (places.count &- 1)
        }
        return nil
    }

    /// Prefetches the slot of a hash.
    @inline(__always) mutating func touch(_ hash: UInt64) {
        touched ^= places[Int(truncatingIfNeeded: hash &>> 32) & (places.count &- 1)]
    }

    /// Removes all entries and keeps the memory.
    mutating func removeAll() {
        guard count > 0 else { return }
        count = 0
        for position in places.indices { places[position] = 0 }
    }

    @inline(__always) package static func hash(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let product = (first ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: second ^ 0xD1B5_4A32_D192_ED03)
        return (product.high ^ product.low) &* 0xA076_1D64_78BD_642F
    }

    @inline(never) private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: places.count * 2)
        let mask = larger.count &- 1
        for place in places where place != 0 {
            var position = Int(truncatingIfNeeded: place &>> 32) & mask
            while larger[position] != 0 { position = (position &+ 1) & mask }
            larger[position] = place
        }
        places = larger
    }
}

/// A 128-bit hash that distinguishes contents and identifiers, but doesn't resist attackers who look for collisions.
/// Two multiply–fold lanes over 8 bytes at a time, like wyhash (Wang Yi, public domain); the same everywhere.
package struct ContentHash: Hashable, Sendable, BitwiseCopyable {
    package private(set) var low: UInt64 = 0x9E37_79B9_7F4A_7C15
    package private(set) var high: UInt64 = 0xD1B5_4A32_D192_ED03

    package init() {}

    package init(of bytes: UnsafeRawBufferPointer) { feed(bytes) }

    /// Hashes bytes; splitting them gives a different hash.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        // The lanes are independent, so two multiplications run in parallel.
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

    /// The hash in 64 bits, each depending on every byte.
    package var folded: UInt64 { HashedIndex.hash(low, high) }

    /// The hash as 16 hexadecimal digits.
    var text: String { String(folded, radix: 16).padded(toWidth: 16) }

    @inline(__always) private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
    }

    /// The bytes from `offset` on, fewer than eight, with preceding ones if there are any.
    @inline(__always) private static func lastWord(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        if bytes.count >= 8 { return word(bytes, bytes.count &- 8) }
        var rest: UInt64 = 0
        for index in offset..<bytes.count { rest = rest << 8 | UInt64(bytes[index]) }
        return rest
    }

    @inline(__always) private mutating func mix(_ word: UInt64) {
        low = Self.fold(low ^ word, 0xA076_1D64_78BD_642F)
        high = Self.fold(high &+ word, 0xE703_7ED1_A0B4_28DB) ^ low
    }

    @inline(__always) private static func fold(_ value: UInt64, _ factor: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }
}

/// Assigns small numbers to texts, without making a `String` for known bytes. Texts that look equal are equal: both
/// forms of `é` are one name, stored in Unicode's composed form (NFC). Not copyable, like every number table: an
/// earlier copy would lack numbers that are assigned later.
package struct ByteInterner: ~Copyable {
    private var index = HashedIndex()
    private var hashes: [ContentHash] = []
    private var numbers: [Int32] = []
    private var texts: [String] = []
    private var blanks: [Bool] = []
    /// The texts that weren't in composed form, with the numbers of the composed ones.
    private(set) var decomposed: [(text: String, number: Int32)] = []
    private var scratch: [UInt8] = []

    package init() {}

    package mutating func index(of text: JSONText) -> Int32 {
        guard text.isEscaped else { return index(of: text.rawBytes) }
        scratch.removeAll(keepingCapacity: true)
        text.appendDecoded(to: &scratch)
        return scratch.withUnsafeBytes { index(of: $0) }
    }

    package mutating func index(of bytes: UnsafeRawBufferPointer) -> Int32 {
        let hash = ContentHash(of: bytes)
        let (entry, isNew) = index.number(hash: hash.folded) { hashes[$0] == hash }
        if isNew { add(String(decoding: bytes, as: UTF8.self), hash, entry) }
        return numbers[entry]
    }

    private mutating func add(_ text: String, _ hash: ContentHash, _ entry: Int) {
        hashes.append(hash)
        numbers.append(Int32(texts.count))
        let normal = text.precomposedStringWithCanonicalMapping
        guard !normal.utf8.elementsEqual(text.utf8) else {
            blanks.append(text.allSatisfy(\.isWhitespace))
            return texts.append(text)
        }
        let number = Array(normal.utf8).withUnsafeBytes { index(of: $0) }
        numbers[entry] = number
        decomposed.append((text, number))
    }

    /// Whether the text with a number is empty or only white space.
    package func isBlank(_ index: Int32) -> Bool { blanks[Int(index)] }

    package var count: Int { texts.count }

    package subscript(_ index: Int32) -> String { texts[Int(index)] }
}

/// Values with the numbers of their owners, in two lists of equal length: 12 bytes per value.
struct SampleColumns {
    /// The metrics of the values; after a shard is assembled, its groups.
    var numbers: [Int32] = []
    /// The values; NaN means that something was measured without a sample.
    private(set) var values: [Double] = []

    var count: Int { values.count }

    mutating func reserve(_ count: Int) {
        numbers.reserveCapacity(count)
        values.reserveCapacity(count)
    }

    /// Removes all values, and keeps the memory if nothing else retains it.
    mutating func removeAll() {
        numbers.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    @inline(__always) mutating func append(_ number: Int32, _ value: Double) {
        numbers.append(number)
        values.append(value)
    }

    mutating func append(_ range: Range<Int>, of others: SampleColumns) {
        numbers += others.numbers[range]
        values += others.values[range]
    }

    mutating func renumber(by list: [Int32]) {
        for position in numbers.indices { numbers[position] = list[Int(numbers[position])] }
    }
}

/// The iterations of pages in a stream or shard, each with a number.
struct IterationTable {
    /// A page in an environment.
    struct Place: Hashable {
        let page: Int32, environment: Int32
    }

    /// The key of samples that belong together.
    struct Key: Hashable {
        let place: Place
        let iteration: Int
    }

    /// The iterations, in order of first appearance.
    private(set) var keys: [Key] = []
    private var index = HashedIndex()
    private var last: Int32 = 0

    /// The number of an iteration; adjacent lines usually have the same.
    @inline(__always) mutating func number(of key: Key) -> (number: Int32, isNew: Bool) {
        if Int(last) < keys.count, keys[Int(last)] == key { return (last, false) }
        return find(key)
    }

    private mutating func find(_ key: Key) -> (number: Int32, isNew: Bool) {
        let (page, environment) = (UInt32(bitPattern: key.place.page), UInt32(bitPattern: key.place.environment))
        let hash = HashedIndex.hash(UInt64(page) << 32 | UInt64(environment), UInt64(bitPattern: Int64(key.iteration)))
        let (number, isNew) = index.number(hash: hash) { keys[$0] == key }
        if isNew { keys.append(key) }
        last = Int32(number)
        return (last, isNew)
    }
}
