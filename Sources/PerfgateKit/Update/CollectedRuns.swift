import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// The runs of many logs, such as a server's artifacts, in the order in which they are stored.
package struct CollectedRuns: Sendable {
    /// The runs, sorted by start, then identifier.
    package let runs: [CollectedRun]
    /// The faults that block the update: unreadable logs and bad runs, unless excluded, and runs without a place.
    package let faults: [FaultyInput]
    package let diagnostics: [Diagnostic], measurements: Measurements

    /// Splits measurements by run.
    /// - Parameter now: The start of the first run without one, and of others 1 ms after each other, in the order of
    ///   their paths; `nil`: such runs are a fault, except versions of an app, whose percentiles have no date.
    package init(_ measurements: Measurements, policy: Policy, now: Timestamp? = nil) {
        let (left, excluded) = measurements.excludingBadRuns(policy.badRun)
        let isExcluding = policy.badRun == .exclude && left.runs.contains(where: \.isComplete)
        let unreadable = left.faultyInputs
        let cells = left.cellsByRun()
        let undated = left.runs.filter { $0.start == nil }.map { (path: $0.path ?? "", id: $0.id) }
            .sorted { $0.path.compare($1.path, options: .numeric) == .orderedAscending }
        let places = Dictionary(undated.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let dated = left.runs.map { run in
            let isVersion = run.startedAt == nil && cells[run.id]?.values.allSatisfy(\.metric.isQuantile) == true
            let started = now?.after(milliseconds: places[run.id] ?? 0)
            return (run, run.start ?? started ?? (isVersion ? Timestamp(secondsSince1970: 0) : nil))
        }
        self.measurements = left
        runs = dated.compactMap { run, start in
            start.map { CollectedRun(run: run, start: $0, measurements: left.only(run, cells[run.id] ?? [:])) }
        }.sorted { $0.place < $1.place }
        faults =
            (isExcluding ? [] : unreadable) + left.badRunFaults + left.emptiness
            + dated.filter { $0.1 == nil && $0.0.isComplete }.map { Self.withoutStart($0.0) }
        let order = now == nil || undated.count < 2 ? [] : [Self.order(of: undated.count, first: undated[0].path)]
        diagnostics =
            (left.diagnostics + order + excluded + (isExcluding ? unreadable.map(Self.exclusion) : [])).sorted()
    }

    private static func order(of count: Int, first path: String) -> Diagnostic {
        Diagnostic(
            .undatedRuns, path: path,
            "\(count) runs don't say when they began: they count as measured now, in the order of their paths. Give "
                + "several nights in a call each, the oldest first.")
    }

    private static func withoutStart(_ run: Run) -> FaultyInput {
        let problem =
            run.startedAt.map { "says that it began at '\($0)', which isn't a time" } ?? "doesn't say when it began"
        return run.fault(
            "Run \(run.id) \(problem), so it has no place in the order of the runs. Write started_at, such as "
                + "2026-11-20T10:00:00Z, into its run line.")
    }

    private static func exclusion(of input: FaultyInput) -> Diagnostic {
        Diagnostic(
            .excludedRun, path: input.path, "It was left out by the policy, because it can't be used: \(input.message)")
    }
}

extension CollectedRuns {
    /// The fit runs of logs, with their measurements and diagnostics about the rest.
    package init(trendsOf measurements: Measurements, policy: Policy) {
        var lenient = policy
        lenient.badRun = .exclude
        let (_, fit, unfit) = measurements.refusingImpossibleStarts(today: .today).sifted(by: lenient, today: .today)
        var told = fit
        told.diagnostics += unfit
        self.init(told, policy: lenient)
    }
}

extension [RunUpdate] {
    /// What the baselines have and none of the call's runs measured, sorted. A run that isn't stored says nothing.
    package func absent(besides measurements: Measurements) -> [CellResult] {
        let all = flatMap(\.absent).filter { result in
            measurements.cells[result.cell] == nil
                && (result.subject != .anyLine(of: result.page) || measurements.pages[result.place] == nil)
        }
        return Dictionary(all.map { ($0.cell, $0) }) { first, _ in first }.values.sorted()
    }

    /// A run that was refused as unfit counts as bad data, unless the policy excludes such runs and another run in one
    /// of its environments was stored. An update with `--accept` has failed if every run is too old to be stored.
    package func status(_ policy: Policy, _ acceptance: UpdatePlan.Acceptance? = nil) -> ExitStatus {
        if acceptance != nil, !isEmpty, allSatisfy(\.isTooOld) { return .failed }
        let sound = filter { $0.plan?.faults.isEmpty ?? false }
        let measured = Set(sound.flatMap { $0.candidate.measurements.environments })
        let statuses = compactMap { update -> ExitStatus? in
            // A call that is repeated must not turn a refusal green.
            let before = update.refusedBefore > 0 && acceptance == nil ? ExitStatus.failed : .passed
            guard let plan = update.plan else { return before }
            let isExcluded =
                policy.badRun == .exclude && !measured.isDisjoint(with: update.candidate.measurements.environments)
            return plan.faults.isEmpty || !isExcluded ? ExitStatus.mostUrgent([before, plan.status]) : before
        }
        return ExitStatus.mostUrgent(statuses)
    }
}

package struct CollectedRun: Sendable {
    package let run: Run, start: Timestamp, measurements: Measurements

    fileprivate var place: BaselineRun { BaselineRun(id: run.id, startedAt: start) }
}

extension Measurements {
    func cellsByRun() -> [String: [Cell: CellMeasurement]] {
        cells.reduce(into: [:]) { result, item in
            for run in Set(item.value.runs.map(\.run)).union(item.value.iterations.keys) {
                result[run, default: [:]][item.key] = item.value.only(run)
            }
        }
    }

    /// The measurements of one run, without diagnostics about the logs as a whole.
    func only(_ run: Run, _ cells: [Cell: CellMeasurement]) -> Measurements {
        var pages: [PageInEnvironment: PageMeasurement] = [:]
        for place in Set(cells.keys.map(\.place)) {
            pages[place] = self.pages[place]
            pages[place]?.measured = self.pages[place]?.measured.filter { $0.key == run.id } ?? [:]
        }
        return Measurements(runs: [run], cells: cells, pages: pages)
    }

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

package struct RunUpdate: Sendable {
    package enum Resolution: Sendable {
        /// It was judged: the plan says what was stored and what was refused.
        case planned(UpdatePlan)
        case skipped(Reason)
    }

    package enum Reason: Sendable, Hashable {
        /// The baselines contain it; with the number of its cells that they lack, mostly because they were refused.
        case stored(others: Int)
        /// It is older than all runs that its baselines have room for, or older than their epochs.
        case tooOld
        /// It measured none of the accepted cells, and the others aren't stored.
        case notAccepted
        case nothingMeasured
    }

    package let candidate: CollectedRun, outcome: Resolution
    /// What the store's own runs showed afterwards.
    package let review: StoreReview
    /// What the baselines have of the run's environments, and the run lacks, also if it is stored already.
    package internal(set) var absent: [CellResult]
    /// The number of its cells that an earlier call refused, as the newest run of each.
    package internal(set) var refusedBefore = 0

    init(_ candidate: CollectedRun, _ outcome: Resolution, _ review: StoreReview = StoreReview()) {
        (self.candidate, self.outcome, self.review) = (candidate, outcome, review)
        absent = if case .planned(let plan) = outcome, plan.faults.isEmpty { plan.absent } else { [] }
    }

    fileprivate var isTooOld: Bool { if case .skipped(.tooOld) = outcome { true } else { false } }

    package var plan: UpdatePlan? { if case .planned(let plan) = outcome { plan } else { nil } }

    package var takenCount: Int { (plan?.measurements.cells.count ?? 0) - refusedCount - (plan?.untouched.count ?? 0) }

    package var refusedCount: Int { plan?.refused.count ?? 0 }
}

/// The result of an update, from the store's content after it.
package struct StoredUpdate: Sendable {
    package let plan: UpdatePlan
    /// The planned cells with a run that the store lacks, each with the reason as a clause.
    package let whyLeftOut: [Cell: String]
    package var leftOut: Set<Cell> { Set(whyLeftOut.keys) }
    package let nights: [Cell: HeldNights]

    package init(_ plan: UpdatePlan, in baselines: Baselines) {
        self.plan = plan
        nights = Reference(baselines).held
        let starts = Dictionary(plan.measurements.runs.map { ($0.id, $0.startedAt ?? "") }) { first, _ in first }
        whyLeftOut = plan.measurements.cells.reduce(into: [:]) { why, item in
            let (cell, measurement) = item
            guard !plan.refused.contains(cell), !plan.untouched.contains(cell) else { return }
            let file = baselines[cell.place]
            let runs = Set(measurement.iterations.filter { !$0.value.isEmpty }.keys).union(measurement.runs.map(\.run))
            let lost = runs.filter { file?.metrics[cell.metric]?.has($0) != true }
            guard !lost.isEmpty else { return }
            // Newer runs of the accepted level may fill the window: they got in because it was accepted.
            let begins = Set(lost.compactMap { starts[$0] })
            let epochs = (file?.accepted ?? []).filter { $0.metric == cell.metric }.map(\.at.text)
            guard epochs.allSatisfy({ !begins.contains($0) }) || !plan.accepted.contains(cell) else { return }
            let epoch = epochs.max() ?? ""
            let isOlder = lost.contains { starts[$0, default: ""] < epoch }
            why[cell] = isOlder ? "an epoch began on \(epoch.prefix(10))" : "newer runs fill the window"
        }
    }

    package var takenCount: Int {
        plan.measurements.cells.count - plan.refused.count - plan.untouched.count - leftOut.count
    }

    /// The exit status for cells that weren't stored: missing accepted cells are a failure.
    package var status: ExitStatus { plan.accepted.isDisjoint(with: leftOut) ? .passed : .failed }

    /// The comparisons of the measured cells: the first three each worst first, and all others, largest changes first.
    package var groups: (refused: [CellResult], accepted: [CellResult], held: [CellResult], others: [CellResult]) {
        let measured = plan.comparisons.filter { $0.candidate != nil && !plan.untouched.contains($0.cell) }
        let refused = measured.filter { plan.refused.contains($0.cell) }
        let rest = measured.filter { !plan.refused.contains($0.cell) }
        let accepted = rest.filter { plan.accepted.contains($0.cell) }
        let open = rest.filter { !plan.accepted.contains($0.cell) }
        let held = open.filter { plan.held[$0.cell] != nil }
        var others = open.filter { plan.held[$0.cell] == nil }
        others.sort { (abs($1.changeInTolerances), $0) < (abs($0.changeInTolerances), $1) }
        return (refused, accepted, held, others)
    }
}

extension UpdatePlan {
    /// The accepted cells that still fail every check, because a limit is independent of the baseline.
    package func brokenLimits(
        _ acceptance: Acceptance, policy: Policy, baselines: Baselines, today: CalendarDay?
    ) throws(StatsError) -> [CellResult] {
        var policy = policy
        (policy.day, policy.confirmation) = (today, .off)
        return try Judge(policy: policy).judge(measurements, with: Reference(baselines)).comparisons.filter { result in
            result.isGated && result.verdict == .overLimit && acceptance.covers(result.cell)
        }
    }
}
