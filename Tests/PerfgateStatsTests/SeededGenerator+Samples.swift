import SeededRandom

extension SeededGenerator {
    /// Whole numbers below `kinds`: many ties where that is small.
    mutating func sample(_ sizes: ClosedRange<Int>, kinds: Int) -> [Double] {
        (0..<Int.random(in: sizes, using: &self)).map { _ in Double(Int.random(in: 0..<kinds, using: &self)) }
    }
}
