/// More than 10 % above the baseline's median.
public struct FixedShare: Rival {
    /// Makes the rule.
    public init() {}

    /// The rule in a few words.
    public var title: String { "fixed 10 % of the median" }

    /// Whether the candidate's median is more than a tenth above the baseline's.
    public func flags(_ sight: Sight) -> Bool {
        sight.sortedCandidate.middle > 1.1 * sight.pooled.values.middle
    }
}
