/// The third step: without comparable values there are limits only, and without a tolerance there is no verdict.
public struct BaselineStep: RuleStep {
    /// Decides `no_baseline`, or `inconclusive` where any change at all would count; `passed` where the baseline is a
    /// limit alone, which the step before found kept.
    public func decide(_ cell: CellCase) -> Decision? {
        guard let comparison = cell.comparison else { return nothingComparable(cell) }
        guard comparison.margin == 0, comparison.delta != 0 else { return nil }
        return Decision(.inconclusive, .noTolerance, because: .noTolerance)
    }

    private func nothingComparable(_ cell: CellCase) -> Decision {
        if let limit = limitAlone(cell) { return Decision(.passed, .limitOnly, because: .withinLimitOnly(limit)) }
        guard let entry = cell.entry, let measurement = cell.measurement, !entry.isComparable(with: measurement)
        else { return Decision(.noBaseline, because: .nothingToCompareWith) }
        return Decision(.noBaseline, .otherFormula, because: .otherFormula)
    }

    /// The limit in force where the baseline is nothing but a limit.
    private func limitAlone(_ cell: CellCase) -> Limit? {
        guard let entry = cell.entry, entry.isLimitOnly, entry.limit(of: cell.metric) != nil else { return nil }
        return cell.policy.limit?.value
    }
}
