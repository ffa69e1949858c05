import PerfgateModel

/// What became of one of several runs.
public struct RunUpdate: Sendable {
    /// What became of it.
    public enum Outcome: Sendable {
        /// It was judged: the plan says what was taken in and what was refused.
        case planned(UpdatePlan)
        /// It was left alone.
        case skipped(Reason)
    }

    /// Why a run was left alone.
    public enum Reason: Sendable, Hashable {
        /// The baselines hold it already; with the number of its cells that they lack, mostly because they were refused.
        case stored(others: Int)
        /// It is older than all runs for which its baselines have room, or than their epochs.
        case tooOld
        /// No line of it that was taken measures anything.
        case nothingMeasured
    }

    /// The run with its measurements.
    public let candidate: CollectedRun
    /// What became of it.
    public let outcome: Outcome

    init(_ candidate: CollectedRun, _ outcome: Outcome) {
        self.candidate = candidate
        self.outcome = outcome
    }

    /// The plan; `nil` where the run was left alone.
    public var plan: UpdatePlan? {
        guard case .planned(let plan) = outcome else { return nil }
        return plan
    }

    /// How many of its cells were taken in.
    public var takenCount: Int { (plan?.measurements.cells.count ?? 0) - refusedCount }

    /// How many of its cells were refused because they regressed.
    public var refusedCount: Int { plan?.refused.count ?? 0 }
}
