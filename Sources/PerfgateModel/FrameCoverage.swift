/// How much of its scrolls the frame ticks of one iteration cover.
public struct FrameCoverage: Sendable, Hashable {
    /// The share of the scrolls' duration, from 0; may be above 1.
    public let share: Double
    /// The run; `nil` where there is no other.
    public let run: String?
    /// The repetition of the test within the run, from 0; `nil` where the run doesn't tell any other.
    public let iteration: Int?

    /// Makes a coverage of its parts.
    public init(share: Double, run: String? = nil, iteration: Int? = nil) {
        self.share = share
        self.run = run
        self.iteration = iteration
    }
}

extension CellMeasurement {
    /// The least coverage of any iteration of any run: a long iteration makes up for none whose frames stopped. `nil` where
    /// ticks or durations are absent.
    ///
    /// - Parameter needsTicks: Whether a scroll without ticks is one whose frames stopped, and not one of a log that
    ///   tells drops only.
    public func leastCoverage(needsTicks: Bool) -> FrameCoverage? {
        var known = coverages
        for (run, silent) in needsTicks ? silentIterations : [:] {
            for iteration in silent { known[run, default: [:]][iteration] = 0 }
        }
        let all = known.flatMap { run, shares in shares.map { (share: $1, run: run, iteration: $0) } }
        let least = all.min { first, second in
            if first.share != second.share { return first.share < second.share }
            if first.run != second.run { return first.run.precedesInUTF8(second.run) }
            return first.iteration < second.iteration
        }
        guard let least else { return nil }
        let runs = Set(known.keys).union(iterations.keys)
        let told = Set(known[least.run, default: [:]].keys).union(iterations[least.run] ?? [])
        return FrameCoverage(
            share: least.share, run: runs.count > 1 ? least.run : nil,
            iteration: told.count > 1 || least.iteration > 0 ? least.iteration : nil)
    }
}
