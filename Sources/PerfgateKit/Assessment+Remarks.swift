import PerfgateCompare
import PerfgateModel

extension Assessment {
    /// What is to be said of candidate and reference together.
    func remarks(on measurements: Measurements) -> [Diagnostic] {
        knownRuns(measurements) + strangers(measurements) + measurements.absentShards(isPartial: policy.isPartial)
    }

    private func knownRuns(_ measurements: Measurements) -> [Diagnostic] {
        let known = reference.runs.mapValues { Set($0.map(\.id)) }
        let stored = Set(
            measurements.cells.flatMap { cell, measurement in
                measurement.iterations.keys.filter { known[cell.environment]?.contains($0) ?? false }
            })
        return measurements.runs.filter { stored.contains($0.id) }.map { run in
            Diagnostic(
                .knownRun, path: run.streams.first?.path,
                "Run \(run.id) is part of the baseline that it is compared with: measure a run of the change instead.")
        }
    }

    /// One remark for each environment without a baseline, naming the nearest one that has some.
    private func strangers(_ measurements: Measurements) -> [Diagnostic] {
        let known = reference.environments
        guard !known.isEmpty else { return [] }
        return measurements.environments.filter { !known.contains($0) }.map { environment in
            let nearest = known.max { $0.agreement(with: environment) < $1.agreement(with: environment) }
            let hint = nearest.map { " The nearest one that has some is \($0)." } ?? ""
            return Diagnostic(.noEnvironmentBaseline, "There is no baseline for \(environment).\(hint)")
        }
    }
}

extension Environment {
    /// How many fields have the same value in both.
    fileprivate func agreement(with other: Environment) -> Int {
        zip(fields, other.fields).count { $0 == $1 }
    }
}
