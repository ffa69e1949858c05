import PerfgateCompare
import PerfgateModel

/// Sets aside what wasn't fit to be measured, by the policy's rules and its quarantine.
///
/// A refused run becomes bad data, so that everything that holds for bad data holds for it; a refused iteration loses
/// its samples; a run that is shown only is marked, and its cells gate nothing.
struct FitnessSieve {
    /// The policy with the day by which a quarantine ends.
    let policy: Policy
    /// What is known of the conditions of a run.
    var observations: @Sendable (Run) -> [Observation] = Observation.all

    /// What is left, and what to say of the rest.
    func sift(_ measurements: Measurements) -> (Measurements, [Diagnostic]) {
        var result = measurements
        var diagnostics: [Diagnostic] = []
        for index in result.runs.indices {
            let run = result.runs[index]
            let findings = findings(in: run) + quarantine(of: run)
            diagnostics += findings.map { $0.diagnostic(of: run) }
            for finding in findings where finding.action == .refuse {
                if let iteration = finding.iteration {
                    result.drop(iteration, of: run.id)
                } else {
                    result.runs[index].refuse(finding.fault)
                }
            }
            result.runs[index].whyShownOnly = findings.first { $0.action == .show }?.sentence(of: run)
        }
        return (result.preferringGatingRuns, diagnostics)
    }

    /// The rules that apply, each once for the run as a whole, else once an iteration.
    private func findings(in run: Run) -> [FitnessFinding] {
        let observed = observations(run)
        return policy.fitness.filter { $0.action != .allow }.flatMap { rule -> [FitnessFinding] in
            let met = observed.filter { rule.applies(to: $0.conditions) }
            let whole = met.first { $0.iteration == nil }
            return (whole.map { [$0] } ?? met.firstOfEachIteration).map { observation in
                FitnessFinding(
                    action: rule.action, iteration: observation.iteration,
                    condition: "was measured \(rule.words(for: observation.conditions))", origin: rule.origin)
            }
        }
    }

    private func quarantine(of run: Run) -> [FitnessFinding] {
        let device = run.context.text("device_id")
        let entry = policy.quarantine.first { entry in
            entry.id == device && (policy.day.map { $0 < entry.until } ?? true)
        }
        return entry.map {
            [
                FitnessFinding(
                    action: .show, iteration: nil,
                    condition: "comes from a device in quarantine until \($0.until), \($0.reason)", origin: $0.origin)
            ]
        } ?? []
    }
}

extension [Observation] {
    /// The first of each iteration: a device may be looked at several times in one.
    fileprivate var firstOfEachIteration: [Observation] {
        var seen: Set<Int?> = []
        return filter { seen.insert($0.iteration).inserted }
    }
}

extension Run {
    /// Makes it bad data.
    fileprivate mutating func refuse(_ fault: String) {
        for index in streams.indices { streams[index].faults.append(fault) }
    }
}

extension Measurements {
    /// Takes the samples of an iteration out; what was measured in no other is not measured any more.
    fileprivate mutating func drop(_ iteration: Int, of run: String) {
        for (cell, measurement) in cells {
            guard let index = measurement.runs.firstIndex(where: { $0.run == run }) else { continue }
            let kept = measurement.runs[index].samples.filter { $0.iteration != iteration }
            guard kept.count < measurement.runs[index].samples.count else { continue }
            let left = measurement.iterations[run, default: 1] - 1
            cells[cell]?.iterations[run] = left > 0 ? left : nil
            if left > 0 {
                cells[cell]?.runs[index].samples = kept
            } else {
                cells[cell]?.runs.remove(at: index)
            }
            if cells[cell]?.iterations.isEmpty == true { cells[cell] = nil }
        }
    }

    /// Without the samples of runs that are shown only, where a run that gates measured the same.
    fileprivate var preferringGatingRuns: Measurements {
        let shown = Set(runs.filter { $0.whyShownOnly != nil }.map(\.id))
        guard !shown.isEmpty else { return self }
        var result = self
        for (cell, measurement) in cells where measurement.iterations.keys.contains(where: { !shown.contains($0) }) {
            result.cells[cell]?.runs.removeAll { shown.contains($0.run) }
            for run in shown { result.cells[cell]?.iterations[run] = nil }
        }
        return result
    }
}
