import PerfgateModel

extension ComparisonResult: Comparable {
    /// Gated ones first; then the worst verdict; then the greatest change in tolerances; then page, metric, environment.
    public static func < (lhs: ComparisonResult, rhs: ComparisonResult) -> Bool {
        if lhs.isGated != rhs.isGated { return lhs.isGated }
        if lhs.verdict.rank != rhs.verdict.rank { return lhs.verdict.rank < rhs.verdict.rank }
        if lhs.changeInTolerances != rhs.changeInTolerances { return lhs.changeInTolerances > rhs.changeInTolerances }
        return lhs.cell < rhs.cell
    }

    /// Δ/m with its sign turned so that greater is worse; 0 where there is no comparison, infinite for m = 0.
    public var changeInTolerances: Double {
        guard let worsening, let tolerance, worsening != 0 else { return 0 }
        return tolerance > 0 ? worsening / tolerance : worsening.sign == .minus ? -.infinity : .infinity
    }
}
