import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateStats

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
