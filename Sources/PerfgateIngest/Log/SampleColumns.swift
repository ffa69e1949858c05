/// Values with the numbers of what they belong to, in two lists of equal length: 12 bytes a value.
struct SampleColumns {
    /// The metrics of the values; once a shard is put together, its groups.
    var numbers: [Int32] = []
    /// The values; one that is not a number says that something was measured without giving a sample.
    private(set) var values: [Double] = []

    /// How many values there are.
    var count: Int { values.count }

    /// Adds a value.
    @inline(__always)
    mutating func append(_ number: Int32, _ value: Double) {
        numbers.append(number)
        values.append(value)
    }

    /// Adds values of others.
    mutating func append(_ range: Range<Int>, of others: SampleColumns) {
        numbers += others.numbers[range]
        values += others.values[range]
    }
}
