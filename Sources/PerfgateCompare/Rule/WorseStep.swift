import PerfgateStats

/// The fifth step: the change exceeds the tolerance. Is it real?
public struct WorseStep: RuleStep {
    /// Decides `regressed`, `inconclusive` or `passed` for every change towards worse that exceeds the tolerance.
    public func decide(_ cell: CellCase) -> Decision? {
        guard let comparison = cell.comparison, comparison.worsening > comparison.margin else { return nil }
        let failing = comparison.significance.failing
        let isConfirming = cell.confirmation == .rerun
        if comparison.pMargin <= failing {
            return isConfirming && cell.candidateRuns < 2
                ? Decision(.inconclusive, .confirm, because: .suspect) : Decision(.regressed, because: .worse)
        }
        if isConfirming, cell.candidateRuns >= 2, comparison.pMin <= failing {
            return Decision(.passed, .notConfirmed, because: .notConfirmed)
        }
        if comparison.pZero <= Significance.suspecting || comparison.pMin > Significance.suspecting {
            return Decision(.inconclusive, .needMore, because: .cannotTell)
        }
        return Decision(.passed, because: .chance)
    }
}
