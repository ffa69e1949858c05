/// Any of the percentiles 25, 50, 75 and 90 more than 5 % above the baseline's, as package-benchmark compares.
public struct Percentiles: Rival {
    /// Makes the rule.
    public init() {}

    /// The rule in a few words.
    public var title: String { "+5 % on a percentile (package-benchmark)" }

    /// Whether a percentile has risen by more than 5 %.
    public func flags(_ sight: Sight) -> Bool {
        let (before, after) = (sight.pooled.values, sight.sortedCandidate)
        return [0.25, 0.5, 0.75, 0.9].contains { share in
            Self.percentile(share, of: after) > 1.05 * Self.percentile(share, of: before)
        }
    }

    /// The nearest rank of ascending values; 0 without values.
    static func percentile(_ share: Double, of values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let rank = Int((share * Double(values.count)).rounded(.up))
        return values[min(max(rank, 1), values.count) - 1]
    }
}
