import PerfgateCompare
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// What `perfgate baseline update` says of what it took in and what it refused.
struct UpdateText {
    /// Whether nothing is written.
    let isDryRun: Bool

    /// Says what became of every cell of an update.
    func tell(_ plan: UpdatePlan) {
        Self.tell(plan.faults)
        ConsoleReport.tell(plan.diagnostics)
        for result in plan.comparisons where result.candidate != nil {
            write(line(result, plan))
        }
        write(counts(taken: plan.measurements.cells.count - plan.refused.count, refused: plan.refused.count))
    }

    /// Says what became of every run of several, and of the cells that stood out.
    func tell(_ updates: [RunUpdate]) {
        for update in updates {
            if let plan = update.plan {
                Self.tell(plan.faults)
                ConsoleReport.tell(plan.diagnostics)
            }
            write("\(update.candidate.run.id) of \(update.candidate.start.text): \(outcome(of: update))")
            let plan = update.plan
            for result in plan?.comparisons ?? [] where result.candidate != nil && isNotable(result, plan) {
                write("  " + line(result, plan))
            }
        }
        let skipped = updates.count { $0.plan == nil }
        let total = counts(
            taken: updates.reduce(0) { $0 + $1.takenCount }, refused: updates.reduce(0) { $0 + $1.refusedCount })
        write("\(Figure.count(updates.count, "run")), \(skipped) skipped: \(total)")
    }

    /// Says which inputs can't be used.
    static func tell(_ faults: [FaultyInput]) {
        for fault in faults {
            StandardStream.error.write(CleanText.line("\(fault.path): error: \(fault.message)") + "\n")
        }
    }

    private func write(_ line: String) {
        StandardStream.output.write(CleanText.line(line) + "\n")
    }

    private func counts(taken: Int, refused: Int) -> String {
        let verb = isDryRun ? "would be" : taken == 1 ? "was" : "were"
        return "\(Figure.count(taken, "cell")) \(verb) taken in, \(refused) refused"
    }

    private func outcome(of update: RunUpdate) -> String {
        switch update.outcome {
        case .planned(let plan) where plan.measurements.cells.isEmpty:
            plan.faults.isEmpty ? "nothing of it goes in, as said above" : "refused, as said above"
        case .planned: counts(taken: update.takenCount, refused: update.refusedCount)
        case .skipped(.stored(let others)):
            "skipped, it is stored already"
                + (others == 0 ? "" : ", but for \(Figure.count(others, "cell")) that --accept would take in")
        case .skipped(.tooOld): "skipped, newer runs fill the window or began an epoch"
        case .skipped(.nothingMeasured): "skipped, no line of it measures anything"
        }
    }

    private func isNotable(_ result: PerfgateCompare.ComparisonResult, _ plan: UpdatePlan?) -> Bool {
        guard let plan else { return false }
        return plan.refused.contains(result.cell) || plan.accepted.contains(result.cell)
    }

    private func line(_ result: PerfgateCompare.ComparisonResult, _ plan: UpdatePlan?) -> String {
        let isRefused = plan?.refused.contains(result.cell) ?? false
        let isAccepted = plan?.accepted.contains(result.cell) ?? false
        let action = isRefused ? "refused" : isAccepted ? "accepted" : "taken in"
        let old = result.baseline?.center.map { Figure.text($0) } ?? "none"
        let new = result.candidate?.center.map { Figure.text($0, result.metric.unit.symbol) } ?? "no sample"
        let change = result.numbers.map { " (\(Figure.signed($0.delta)))" } ?? ""
        let stop = plan?.stopped.contains(result.cell) ?? false ? ", because its frame ticks stopped" : ""
        return "\(action): \(result.page.name)  \(result.metric.id)  \(old) → \(new)\(change)\(stop)"
    }
}
