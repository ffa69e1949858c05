import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// The runs of many logs, as a server's artifacts bring them, in the order in which they are taken in.
package struct CollectedRuns: Sendable {
    /// The runs by start, then identifier.
    package let runs: [CollectedRun]
    /// What makes it impossible to take in any: unreadable logs and runs that the policy doesn't exclude, and runs
    /// without a place in the order.
    package let faults: [FaultyInput]
    /// What is to be said of the logs, and of what was excluded.
    package let diagnostics: [Diagnostic]
    /// What all of them measured.
    let measurements: Measurements

    /// Takes the runs of measurements apart.
    ///
    /// - Parameter now: The start of runs that don't say theirs; `nil`: those are a fault, except versions of an app, whose
    ///   percentiles have no date.
    package init(_ measurements: Measurements, policy: Policy, now: Timestamp? = nil) {
        let (left, excluded) = measurements.excludingBadRuns(policy.badRun)
        let isExcluding = policy.badRun == .exclude && left.runs.contains(where: \.isComplete)
        let unreadable = left.faultyInputs
        let cells = left.cellsByRun()
        let dated = left.runs.map { run in
            let isVersion = run.startedAt == nil && cells[run.id]?.values.allSatisfy(\.metric.isQuantile) == true
            let other = isVersion ? Timestamp(secondsSince1970: 0) : nil
            return (run, run.startedAt.flatMap { Timestamp($0) } ?? now ?? other)
        }
        self.measurements = left
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
    /// and another run of one of its environments was taken in. What somebody gave a reason for has failed where every
    /// run is too old to be stored.
    package func status(_ policy: Policy, _ acceptance: UpdatePlan.Acceptance? = nil) -> ExitStatus {
        if acceptance != nil, !isEmpty, allSatisfy(\.isTooOld) { return .failed }
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

/// One of the runs that many logs hold together, with what it measured.
package struct CollectedRun: Sendable {
    /// The run.
    package let run: Run
    /// When it began.
    package let start: Timestamp
    /// What it measured, and nothing else.
    package let measurements: Measurements
}

extension Measurements {
    /// What each run measured by itself.
    func cellsByRun() -> [String: [Cell: CellMeasurement]] {
        var result: [String: [Cell: CellMeasurement]] = [:]
        for (cell, measurement) in cells {
            for run in Set(measurement.runs.map(\.run)).union(measurement.iterations.keys) {
                result[run, default: [:]][cell] = measurement.only(run)
            }
        }
        return result
    }

    /// What one run measured, without what was said of the logs as a whole.
    func only(_ run: Run, _ cells: [Cell: CellMeasurement]) -> Measurements {
        let places = Set(cells.keys.map(\.place))
        return Measurements(runs: [run], cells: cells, pages: pages.filter { places.contains($0.key) })
    }

    /// The measurements with no other cells than those wanted.
    func keeping(_ isWanted: (Cell) -> Bool) -> Measurements {
        let kept = cells.filter { isWanted($0.key) }
        guard kept.count < cells.count else { return self }
        var result = self
        result.cells = kept
        let places = Set(kept.keys.map(\.place))
        result.pages = pages.filter { places.contains($0.key) }
        return result
    }
}

/// What became of one of several runs.
package struct RunUpdate: Sendable {
    /// What became of it.
    package enum Resolution: Sendable {
        /// It was judged: the plan says what was taken in and what was refused.
        case planned(UpdatePlan)
        /// It was left alone.
        case skipped(Reason)
    }

    /// Why a run was left alone.
    package enum Reason: Sendable, Hashable {
        /// The baselines hold it already; with the number of its cells that they lack, mostly because they were refused.
        case stored(others: Int)
        /// It is older than all runs for which its baselines have room, or than their epochs.
        case tooOld
        /// No line of it that was taken measures anything.
        case nothingMeasured
    }

    /// The run with its measurements.
    package let candidate: CollectedRun
    /// What became of it.
    package let outcome: Resolution

    init(_ candidate: CollectedRun, _ outcome: Resolution) {
        self.candidate = candidate
        self.outcome = outcome
    }

    /// Whether it is older than all for which the baselines have room.
    fileprivate var isTooOld: Bool {
        guard case .skipped(.tooOld) = outcome else { return false }
        return true
    }

    /// The plan; `nil` where the run was left alone.
    package var plan: UpdatePlan? {
        guard case .planned(let plan) = outcome else { return nil }
        return plan
    }

    /// How many of its cells were taken in.
    package var takenCount: Int { (plan?.measurements.cells.count ?? 0) - refusedCount }

    /// How many of its cells were refused because they regressed.
    package var refusedCount: Int { plan?.refused.count ?? 0 }
}

/// What became of an update, by what the store holds afterwards.
package struct StoredUpdate: Sendable {
    /// What was planned.
    package let plan: UpdatePlan
    /// The cells that were to be taken in and of which the store lacks a run: newer runs fill its window, began an epoch,
    /// or contradict what was in doubt.
    package let leftOut: Set<Cell>

    /// Compares a plan with what the store holds.
    package init(_ plan: UpdatePlan, in baselines: Baselines) {
        self.plan = plan
        leftOut = Set(
            plan.measurements.cells.filter { cell, measurement in
                guard !plan.refused.contains(cell) else { return false }
                let stored = baselines[cell.place]?.metrics[cell.metric]?.samples
                let runs = Set(measurement.iterations.filter { !$0.value.isEmpty }.keys)
                    .union(measurement.runs.map(\.run))
                return !runs.allSatisfy { stored?[$0] != nil }
            }.keys)
    }

    /// How many cells the store holds of it.
    package var takenCount: Int { plan.measurements.cells.count - plan.refused.count - leftOut.count }

    /// What the program exits with for what isn't stored: what somebody gave a reason for has failed.
    package var status: ExitStatus { plan.accepted.isDisjoint(with: leftOut) ? .passed : .failed }

    /// The comparisons of what was measured: those that were refused, accepted or are provisional, each worst first, and
    /// all others, the largest changes first.
    package var groups: (refused: [CellResult], accepted: [CellResult], provisional: [CellResult], others: [CellResult])
    {
        var (refused, accepted, provisional, others) = ([CellResult](), [CellResult](), [CellResult](), [CellResult]())
        for result in plan.comparisons where result.candidate != nil {
            if plan.refused.contains(result.cell) {
                refused.append(result)
            } else if plan.accepted.contains(result.cell) {
                accepted.append(result)
            } else if plan.provisional.contains(result.cell) {
                provisional.append(result)
            } else {
                others.append(result)
            }
        }
        others.sort { (abs($1.changeInTolerances), $0) < (abs($0.changeInTolerances), $1) }
        return (refused, accepted, provisional, others)
    }
}

extension UpdatePlan {
    /// The cells under an acceptance that still fail every check, since a limit holds whatever the baseline has.
    package func brokenLimits(
        _ acceptance: Acceptance, policy: Policy, baselines: Baselines, today: CalendarDay?
    ) throws(StatsError) -> [CellResult] {
        var policy = policy
        policy.day = today
        policy.confirmation = .off
        return try Judge(policy: policy).compare(measurements, with: Reference(baselines)).filter { result in
            result.isGated && result.verdict == .overLimit && acceptance.covers(result.cell)
        }
    }
}
