import PerfgateCompare
import PerfgateModel

extension Measurements {
    /// A fault where inputs were read and nothing in them was measured: a gate that saw nothing must not be green. Where
    /// a run is bad data, that is why.
    var emptiness: [FaultyInput] {
        guard cells.isEmpty, faultyInputs.isEmpty, runs.allSatisfy(\.isComplete) else { return [] }
        let message = "No line that was taken measures anything. Check that the tests ran, and what --where asks for."
        return [FaultyInput(path: runs.first?.streams.first?.path ?? "input", fault: .notFound, message: message)]
    }

    /// The streams of bad runs as faulty inputs, each with what is wrong.
    var badRunFaults: [FaultyInput] {
        runs.flatMap { run in
            run.streams.filter { !$0.faults.isEmpty }.map { stream in
                FaultyInput(
                    path: stream.path, run: run.id, fault: .badData, message: stream.faults.joined(separator: " "))
            }
        }
    }

    /// The measurements without bad runs where the policy excludes them and another complete run of the same
    /// environment is there, and what to say of that.
    func excludingBadRuns(_ policy: Policy.BadRun) -> (Measurements, [Diagnostic]) {
        guard policy == .exclude else { return (self, []) }
        let sound = Set(runs.filter(\.isComplete).map(\.id))
        var result = self
        var excluded: Set<String> = []
        for (cell, measurement) in cells where measurement.runs.contains(where: { sound.contains($0.run) }) {
            let bad = Set(measurement.runs.map(\.run)).subtracting(sound)
            excluded.formUnion(bad)
            result.cells[cell]?.remove(bad)
        }
        let remaining = Set(result.cells.values.flatMap { $0.runs.map(\.run) })
        let gone = excluded.subtracting(remaining)
        result.runs.removeAll { gone.contains($0.id) }
        return (result, gone.sorted().map(Self.exclusion))
    }

    private static func exclusion(of run: String) -> Diagnostic {
        Diagnostic(
            .excludedRun,
            "Run \(run) is bad data and was left out, as the policy says, since another complete run is there.")
    }
}
