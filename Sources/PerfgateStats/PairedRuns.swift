/// Runs of baseline and candidate that were measured in turn, pair by pair, kept by the pair that they belong to.
package struct PairedRuns: Equatable, Sendable {
    /// The runs of one pair: mostly one of each side.
    package struct Pair: Equatable, Sendable {
        /// The baseline's samples, run by run.
        package let baseline: [[Double]]
        /// The candidate's samples, run by run.
        package let candidate: [[Double]]

        /// Makes a pair of its runs.
        package init(baseline: [[Double]], candidate: [[Double]]) {
            self.baseline = baseline
            self.candidate = candidate
        }
    }

    /// All runs of the baseline.
    package let baseline: MeasuredRuns
    /// All runs of the candidate.
    package let candidate: MeasuredRuns
    /// The samples of each pair that has some on both sides.
    let strata: [Stratum]

    /// Takes runs pair by pair; `nil` where no pair has samples on both sides, or where they are more than
    /// `StratifiedMannWhitney.mostPairs` allows to be counted. Throws `StatsError.notFinite`.
    package init?(_ pairs: [Pair]) throws(StatsError) {
        baseline = try MeasuredRuns(pairs.flatMap(\.baseline))
        candidate = try MeasuredRuns(pairs.flatMap(\.candidate))
        var strata: [Stratum] = []
        for pair in pairs {
            let sides = (pair.baseline.flatMap { $0 }, pair.candidate.flatMap { $0 })
            if sides.0.isEmpty || sides.1.isEmpty { continue }
            strata.append(Stratum(baseline: try SortedSamples(sides.0), candidate: try SortedSamples(sides.1)))
        }
        self.strata = strata
        let size = strata.reduce(0) { $0 + $1.baseline.count * $1.candidate.count }
        guard size > 0, size <= StratifiedMannWhitney.mostPairs else { return nil }
    }

    /// The samples of one pair.
    package struct Stratum: Equatable, Sendable {
        /// The baseline's samples.
        package let baseline: SortedSamples
        /// The candidate's samples.
        package let candidate: SortedSamples

        /// Makes a stratum of both sides.
        package init(baseline: SortedSamples, candidate: SortedSamples) {
            self.baseline = baseline
            self.candidate = candidate
        }
    }
}

/// The samples of one cell, kept by the run that they come from; a run without samples does not count.
package struct MeasuredRuns: Equatable, Sendable {
    /// Each run's samples, in an order that depends on the samples alone.
    package let runs: [SortedSamples]
    /// The samples of all runs.
    package let pooled: SortedSamples

    /// Takes the samples run by run; throws `StatsError.notFinite`, its position counted through all runs.
    package init(_ runs: [[Double]]) throws(StatsError) {
        pooled = try SortedSamples(runs.flatMap { $0 })
        var sorted: [SortedSamples] = []
        for run in runs where !run.isEmpty { sorted.append(try SortedSamples(run)) }
        self.runs = sorted.sorted { $0.values.lexicographicallyPrecedes($1.values) }
    }
}
