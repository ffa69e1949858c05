/// Statistics of the numbers of many bodies.
package struct Distribution: Sendable {
    package let count: Int
    package let median: Int
    package let p90: Int
    package let max: Int
    package let overLimit: Int

    /// - Parameter complexities: in any order.
    package init(_ complexities: [Int], limit: Int) {
        let sorted = complexities.sorted()
        /// The smallest number that covers at least this share of the bodies.
        func rank(_ percent: Int) -> Int {
            sorted.isEmpty ? 0 : sorted[Swift.max(0, (sorted.count * percent + 99) / 100 - 1)]
        }
        count = sorted.count
        median = rank(50)
        p90 = rank(90)
        max = sorted.last ?? 0
        overLimit = sorted.filter { $0 > limit }.count
    }
}
