import SeededRandom

extension SeededGenerator {
    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// One of several values.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
