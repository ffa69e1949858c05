import PerfgateStats

/// A two-sided Mann–Whitney test at .05 for each cell, and a median at least 5 % higher: benchstat's test, and the
/// threshold that its readers mostly apply.
public struct PlainMannWhitney: Rival {
    /// Makes the rule.
    public init() {}

    /// The rule in a few words.
    public var title: String { "Mann–Whitney at .05, at least 5 % (benchstat)" }

    /// Whether the test rejects, and the median has risen by 5 % or more.
    public func flags(_ sight: Sight) -> Bool {
        let (before, after) = (sight.pooled.values.middle, sight.sortedCandidate.middle)
        guard after > before, after >= 1.05 * before, let candidate = try? SortedSamples(sight.candidate),
            let test = try? MannWhitney(baseline: sight.pooled, candidate: candidate)
        else { return false }
        return 2 * test.probabilityOfGreater < 0.05
    }
}
