import PerfgateCompare
import PerfgateModel

/// Filters measurements made under unfit conditions, by the policy's rules and its quarantine: a refused run becomes
/// bad data, a refused iteration loses its samples, and the cells of a run that is only shown gate nothing.
struct ConditionFilter {
    /// The policy with the day that decides when a quarantine ends.
    let policy: Policy
    var observations: @Sendable (Run) -> [Observation] = Observation.all

    func sift(_ measurements: Measurements) -> (Measurements, [Diagnostic]) {
        var result = measurements
        var diagnostics: [Diagnostic] = []
        for (index, run) in measurements.runs.enumerated() {
            let findings = findings(in: run) + quarantine(of: run) + profiled(in: run)
            diagnostics += findings.map { $0.diagnostic(of: run) } + unknownStates(of: run)
            let refusals = findings.filter { $0.action == .refuse }
            for finding in refusals {
                if let iteration = finding.iteration {
                    result.drop(iteration, of: run.id)
                } else {
                    result.runs[index].refuse(finding)
                }
            }
            result.runs[index].refusedIterations = Set(refusals.compactMap(\.iteration)).count
            if let last = refusals.last(where: { $0.iteration != nil }), result.holdsNothing(of: run.id) {
                result.runs[index].refuse(last)
            }
            result.runs[index].whyShownOnly = findings.first { $0.action == .show }?.sentence(of: run)
        }
        return (result.preferringGatingRuns, diagnostics)
    }

    /// The rules that apply: once for the run if any part of it matches, else once per iteration.
    private func findings(in run: Run) -> [FitnessFinding] {
        let observed = observations(run)
        return policy.fitness.filter { $0.action != .allow }.flatMap { rule -> [FitnessFinding] in
            let met = observed.filter { rule.applies(to: $0.conditions) }
            let parts = met.filter { $0.iteration == nil }
            // A device may be observed several times in an iteration.
            let told = parts.isEmpty ? met.grouped(by: \.iteration).map { [$0[0]] } : [parts]
            return told.map { observations in
                let words = rule.words(for: observations[0].conditions)
                return FitnessFinding(rule.action, observations, condition: "was measured \(words)", from: rule.origin)
            }
        }
    }

    /// Unknown thermal states, once per run: no rule can judge them.
    private func unknownStates(of run: Run) -> [Diagnostic] {
        let states = observations(run).lazy.compactMap { $0.conditions.text("thermal_state") }
        let known = FitnessRule.thermalStates
        guard let unknown = states.first(where: { !known.contains($0.lowercased()) }) else { return [] }
        let message = "Run \(run.id) says the thermal state '\(unknown)', which isn't one of "
        return [Diagnostic(.unfitRun, path: run.path, message + "\(known.joined(separator: ", ")): no rule covers it.")]
    }

    /// The parts that were recorded with a profiler, which no policy lets gate.
    private func profiled(in run: Run) -> [FitnessFinding] {
        let met = Observation.headers(of: run).filter(\.conditions.isProfiled)
        let condition = "was recorded with a profiler, which slows the app"
        return met.isEmpty ? [] : [FitnessFinding(.show, met, condition: condition, from: .builtIn)]
    }

    /// The first quarantine entry that matches a device on which any part of the run was measured.
    private func quarantine(of run: Run) -> [FitnessFinding] {
        let headers = Observation.headers(of: run)
        for entry in policy.quarantine where !entry.isExpired(on: policy.day) {
            let met = headers.filter { $0.conditions.text("device_id") == entry.id }
            guard !met.isEmpty else { continue }
            let condition = "comes from a device in quarantine until \(entry.until), \(entry.reason)"
            return [FitnessFinding(.show, met, condition: condition, from: entry.origin)]
        }
        return []
    }
}

extension Measurements {
    /// The fit measurements under a policy, diagnostics about the rest, and the policy as of this day.
    func sifted(by policy: Policy, today: CalendarDay?) -> (policy: Policy, fit: Measurements, unfit: [Diagnostic]) {
        var policy = policy
        policy.day = today
        let whole = policy.isPartial ? self : blamingAbsentShards()
        let (fit, unfit) = ConditionFilter(policy: policy).sift(whole)
        return (policy, fit, unfit)
    }

    fileprivate func holdsNothing(of run: String) -> Bool {
        cells.values.allSatisfy { $0.iterations[run]?.isEmpty ?? true }
            && pages.values.allSatisfy { $0.measured[run]?.isEmpty ?? true }
    }

    /// Removes an iteration; cells measured in no other iteration become unmeasured.
    fileprivate mutating func drop(_ iteration: Int, of run: String) {
        for (cell, measurement) in cells where measurement.iterations[run] != nil || measurement.coverages[run] != nil {
            cells[cell]?.remove(iteration, of: run)
            if cells[cell]?.iterations.isEmpty == true { cells[cell] = nil }
        }
        let measured = Set(cells.keys.map(\.place))
        for (place, page) in pages where page.measured[run]?[iteration] != nil {
            pages[place]?.measured[run]?[iteration] = nil
            let isLast = pages[place]?.measured.values.allSatisfy(\.isEmpty) ?? true
            if isLast, !measured.contains(place) { pages[place]?.isRefused = true }
        }
    }

    /// Removes samples of runs that are only shown, if a gating run measured the same.
    fileprivate var preferringGatingRuns: Measurements {
        let shown = Set(runs.filter { $0.whyShownOnly != nil }.map(\.id))
        guard !shown.isEmpty else { return self }
        var result = self
        for (cell, measurement) in cells where measurement.iterations.keys.contains(where: { !shown.contains($0) }) {
            result.cells[cell]?.remove(shown)
        }
        return result
    }
}

extension Run {
    fileprivate mutating func refuse(_ finding: FitnessFinding) {
        for index in finding.streams { streams[index].faults.append(finding.fault(of: index, in: self)) }
    }
}

/// A run, part of a run, or iteration that was measured under a condition that the policy restricts.
struct FitnessFinding: Sendable, Hashable {
    let action: FitnessRule.Action
    /// The test iteration; `nil`: the whole run.
    let iteration: Int?
    /// The indices of the affected streams of the run, in order; not empty.
    let streams: [Int]
    /// The condition in words, such as `was measured in low-power mode`.
    let condition: String
    let origin: Origin

    /// Makes a finding from the observations that match a rule; its text describes the first.
    init(_ action: FitnessRule.Action, _ observations: [Observation], condition: String, from origin: Origin) {
        (self.action, iteration) = (action, observations.first?.iteration)
        (streams, self.condition, self.origin) = (observations.map(\.stream), condition, origin)
    }

    func fault(of stream: Int, in run: Run) -> String {
        let subject = run.streams.count > 1 ? Self.name(of: run.streams[stream], in: run) : "It"
        return "\(subject) \(condition), and the policy refuses that (\(origin))."
    }

    func sentence(of run: Run) -> String { "\(subject(in: run)) \(condition)\(consequence) (\(origin))." }

    /// The diagnostic, placed at the first line of the stream; for an iteration, at its file.
    func diagnostic(of run: Run) -> Diagnostic {
        let stream = streams.first.map { run.streams[$0] }
        return Diagnostic(
            .unfitRun, severity: action == .show ? .note : .warning, path: stream?.path,
            line: iteration == nil ? stream?.line : nil, sentence(of: run))
    }

    private func subject(in run: Run) -> String {
        if let iteration { return "Iteration \(iteration) of run \(run.id)" }
        guard let first = streams.first, streams.count < run.streams.count else { return "Run \(run.id)" }
        return Self.name(of: run.streams[first], in: run)
    }

    private static func name(of stream: Run.Stream, in run: Run) -> String {
        let names = [stream.part.map { "part \($0)" }, stream.shard.map { "shard \($0)" }].compactMap(\.self)
        let name = (names.isEmpty ? ["a part"] : names) + ["run \(run.id)"]
        let text = name.joined(separator: " of ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private var consequence: String {
        switch action {
        case .allow, .warn: ", which makes its numbers doubtful"
        case .show: ": it is informational (not gated)"
        case .refuse: iteration == nil ? ": it is refused" : ": its samples are left out"
        }
    }
}

struct Observation: Sendable, Hashable {
    /// The test iteration; `nil`: the whole part, from its `run` line.
    let iteration: Int?
    let stream: Int, conditions: Context

    /// All observations of a run: from the `run` lines of its parts, then from the `state` lines of its iterations.
    static func all(of run: Run) -> [Observation] {
        headers(of: run)
            + run.streams.enumerated().flatMap { index, stream in
                stream.states.map { Observation(iteration: $0.iteration, stream: index, conditions: $0.conditions) }
            }
    }

    /// The observations from the `run` lines of its parts: each may have been written on another day and device.
    static func headers(of run: Run) -> [Observation] {
        run.streams.enumerated().map { index, stream in
            var conditions = stream.context ?? run.context
            for (name, value) in stream.start.conditions.fields { conditions[name] = value }
            return Observation(iteration: nil, stream: index, conditions: conditions)
        }
    }
}
