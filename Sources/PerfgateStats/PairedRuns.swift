/// Baseline and candidate runs that were measured in turn, by pair.
package struct PairedRuns: Equatable, Sendable {
    /// The runs of one pair: usually one per side.
    package struct Pair: Equatable, Sendable {
        /// The baseline's samples by run.
        package let baseline: [[Double]]
        /// The candidate's samples by run.
        package let candidate: [[Double]]

        /// Makes a pair from its runs.
        package init(baseline: [[Double]], candidate: [[Double]]) {
            self.baseline = baseline
            self.candidate = candidate
        }
    }

    /// All runs of the baseline.
    package let baseline: MeasuredRuns
    /// All runs of the candidate.
    package let candidate: MeasuredRuns
    /// The samples of each pair with samples on both sides.
    let strata: [Stratum]

    /// Takes runs by pair; `nil` if no pair has samples on both sides, or if there are more than
    /// `StratifiedMannWhitney.mostPairs` allows. Throws `StatsError.notFinite`.
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

        /// Makes a stratum from both sides.
        package init(baseline: SortedSamples, candidate: SortedSamples) {
            self.baseline = baseline
            self.candidate = candidate
        }
    }
}

/// The samples of one cell by run; runs without samples are dropped.
package struct MeasuredRuns: Equatable, Sendable {
    /// Each run's samples, in an order that only depends on the samples.
    package let runs: [SortedSamples]
    /// The samples of all runs.
    package let pooled: SortedSamples

    /// Takes the samples by run; throws `StatsError.notFinite` with a position counted through all runs.
    package init(_ runs: [[Double]]) throws(StatsError) { try self.init(runs.map { $0[...] }) }

    /// The same for parts of arrays.
    package init(_ runs: [ArraySlice<Double>]) throws(StatsError) {
        pooled = try SortedSamples(runs.flatMap { $0 })
        var sorted: [SortedSamples] = []
        for run in runs where !run.isEmpty { sorted.append(runs.count == 1 ? pooled : try SortedSamples(run)) }
        sorted.sort { $0.values.lexicographicallyPrecedes($1.values) }
        self.runs = sorted
    }
}
