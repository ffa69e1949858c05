import PerfgateModel

/// Measurements as comma-separated values (RFC 4180), a sample a line: environment, run, page, metric, value.
struct MeasurementTable {
    private let measurements: Measurements

    init(_ measurements: Measurements) {
        self.measurements = measurements
    }

    /// The table, beginning with its header.
    var bytes: [UInt8] {
        let cells = measurements.cells.sorted { $0.key < $1.key }
        let names = cells.first?.key.environment.fields.map(\.name) ?? []
        let header = names + ["page", "tests", "metric", "unit", "better", "counting", "run", "iteration", "value"]
        return Array(([header] + cells.flatMap(rows)).map(Self.line).joined().utf8)
    }

    private func rows(_ cell: Cell, _ measured: CellMeasurement) -> [[String]] {
        let tests = measurements.pages[cell.place]?.tests.joined(separator: " ") ?? ""
        let fields = cell.environment.fields.map { $0.value?.description ?? "" }
        let start =
            fields + [
                cell.page.name, tests, cell.metric, measured.metric.unit.symbol, measured.metric.better.rawValue,
                measured.counting.rawValue,
            ]
        return measured.runs.flatMap { run in
            run.samples.map { start.map(Self.harmless) + [Self.harmless(run.run), "\($0.iteration)", "\($0.value)"] }
        }
    }

    private static func line(_ cells: [String]) -> String {
        cells.map(quoted).joined(separator: ",") + "\r\n"
    }

    /// In quotes where a comma, a quote or a line end stands in it; a quote inside is doubled.
    private static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// A text that a spreadsheet doesn't take for a formula: names come from anybody.
    private static func harmless(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else { return text }
        return "'" + text
    }
}
