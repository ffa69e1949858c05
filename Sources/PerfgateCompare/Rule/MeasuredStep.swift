import PerfgateModel

/// The first step: was it measured at all, often enough, and all the way?
///
/// Exempt are cells that nothing gates on, which are never missing, and pages that a partial run left out.
public struct MeasuredStep: RuleStep {
    /// The share of a scroll's duration that its ticks must cover.
    public static let leastCoverage = 0.8

    /// Decides `missing`, or `passed` where it was measured and nothing happened.
    public func decide(_ cell: CellCase) -> Decision? {
        guard let measurement = cell.measurement else { return absent(cell) }
        if cell.policy.isGated.value, let shortfall = shortfall(measurement, cell) { return shortfall }
        return cell.candidate == nil ? Decision(.passed, .noEvents, because: .noEvents) : nil
    }

    private func absent(_ cell: CellCase) -> Decision {
        if cell.expectation.isPageMeasured { return Decision(.missing, .noMetric, because: .metricAbsent) }
        let isKnown = cell.expectation.isEnvironmentKnown
        return Decision(
            .missing, cell.expectation.isPartial ? .excused : isKnown ? .noPage : .noEnvironment,
            because: isKnown ? .pageAbsent : .environmentAbsent)
    }

    private func shortfall(_ measurement: CellMeasurement, _ cell: CellCase) -> Decision? {
        let measured = measurement.iterations.values.max() ?? 0
        if let expected = cell.expectation.iterations, measured < expected {
            return Decision(.missing, .tooFew, because: .tooFewIterations(measured: measured, expected: expected))
        }
        if cell.expectation.asksCoverage, let coverage = measurement.coverage, coverage < Self.leastCoverage {
            return Decision(.missing, .framesStopped, because: .framesStopped(coverage: coverage))
        }
        return nil
    }
}
