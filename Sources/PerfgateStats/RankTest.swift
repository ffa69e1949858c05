/// The test that a comparison's chances come from: of all samples together, or pair of runs by pair of runs.
enum RankTest {
    /// Samples of both sides, greater being worse, with the distribution for their sizes where it is at hand.
    case pooled(SortedSamples, SortedSamples, untied: UntiedDistribution?)
    /// The samples of each pair, greater being worse.
    case paired([StratifiedMannWhitney.Stratum])

    /// What a test says at one shift.
    struct Answer {
        /// U, or the sum of the pairs' U.
        let u: Double
        /// The chance of a U as great, and of one as small.
        let greater, less: () -> Double
    }

    /// The test of `candidate − shift` against the baseline.
    func answer(shift: Double) throws(StatsError) -> Answer {
        switch self {
        case .pooled(let baseline, let candidate, let untied):
            let test = try MannWhitney(baseline: baseline, candidate: candidate, shift: shift, untied: untied)
            return Answer(u: test.u, greater: { test.probabilityOfGreater }, less: { test.probabilityOfLess })
        case .paired(let strata):
            let test = try StratifiedMannWhitney(strata, shift: shift)
            return Answer(u: test.u, greater: { test.probabilityOfGreater }, less: { test.probabilityOfLess })
        }
    }
}
