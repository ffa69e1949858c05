import PerfgateCompare
import PerfgateModel

extension Measurements {
    /// The measurements in which a run is bad data that gives a metric another unit or direction than a reference: it
    /// would be compared with nothing, and pass.
    func refusingContradictions(of reference: Reference) -> Measurements {
        var faults: [String: Set<String>] = [:]
        for (cell, measurement) in cells {
            guard let known = reference.cells[cell]?.metric, known != measurement.metric else { continue }
            let message = Self.contradiction(measurement.metric, known, on: cell.page)
            for run in Set(measurement.runs.map(\.run)).union(measurement.iterations.keys) {
                faults[run, default: []].insert(message)
            }
        }
        guard !faults.isEmpty else { return self }
        var result = self
        for index in runs.indices where !runs[index].streams.isEmpty {
            result.runs[index].streams[0].faults += (faults[runs[index].id] ?? []).sorted { $0.precedesInUTF8($1) }
        }
        return result
    }

    private static func contradiction(_ metric: Metric, _ known: Metric, on page: Page) -> String {
        let differences =
            metric.unit != known.unit
            ? "is in \"\(metric.unit)\" here, and in \"\(known.unit)\" in what it is compared with"
            : "says that \(metric.better.rawValue) values are better, and what it is compared with that "
                + "\(known.better.rawValue) ones are"
        return "\(metric.id) of \(page) \(differences): say which is right under metrics.\(metric.id) of the "
            + "configuration, and correct the other."
    }
}
