/// A few tests by their numbers; neighbouring lines mostly are of the same one.
struct TestSet {
    /// The tests, each once.
    private(set) var numbers: Set<Int32> = []
    private var last: Int32 = -1

    /// Adds a test.
    @inline(__always)
    mutating func insert(_ test: Int32) {
        guard test != last else { return }
        last = test
        numbers.insert(test)
    }

    /// Adds the tests of another set.
    mutating func formUnion(_ other: TestSet) {
        numbers.formUnion(other.numbers)
    }
}
