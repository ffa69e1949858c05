/// The sixth step: the mirror of the fifth, for changes towards better.
public struct BetterStep: RuleStep {
    /// Decides `improved`.
    public func decide(_ cell: CellCase) -> Decision? {
        guard let comparison = cell.comparison, -comparison.worsening > comparison.margin,
            comparison.pImproved <= comparison.significance.failing
        else { return nil }
        return Decision(.improved, because: .better)
    }
}
