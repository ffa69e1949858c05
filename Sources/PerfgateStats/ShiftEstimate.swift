/// How far the candidate lies from the baseline, with its uncertainty.
///
/// J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests", Ann. Math. Statist. 34 (1963) 598–611.
public struct ShiftEstimate: Equatable, Sendable {
    /// The median of all n_b·n_c differences candidate − baseline, in the samples' unit; finite.
    public let shift: Double
    /// The 95 % interval by order statistics of the differences, in the samples' unit; `nil` where the samples are too
    /// few for any (as 3 against 3).
    public let interval: ClosedRange<Double>?
    /// What the shift exceeds with 99 % confidence, in the samples' unit; `nil` where the samples are too few.
    public let lowerBound99: Double?

    /// Estimates the shift; throws `StatsError.noSamples` where a side is empty.
    public init(baseline: SortedSamples, candidate: SortedSamples) throws(StatsError) {
        try self.init(baseline: baseline, candidate: candidate, untied: nil)
    }

    /// The same, sharing the distribution of samples of these sizes.
    init(baseline: SortedSamples, candidate: SortedSamples, untied: UntiedDistribution?) throws(StatsError) {
        if baseline.count == 0 { throw .noSamples(side: .baseline) }
        if candidate.count == 0 { throw .noSamples(side: .candidate) }
        let differences = Differences(baseline: baseline, candidate: candidate)
        let ranks = OrderQuantile.ranks(
            baseline.count, candidate.count, alphas: Self.alphas, untied: untied)
        self.init(differences, ranks: ranks)
    }

    /// The shift of runs that were measured in turn: the median of the differences within pairs, its bounds those that
    /// belong to the stratified test.
    init(_ paired: PairedRuns) {
        let sizes = paired.strata.map { ($0.baseline.count, $0.candidate.count) }
        self.init(
            Differences(paired.strata), ranks: StratifiedMannWhitney.ranks(sizes: sizes, alphas: Self.alphas))
    }

    /// What the two bounds leave out at one end.
    private static let alphas = [0.025, 0.01]

    private init(_ differences: Differences, ranks: [Int]) {
        let (twoSided, oneSided) = (ranks[0], ranks[1])
        let count = differences.count
        // A rank of 0 is below all of them: nothing stands there, whatever is asked for in its place.
        let found = differences.ranked([
            (count + 1) / 2, count / 2 + 1, max(1, twoSided), count + 1 - max(1, twoSided), max(1, oneSided),
        ])
        shift = found[0].midpoint(to: found[1])
        interval = twoSided == 0 ? nil : found[2]...found[3]
        lowerBound99 = oneSided == 0 ? nil : found[4]
    }
}
