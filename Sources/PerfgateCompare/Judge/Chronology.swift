import PerfgateModel
import PerfgateStats

/// When runs began, so that what they measured can be told in the order of time.
struct Chronology {
    private let candidate: [String: Timestamp]
    private let reference: [Environment: [String: Timestamp]]

    /// Takes the times that both sides know.
    init(_ measurements: Measurements, _ reference: Reference) {
        candidate = Self.starts(measurements.runs.map { ($0.id, $0.startedAt) })
        self.reference = reference.runs.mapValues { runs in Self.starts(runs.map { ($0.id, $0.startedAt) }) }
    }

    /// The centres of a measurement's runs, oldest first.
    func history(of measurement: CellMeasurement) -> [Double] {
        Self.history(measurement.runs, of: measurement.metric, starts: candidate)
    }

    /// The centres of a reference's runs, oldest first.
    func history(of entry: Reference.Entry, in environment: Environment) -> [Double] {
        Self.history(entry.runs, of: entry.metric, starts: reference[environment] ?? [:])
    }

    /// The newest centres in the order of time; where a time is unknown, in the order of the runs.
    private static func history(_ runs: [RunSamples], of metric: Metric, starts: [String: Timestamp]) -> [Double] {
        let timed = runs.compactMap { run in starts[run.run].map { (run: run, start: $0) } }
        let ordered =
            timed.count < runs.count
            ? runs : timed.sorted { ($0.start, $0.run.run) < ($1.start, $1.run.run) }.map(\.run)
        let centres = ordered.compactMap { run in (try? SortedSamples(run.values))?.centre(metric.centre) }
        return centres.suffix(ComparisonResult.Side.mostHistory)
    }

    private static func starts(_ runs: [(id: String, start: String?)]) -> [String: Timestamp] {
        let known = runs.compactMap { run in run.start.flatMap { Timestamp($0) }.map { (run.id, $0) } }
        return Dictionary(known) { first, _ in first }
    }
}
