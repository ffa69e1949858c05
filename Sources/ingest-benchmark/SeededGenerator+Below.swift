import SeededRandom

extension SeededGenerator {
    /// A whole number from 0 up to a limit.
    mutating func below(_ limit: Int) -> Int {
        Int(truncatingIfNeeded: next() >> 33) % limit
    }
}
