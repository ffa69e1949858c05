import PerfgateModel

/// The first step: was it measured at all, often enough, and all the way?
///
/// Exempt are cells that nothing gates on, which are never missing, and pages that a partial run left out.
public struct MeasuredStep: RuleStep {
    /// The share of a scroll's duration that its ticks must cover.
    public static let leastCoverage = 0.8
    private static let initialLoad = "ttil"
    private static let loading: Set = ["ttfl", initialLoad]

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
        let measured = iterations(of: measurement)
        if let expected = cell.expectation.iterations, measured < expected {
            return Decision(.missing, .tooFew, because: .tooFewIterations(measured: measured, expected: expected))
        }
        if cell.expectation.asksCoverage, let coverage = Self.stop(of: measurement, cell.expectation) {
            return Decision(.missing, .framesStopped, because: .framesStopped(coverage))
        }
        guard isNeverLoaded(cell) else { return nil }
        let visited = measurement.iterations.values.reduce(0) { $0 + $1.count }
        return Decision(.missing, .notLoaded, because: .neverLoaded(iterations: visited))
    }

    /// Where the frames of a measurement stopped; `nil` where they didn't, or nothing tells.
    static func stop(of measurement: CellMeasurement, _ expectation: Expectation) -> FrameCoverage? {
        measurement.leastCoverage(needsTicks: expectation.needsTicks).flatMap { $0.share < leastCoverage ? $0 : nil }
    }

    /// Whether no visit loaded a page that must be seen to load: other metrics without a sample are good ones.
    private func isNeverLoaded(_ cell: CellCase) -> Bool {
        guard cell.candidate == nil, cell.expectation.isExpected, cell.metric.id == Self.initialLoad else {
            return false
        }
        return cell.entry.map { entry in entry.runs.contains { !$0.samples.isEmpty } } ?? true
    }

    /// The most iterations that one run has. A visit that failed or was left loads nothing, so that a run can't have
    /// loaded a page in more iterations than it has samples; in other metrics an iteration without any is a good one.
    private func iterations(of measurement: CellMeasurement) -> Int {
        guard Self.loading.contains(measurement.metric.id) else {
            return measurement.iterations.values.map(\.count).max() ?? 0
        }
        return measurement.runs.map { min($0.samples.count, measurement.iterations[$0.run]?.count ?? 0) }.max() ?? 0
    }
}
