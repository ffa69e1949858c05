/// The fourth step, for young baselines: where no sample of these sizes could ever fail by chance alone, a gap of more
/// than five tolerances between all old and all new samples does.
///
/// Not asked below 5 samples a side: with 3 it would be wrong in half of all runs of 500 comparisons.
public struct GrossStep: RuleStep {
    /// The fewest samples a side.
    public static let fewestSamples = 5
    /// The gap in tolerances.
    public static let tolerances = 5.0

    /// Decides `regressed`, whatever the confirmation says.
    public func decide(_ cell: CellCase) -> Decision? {
        guard let comparison = cell.comparison, comparison.pMin > comparison.significance.failing,
            comparison.design.baselineSamples >= Self.fewestSamples,
            comparison.design.candidateSamples >= Self.fewestSamples,
            comparison.gap > Self.tolerances * comparison.margin
        else { return nil }
        return Decision(.regressed, .gross, because: .grossGap(comparison.gap))
    }
}
