/// Random numbers that a seed repeats, the same on every machine.
///
/// SplitMix64: G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// The numbers of a seed's `stream`: streams of one seed are independent of each other, so that what one of them
    /// draws never moves what another gets.
    package init(seed: UInt64, stream: UInt64) {
        var mixer = SeededGenerator(seed: seed)
        var second = SeededGenerator(seed: mixer.next() ^ (stream &* 0xD134_2543_DE82_EF95))
        state = second.next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number from 0 to below 1, in steps of 2⁻⁵³.
    package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A number of that range, every one as likely as another.
    package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
    }
}
