import PerfgateStats

/// How much the values of a cell vary within runs, and its runs among each other.
struct Spread {
    /// The standard deviation within runs, pooled over them; `nil` where no run has two samples.
    let withinRuns: Double?
    /// The standard deviation of the runs' centres; `nil` with fewer than 3 runs.
    let betweenRuns: Double?

    /// A spread that is already known.
    init(withinRuns: Double?, betweenRuns: Double?) {
        self.withinRuns = withinRuns
        self.betweenRuns = betweenRuns
    }

    /// The spread of counts and rates, in their unit, around runs' means.
    init(_ measured: MeasuredRuns) {
        let degrees = measured.pooled.count - measured.runs.count
        let squares = measured.runs.reduce(0) { $0 + Self.squares($1.values) }
        withinRuns = degrees > 0 ? (squares / Double(degrees)).squareRoot() : nil
        let means = measured.runs.compactMap(\.mean)
        betweenRuns = means.count < 3 ? nil : (Self.squares(means) / Double(means.count - 1)).squareRoot()
    }

    private static func squares(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
}
