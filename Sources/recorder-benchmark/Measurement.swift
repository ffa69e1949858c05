import CAllocationCounter

/// What one call cost, from many rounds of many calls.
struct Measurement {
    /// Nanoseconds of processor time a call: the median of the rounds, and the fastest of them.
    let median: Double, fastest: Double

    /// Blocks of memory a call; `nil` where they can't be counted.
    let allocations: Double?

    private static let rounds = 41

    /// Measures `round`, which makes `calls` calls; the first rounds only warm up.
    init(calls: Int, clock: () -> Double = { ProcessorClock.nanoseconds }, round: () -> Void) {
        for _ in 0..<3 { round() }
        var times: [Double] = []
        times.reserveCapacity(Self.rounds)
        let blocks = allocation_counter_total()
        for _ in 0..<Self.rounds {
            let start = clock()
            round()
            times.append((clock() - start) / Double(calls))
        }
        allocations = blocks < 0 ? nil : Double(allocation_counter_total() - blocks) / Double(Self.rounds * calls)
        times.sort()
        median = times[Self.rounds / 2]
        fastest = times[0]
    }
}
