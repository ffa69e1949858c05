/// The values that 2U can take: from a lowest to a highest one, in equal steps.
struct Lattice: Equatable {
    /// The distance between neighbouring values, 1 or more; where groups of equal values differ in size, not every
    /// multiple is attained.
    let step: Int
    /// 2U where the candidate holds the lowest values.
    let lowest: Int
    /// 2U where the candidate holds the highest values.
    let highest: Int

    /// `sizes` of the groups of equal values from the lowest up, of whose values `chosen` are the candidate's.
    init(sizes: [Int], chosen: Int) {
        // Moving a candidate up by one group changes 2U by both groups' sizes.
        let steps = zip(sizes, sizes.dropFirst()).reduce(0) { Self.greatestDivisor($0, $1.0 + $1.1) }
        step = max(1, steps)
        let others = sizes.reduce(0, +) - chosen
        lowest = Self.tied(sizes, chosen)
        highest = 2 * chosen * others - Self.tied(sizes.reversed(), chosen)
    }

    /// The least value from `doubledU` on that is whole steps away from the lowest.
    func next(from doubledU: Int) -> Int {
        let beyond = doubledU - lowest
        return doubledU + (step - beyond % step) % step
    }

    /// 2U of the first `chosen` values: only ties count, in the group that is not taken whole.
    private static func tied(_ sizes: some Sequence<Int>, _ chosen: Int) -> Int {
        var left = chosen
        for size in sizes {
            if left <= size { return left * (size - left) }
            left -= size
        }
        return 0
    }

    private static func greatestDivisor(_ a: Int, _ b: Int) -> Int {
        b == 0 ? a : greatestDivisor(b, a % b)
    }
}
