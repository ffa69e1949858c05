/// More than twice the run before, as github-action-benchmark compares with its threshold of 200 %.
public struct LastRatio: Rival {
    /// Makes the rule.
    public init() {}

    /// The rule in a few words.
    public var title: String { "200 % of the last run (github-action-benchmark)" }

    /// Whether the mean is more than twice that of the baseline's newest run.
    public func flags(_ sight: Sight) -> Bool {
        sight.candidate.mean > 2 * (sight.baseline.last ?? []).mean
    }
}
