import PerfgateModel
import PerfgateStats

/// Pairs the candidate's cells with their reference and asks the rule for each.
public struct Judge: Sendable {
    /// The policy.
    public let policy: Policy

    /// Makes a judge of a policy.
    public init(policy: Policy) {
        self.policy = policy
    }

    /// The comparisons of a candidate with a reference, worst first.
    public func compare(_ measurements: Measurements, with reference: Reference) throws(StatsError)
        -> [ComparisonResult]
    {
        let shown = ShownOnly(measurements)
        let expectations = Expectations(
            policy: policy, measurements: measurements, shown: shown, reference: reference)
        let gated = gatedCells(of: reference, in: expectations.environments)
        let total = gated.values.reduce(0, +)
        let pairing = Pairing(candidate: Pairing.pairs(of: measurements.runs), reference: reference.pairs)
        let chronology = Chronology(measurements, reference)
        var results: [ComparisonResult] = []
        for (cell, expectation) in expectations.cells() {
            let isMissed = expectations.isMissed(cell, expectation)
            let measurement = isMissed ? nil : measurements.cells[cell]
            if measurement == nil, shown.environments.contains(cell.environment) { continue }
            let entry = reference.cells[cell]
            let metric = measurement?.metric ?? entry?.metric ?? Self.metric(named: cell.metric)
            let prepared = try CellCase(
                cell: cell, metric: metric,
                policy: cellPolicy(
                    cell, metric, expectation, entry,
                    isShownOnly: !isMissed && shown.cells.contains(cell)),
                confirmation: policy.confirmation, expectation: expectation, measurement: measurement, entry: entry,
                comparisons: total, pairing: pairing)
            let decision = VerdictRule.decide(prepared)
            let waiver = WaiverAnswer(decision, on: prepared, policy: policy)
            var result = ComparisonResult(decision, on: prepared, waiver: waiver)
            result.candidate?.history = measurement.map(chronology.history) ?? []
            result.baseline?.history = entry.map { chronology.history(of: $0, in: cell.environment) } ?? []
            results.append(result)
        }
        return results.sorted()
    }

    /// The candidate's cells whose frames stopped while they were measured: what they lack can't have been dropped.
    public func cellsWithStoppedFrames(of measurements: Measurements, with reference: Reference) -> Set<Cell> {
        let expectations = Expectations(
            policy: policy, measurements: measurements, shown: ShownOnly(measurements), reference: reference)
        let expected = expectations.cells()
        return Set(
            measurements.cells.filter { cell, measurement in
                MeasuredStep.stop(of: measurement, expected[cell] ?? Expectation()) != nil
            }.keys)
    }

    /// M by environment: how many gated cells the reference has there, measured by the candidate or not; a limit
    /// alone is no comparison.
    public func gatedCells(of reference: Reference, in environments: [Environment]) -> [Environment: Int] {
        let judged = Set(environments)
        return reference.cells.reduce(into: [:]) { counts, item in
            let (cell, entry) = item
            guard judged.contains(cell.environment), !entry.isLimitOnly else { return }
            if policy.cellPolicy(of: cell, entry).isGated.value { counts[cell.environment, default: 0] += 1 }
        }
    }

    /// What the policy says of a cell; a page that was expected and never came gates, whatever its metric. Whether it
    /// gates is asked of the reference's metric: a log that names another unit must not get out of the gate.
    private func cellPolicy(
        _ cell: Cell, _ metric: Metric, _ expectation: Expectation, _ entry: Reference.Entry?, isShownOnly: Bool
    ) -> CellPolicy {
        var said = policy.cellPolicy(
            page: cell.page, metric: metric, environment: cell.environment, stored: entry?.limit(of: metric))
        if isShownOnly { return said.ungated }
        if let entry, entry.metric != metric {
            said.isGated = policy.cellPolicy(of: cell, entry).isGated
        }
        let isAnyLine = cell.metric == Expectations.anyMetric || !expectation.isEnvironmentKnown
        guard isAnyLine, expectation.isExpected else { return said }
        return CellPolicy(
            isGated: Setting(true, from: .builtIn), tolerance: said.tolerance, minChange: said.minChange, limit: nil)
    }

    private static func metric(named id: String) -> Metric {
        MetricCatalog.definition(of: id)?.metric ?? Metric(id: id, unit: Unit(""), better: .lower)
    }
}
