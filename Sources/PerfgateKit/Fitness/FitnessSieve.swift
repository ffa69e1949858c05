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
        let places = Set(cells.filter { $0.value.hasSamples(of: iteration, in: run) }.keys.map(\.place))
        for (cell, measurement) in cells where places.contains(cell.place) {
            let left = measurement.without(iteration, of: run)
            cells[cell] = left.iterations.isEmpty ? nil : left
        }
        for place in places.subtracting(cells.keys.map(\.place)) { pages[place]?.isRefused = true }
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

extension Cell {
    fileprivate var place: PageInEnvironment { PageInEnvironment(page: page, environment: environment) }
}

extension CellMeasurement {
    fileprivate func hasSamples(of iteration: Int, in run: String) -> Bool {
        runs.contains { $0.run == run && $0.samples.contains { $0.iteration == iteration } }
    }

    /// The measurement without an iteration in which its page was measured. Where it has no sample of it, it counts as
    /// one of those in which nothing happened, if there are any.
    fileprivate func without(_ iteration: Int, of run: String) -> CellMeasurement {
        var result = self
        let samples = runs.first { $0.run == run }?.samples ?? []
        let told = Set(samples.map(\.iteration))
        guard let count = iterations[run], told.contains(iteration) || told.count < count else { return self }
        result.iterations[run] = count > 1 ? count - 1 : nil
        result.runs = runs.compactMap { other in
            guard other.run == run else { return other }
            var kept = other
            kept.samples.removeAll { $0.iteration == iteration }
            return count > 1 ? kept : nil
        }
        return result
    }
}
