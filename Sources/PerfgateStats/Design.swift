/// How many samples in how many runs are compared, and what that alone decides.
public struct Design: Equatable, Hashable, Sendable {
    /// n_b, the baseline's samples; 0 or more.
    public var baselineSamples: Int
    /// R, the baseline's runs with samples; 0 or more.
    public var baselineRuns: Int
    /// n_c, the candidate's samples; 0 or more.
    public var candidateSamples: Int
    /// S, the candidate's runs with samples; 0 or more.
    public var candidateRuns: Int
    /// In how many pairs the runs were measured in turn and are compared; 0 where all samples are compared together.
    public var pairs: Int

    /// A design of these sizes; what is below 0 counts as 0.
    public init(
        baselineSamples: Int, baselineRuns: Int, candidateSamples: Int, candidateRuns: Int, pairs: Int = 0
    ) {
        self.baselineSamples = max(0, baselineSamples)
        self.baselineRuns = max(0, baselineRuns)
        self.candidateSamples = max(0, candidateSamples)
        self.candidateRuns = max(0, candidateRuns)
        self.pairs = max(0, pairs)
    }

    /// The runs of a baseline from which on half the tolerance is allowed for, no longer all of it.
    public static let settledBaselineRuns = 5

    /// h, the share of the tolerance that chance must not explain: ½ for a settled baseline, else 1.
    ///
    /// The whole tolerance stands in for what runs differ by where few of them can show it. Runs that were measured in
    /// turn share that, so that ½ does for them too.
    public var marginShare: Double { pairs > 0 || baselineRuns >= Self.settledBaselineRuns ? 0.5 : 1 }

    /// p_min, the smallest p that these sizes can give where all samples are compared together; 0…1.
    public var smallestProbability: Double {
        MannWhitney.smallestProbability(baseline: baselineSamples, candidate: candidateSamples)
    }

    /// The fewest candidate samples, from those of this design on, with which some samples could reach that chance
    /// against this baseline; `nil` where even `most` can't, and more baseline runs are needed. `nil` also for runs that
    /// are compared in pairs, where the sizes of each pair decide.
    public func candidateSamplesNeeded(toReach chance: Double, upTo most: Int = 100) -> Int? {
        guard pairs == 0 else { return nil }
        return (candidateSamples...max(candidateSamples, most)).first { samples in
            var larger = self
            larger.candidateSamples = samples
            return larger.smallestProbability <= chance
        }
    }
}
