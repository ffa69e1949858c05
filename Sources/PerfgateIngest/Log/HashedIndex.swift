/// Finds the numbers of entries, which their owner keeps, by the entries' hashes.
///
/// Open addressing with linear probing. A place holds 32 bits of the hash beside the number, so that most strangers are
/// told apart, and the table grows, without looking at the entries themselves.
struct HashedIndex {
    /// The number in the lower half, plus 1, and the upper half of the hash above it; 0 where nothing is.
    private var places: [UInt64] = Array(repeating: 0, count: 16)
    /// How many entries it knows.
    private(set) var count = 0

    /// The number of the entry with a hash for which `isEqual` holds; one that isn't known yet gets the next number.
    @inline(__always)
    mutating func number(hash: UInt64, isEqual: (Int) -> Bool) -> (number: Int, isNew: Bool) {
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

    /// A hash of two words.
    @inline(__always)
    static func hash(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let product = (first ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: second ^ 0xD1B5_4A32_D192_ED03)
        return (product.high ^ product.low) &* 0xA076_1D64_78BD_642F
    }

    @inline(never)
    private mutating func grow() {
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
