import PerfgateStats

/// What rules find in a series whose changes people have marked, as a line of a table.
public struct SeriesReport {
    /// The values, in their order.
    public let values: [Double]
    /// The marked changes: the places, from 0, of the first values after them.
    public let changes: [Int]

    /// The report on a series.
    public init(_ values: [Double], changes: [Int]) {
        self.values = values
        self.changes = changes
    }

    /// The relative tolerances of the gate's columns.
    public static let tolerances = [0.1, 0.05, 0.02]

    /// The table's first lines.
    public static var head: [String] {
        let gates = tolerances.map { "gate, \(Int(100 * $0)) %" }
        let columns = ["values", "marked changes"] + gates + Simulation.rivals.map(\.title)
        return ["| \(columns.joined(separator: " | ")) |", "|" + columns.map { _ in "---|" }.joined()]
    }

    /// The series' line: of each rule how many marked changes it finds, and how many findings nothing explains.
    public func row() throws(StatsError) -> String {
        var cells = ["\(values.count)", changes.isEmpty ? "none" : changes.map { "\($0)" }.joined(separator: ", ")]
        var scan = SeriesScan()
        for tolerance in Self.tolerances {
            scan.tolerance = tolerance
            cells.append(summary(try scan.findings(in: values), window: scan.after))
        }
        for rival in Simulation.rivals {
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
