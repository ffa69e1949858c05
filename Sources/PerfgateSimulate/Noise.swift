import SeededRandom

/// A reproducible stream of numbers, begun anew for each thing that happens.
///
/// So what happens on one page doesn't depend on what happened on the one before: a change that is injected there
/// changes nothing here.
struct Noise: RandomNumberGenerator {
    private var generator: SeededGenerator

    /// Begins the stream of a seed and names: FNV-1a over the names.
    init(seed: UInt64, _ names: String...) {
        var hash = 0xCBF2_9CE4_8422_2325 ^ seed
        for name in names {
            for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        generator = SeededGenerator(seed: hash)
    }

    /// The next 64 bits.
    mutating func next() -> UInt64 { generator.next() }

    /// A number from the range.
    mutating func number(in range: ClosedRange<Double>) -> Double { generator.uniform(range) }

    /// Whether something of this probability happens.
    mutating func happens(_ probability: Double) -> Bool { generator.uniform() < probability }

    /// A factor around 1 with this standard deviation, at least a tenth.
    ///
    /// The sum of twelve uniform numbers is nearly normal, and the same on every platform, which logarithms aren't.
    mutating func factor(deviation: Double) -> Double {
        let sum = (0..<12).reduce(0) { sum, _ in sum + generator.uniform() }
        return max(0.1, 1 + deviation * (sum - 6))
    }
}
