import PerfgateCompare
import PerfgateModel

/// A run, or an iteration, that was measured under a condition that the policy asks about.
struct FitnessFinding: Sendable, Hashable {
    /// What becomes of it.
    let action: FitnessRule.Action
    /// The repetition of the test; `nil`: the run.
    let iteration: Int?
    /// What is to be said of it, such as `was measured in low-power mode`.
    let condition: String
    /// Where the rule stands.
    let origin: Origin

    /// Why its run is bad data; one sentence.
    var fault: String { "It \(condition), and the policy refuses that (\(origin))." }

    /// What is said of it; one sentence.
    func sentence(of run: Run) -> String {
        let subject = iteration.map { "Iteration \($0) of run \(run.id)" } ?? "Run \(run.id)"
        return "\(subject) \(condition)\(consequence) (\(origin))."
    }

    /// The remark, at the file that the run came from.
    func diagnostic(of run: Run) -> Diagnostic {
        Diagnostic(
            .unfitRun, severity: action == .show ? .note : .warning, path: run.streams.first?.path, sentence(of: run))
    }

    private var consequence: String {
        switch action {
        case .allow, .warn: ", which makes its numbers doubtful"
        case .show: ": it is shown and gates nothing"
        case .refuse: iteration == nil ? ": it is refused" : ": its samples are left out"
        }
    }
}
