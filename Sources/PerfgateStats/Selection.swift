/// Finds values by their rank without sorting all of them (C. A. R. Hoare, "Algorithm 65: Find", Comm. ACM 4 (1961) 321).
enum Selection {
    /// Up to so many values are sorted.
    private static let few = 16

    /// Puts those values in their places that would stand there if all were sorted; places count from 0.
    static func settle(_ places: [Int], in values: inout [Double]) {
        // Values that no pivot divides well are sorted, so that nobody's samples take a square of their number.
        let patience = 2 * (Int.bitWidth - values.count.leadingZeroBitCount)
        values.withUnsafeMutableBufferPointer { settle(places.sorted()[...], in: $0, patience: patience) }
    }

    private static func settle(
        _ places: ArraySlice<Int>, in values: UnsafeMutableBufferPointer<Double>, from first: Int = 0, patience: Int
    ) {
        guard !places.isEmpty else { return }
        guard values.count > few, patience > 0 else {
            var all = values
            return all.sort()
        }
        let pivot = middle(values[0], values[values.count / 2], values[values.count - 1])
        let below = divide(values[...]) { $0 < pivot }
        let upTo = divide(values[below...]) { $0 <= pivot }
        let (lower, upper) = (values[..<below], values[upTo...])
        settle(
            places.prefix { $0 < first + below }, in: UnsafeMutableBufferPointer(rebasing: lower), from: first,
            patience: patience - 1)
        settle(
            places.drop { $0 < first + upTo }, in: UnsafeMutableBufferPointer(rebasing: upper), from: first + upTo,
            patience: patience - 1)
    }

    private static func middle(_ a: Double, _ b: Double, _ c: Double) -> Double {
        max(min(a, b), min(max(a, b), c))
    }

    /// Moves the values of a kind to the front, and gives the index of the first of the others.
    @inline(__always)
    private static func divide(
        _ slice: Slice<UnsafeMutableBufferPointer<Double>>, by isOfKind: (Double) -> Bool
    ) -> Int {
        let values = slice.base
        var border = slice.startIndex
        // Every value is moved, because which ones must be can't be foreseen by a processor.
        for index in slice.startIndex..<slice.endIndex {
            let value = values[index]
            values[index] = values[border]
            values[border] = value
            border &+= isOfKind(value) ? 1 : 0
        }
        return border
    }
}
