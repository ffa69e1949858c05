import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// The findings of rules in a series with marked changes, as a line of a table.
package struct SeriesReport {
    /// The values in order.
    package let values: [Double]
    /// The marked changes: the indices, from 0, of the first values after them.
    package let changes: [Int]

    package init(_ values: [Double], changes: [Int]) {
        self.values = values
        self.changes = changes
    }

    /// The relative tolerances of the gate's columns.
    package static let tolerances = [0.1, 0.05, 0.02]

    /// The table's first lines.
    package static var head: [String] {
        let gates = tolerances.map { "gate, \(Int(100 * $0)) %" }
        let columns = ["values", "marked changes"] + gates + Study.rivals.map(\.title)
        return ["| \(columns.joined(separator: " | ")) |", "|" + columns.map { _ in "---|" }.joined()]
    }

    /// The series' line: per rule the number of marked changes it finds, and the number of unexplained findings.
    package func row() throws(StatsError) -> String {
        var cells = ["\(values.count)", changes.isEmpty ? "none" : changes.map { "\($0)" }.joined(separator: ", ")]
        var scan = SeriesScan()
        for tolerance in Self.tolerances {
            scan.tolerance = tolerance
            cells.append(summary(try scan.findings(in: values), window: scan.after))
        }
        for rival in Study.rivals {
            cells.append(summary(try scan.findings(in: values, by: rival), window: scan.after))
        }
        return "| \(cells.joined(separator: " | ")) |"
    }

    private func summary(_ findings: [SeriesScan.Finding], window: Int) -> String {
        let found = changes.count { change in findings.contains { $0.explains(change, window: window) } }
        let others = findings.count { finding in !changes.contains { finding.explains($0, window: window) } }
        return changes.isEmpty ? "\(others)" : "\(found) + \(others)"
    }
}

/// The gate's rule along a series of single values, each a separate run: at every index, the values from there on are
/// compared with the previous ones.
package struct SeriesScan: Sendable {
    /// The relative tolerance, at least 0.
    package var tolerance = CellPolicy.standardTolerance
    /// R, the runs of the baseline: the values before the index.
    package var before = 10
    /// S, the runs of the candidate: the values from the index on.
    package var after = 5

    /// A scan with the rule's own tolerance.
    package init() {}

    /// Adjacent indices at which a rule finds a change.
    package struct Finding: Sendable, Hashable {
        /// The first and the last index, from 0.
        package let places: ClosedRange<Int>

        /// Whether a change at that index is among the compared values.
        package func explains(_ change: Int, window: Int) -> Bool {
            (places.lowerBound - window...places.upperBound + window).contains(change)
        }
    }

    /// The indices where the gate's rule gives `regressed` or `improved`.
    ///
    /// A series doesn't have a better direction, so both count.
    package func findings(in values: [Double]) throws(StatsError) -> [Finding] {
        var policy = Policy()
        policy.metrics[Metric.duration.id] = MetricSettings(
            tolerance: Setting(tolerance, from: .builtIn), minChange: Setting(0, from: .builtIn))
        let gate = RuleUnderStudy(comparisons: 1, policy: policy)
        let metric = Metric.duration
        return try findings(in: values) { old, new throws(StatsError) in
            let verdict = try gate.decide(metric, baseline: old.map { [$0] }, candidate: new.map { [$0] }).verdict
            return verdict == .regressed || verdict == .improved
        }
    }

    /// The indices where another rule flags a rise; it ignores falls.
    package func findings(in values: [Double], by rival: any Rival) throws(StatsError) -> [Finding] {
        try findings(in: values) { old, new throws(StatsError) in
            rival.flags(Sight(baseline: old.map { [$0] }, pooled: try SortedSamples(old), candidate: new))
        }
    }

    private func findings(
        in values: [Double], where changes: ([Double], [Double]) throws(StatsError) -> Bool
    ) throws(StatsError) -> [Finding] {
        var findings: [Finding] = []
        guard values.count >= before + after else { return [] }
        for place in before...(values.count - after) {
            let (old, new) = (Array(values[place - before..<place]), Array(values[place..<place + after]))
            guard try changes(old, new) else { continue }
            if let last = findings.last, last.places.upperBound == place - 1 {
                findings[findings.count - 1] = Finding(places: last.places.lowerBound...place)
            } else {
                findings.append(Finding(places: place...place))
            }
        }
        return findings
    }
}
