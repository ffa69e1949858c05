import SeededRandom

extension SeededGenerator {
    /// A nearly normal number, sufficient for medians: the sum of twelve uniform numbers minus its mean.
    mutating func nearlyNormal() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
    }

    /// Whole numbers below `kinds`: a small `kinds` gives many ties.
    mutating func sample(_ sizes: ClosedRange<Int>, kinds: Int) -> [Double] {
        (0..<Int.random(in: sizes, using: &self)).map { _ in Double(Int.random(in: 0..<kinds, using: &self)) }
    }
}
