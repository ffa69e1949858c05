/// The number of occurrences of each key: open addressing with linear probing, 16 bytes per slot.
///
/// Keys are numbers chosen by the owner, below 2⁶⁴ − 1. Iteration follows slot order.
struct CountTable: ~Copyable {
    struct Entry: BitwiseCopyable {
        let key: UInt64
        let count: Int
    }

    private struct Place {
        /// The key plus 1; 0 for an empty slot.
        var key: UInt64
        var count: Int
    }

    private(set) var count = 0
    private var places: UnsafeMutablePointer<Place>
    /// The number of slots is 2 to this power.
    private var bits: UInt64

    private static let leastBits: UInt64 = 12

    init() {
        bits = Self.leastBits
        places = Self.places(bits)
    }

    deinit { places.deallocate() }

    @inline(__always)
    mutating func add(_ amount: Int, to key: UInt64) {
        let position = position(of: key)
        if places[position].key == 0 { return insert(key, amount, at: position) }
        places[position].count &+= amount
    }

    /// Reserves room for this many more keys.
    ///
    /// Keys of another table come in hash order. They would fill a small table from its start, so each lookup would
    /// probe through all earlier keys.
    mutating func reserve(_ more: Int) {
        var bits = bits
        while (count + more) * 4 > 3 << bits { bits += 1 }
        if bits > self.bits { grow(to: bits) }
    }

    /// Passes every key with its count to a closure, unordered.
    func forEach(_ body: (UInt64, Int) -> Void) {
        for position in 0..<(1 << bits) where places[position].key != 0 {
            body(places[position].key &- 1, places[position].count)
        }
    }

    /// The selected keys with their counts, unordered.
    func entries(taking isTaken: (UInt64) -> Bool) -> [Entry] {
        var entries: [Entry] = []
        forEach { key, count in
            if isTaken(key) { entries.append(Entry(key: key, count: count)) }
        }
        return entries
    }

    @inline(__always)
    private func position(of key: UInt64) -> Int {
        let mask = 1 &<< Int(truncatingIfNeeded: bits) &- 1
        var position = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> (64 &- bits))
        while places[position].key != 0, places[position].key != key &+ 1 { position = (position &+ 1) & mask }
        return position
    }

    @inline(never)
    private mutating func insert(_ key: UInt64, _ amount: Int, at position: Int) {
        places[position] = Place(key: key &+ 1, count: amount)
        count += 1
        // Probes stay short up to a load of three quarters.
        if count * 4 > 3 << bits { grow(to: bits + 1) }
    }

    private mutating func grow(to bits: UInt64) {
        let (old, oldCount) = (places, 1 << self.bits)
        self.bits = bits
        places = Self.places(bits)
        for index in 0..<oldCount where old[index].key != 0 { places[position(of: old[index].key &- 1)] = old[index] }
        old.deallocate()
    }

    private static func places(_ bits: UInt64) -> UnsafeMutablePointer<Place> {
        let places = UnsafeMutablePointer<Place>.allocate(capacity: 1 << bits)
        places.initialize(repeating: Place(key: 0, count: 0), count: 1 << bits)
        return places
    }
}
