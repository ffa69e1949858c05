/// The rule: its steps in their order, the first that decides decides.
///
/// > A metric has regressed when its change exceeds the tolerance and chance explains a change of more than half the
/// > tolerance less often than 0.1 in M, M being the number of comparisons in the run.
public enum VerdictRule {
    /// The steps in their order.
    public static let steps: [any RuleStep] = [
        MeasuredStep(), LimitStep(), BaselineStep(), GrossStep(), WorseStep(), BetterStep(),
    ]

    /// The decision on a case; passed where no step objects.
    public static func decide(_ cell: CellCase) -> Decision {
        for step in steps {
            if let decision = step.decide(cell) { return decision }
        }
        return Decision(.passed, because: .withinTolerance)
    }
}

/// One step of the rule.
public protocol RuleStep: Sendable {
    /// What the step decides, `nil` where it leaves the case to the next.
    func decide(_ cell: CellCase) -> Decision?
}
