import PerfgateBaselines
import PerfgateCompare
import PerfgateModel

/// The runs of many logs, as a server's artifacts bring them, in the order in which they are taken in.
public struct CollectedRuns: Sendable {
    /// The runs by start, then identifier.
    public let runs: [CollectedRun]
    /// What makes it impossible to take in any: unreadable logs and runs that the policy doesn't exclude, and runs
    /// without a place in the order.
    public let faults: [FaultyInput]
    /// What is to be said of the logs, and of what was excluded.
    public let diagnostics: [Diagnostic]

    /// Takes the runs of measurements apart.
    public init(_ measurements: Measurements, policy: Policy) {
        let (left, excluded) = measurements.excludingBadRuns(policy.badRun)
        let isExcluding = policy.badRun == .exclude && left.runs.contains(where: \.isComplete)
        let unreadable = left.faultyInputs
        let cells = left.cellsByRun()
        let dated = left.runs.map { run in (run, run.startedAt.flatMap { Timestamp($0) }) }
        runs = dated.compactMap { run, start in
            start.map { CollectedRun(run: run, start: $0, measurements: left.only(run, cells[run.id] ?? [:])) }
        }.sorted(by: Self.precedes)
        faults =
            (isExcluding ? [] : unreadable) + left.badRunFaults + left.emptiness
            + dated.filter { $0.1 == nil && $0.0.isComplete }.map { Self.withoutStart($0.0) }
        diagnostics =
            (left.diagnostics + excluded + (isExcluding ? unreadable.map(Self.exclusion) : [])).sorted()
    }

    private static func precedes(_ first: CollectedRun, _ second: CollectedRun) -> Bool {
        BaselineRun(id: first.run.id, startedAt: first.start) < BaselineRun(id: second.run.id, startedAt: second.start)
    }

    private static func withoutStart(_ run: Run) -> FaultyInput {
        let problem =
            run.startedAt.map { "says that it began at '\($0)', which is no time" } ?? "doesn't say when it began"
        return FaultyInput(
            path: run.streams.first?.path ?? "input", run: run.id, fault: .badData,
            message:
                "Run \(run.id) \(problem), so that it has no place in the order of the runs. Write started_at, such "
                + "as 2026-11-20T10:00:00Z, into its run line, or move its logs out and take them in by a call of "
                + "their own, without --from-ci.")
    }

    private static func exclusion(of input: FaultyInput) -> Diagnostic {
        Diagnostic(
            .excludedRun, path: input.path,
            "It was left out, as the policy says, since it can't be used: \(input.message)")
    }
}

extension [RunUpdate] {
    /// What the program exits with.
    ///
    /// A run that was refused because it wasn't fit to be measured counts as bad data, unless the policy excludes those
    /// and another run of one of its environments was taken in.
    public func status(_ policy: Policy) -> ExitStatus {
        let sound = filter { $0.plan?.faults.isEmpty ?? false }
        let measured = Set(sound.flatMap { $0.candidate.measurements.environments })
        let statuses = compactMap { update -> ExitStatus? in
            guard let plan = update.plan else { return nil }
            let isExcluded =
                policy.badRun == .exclude && !measured.isDisjoint(with: update.candidate.measurements.environments)
            return plan.faults.isEmpty || !isExcluded ? plan.status : .passed
        }
        return ExitStatus.mostUrgent(statuses)
    }
}
