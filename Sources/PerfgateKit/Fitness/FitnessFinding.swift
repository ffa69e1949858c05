import PerfgateCompare
import PerfgateModel

/// A run, a part of one, or an iteration, that was measured under a condition that the policy asks about.
struct FitnessFinding: Sendable, Hashable {
    /// What becomes of it.
    let action: FitnessRule.Action
    /// The repetition of the test; `nil`: the run.
    let iteration: Int?
    /// The indices of the run's streams that were so, in their order; not empty.
    let streams: [Int]
    /// What is to be said of it, such as `was measured in low-power mode`.
    let condition: String
    /// Where the rule stands.
    let origin: Origin

    /// Makes a finding of the observations that a rule applies to, the first of which is told.
    init(
        _ action: FitnessRule.Action, _ observations: [Observation], condition: String, from origin: Origin
    ) {
        self.action = action
        self.iteration = observations.first?.iteration
        self.streams = observations.map(\.stream)
        self.condition = condition
        self.origin = origin
    }

    /// Why a stream of a run is bad data; one sentence.
    func fault(of stream: Int, in run: Run) -> String {
        let subject = run.streams.count > 1 ? Self.name(of: run.streams[stream], in: run) : "It"
        return "\(subject) \(condition), and the policy refuses that (\(origin))."
    }

    /// What is said of it; one sentence.
    func sentence(of run: Run) -> String { "\(subject(in: run)) \(condition)\(consequence) (\(origin))." }

    /// The remark, at the line that opens the stream that says so; of an iteration, at its file.
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
        case .show: ": it is shown and gates nothing"
        case .refuse: iteration == nil ? ": it is refused" : ": its samples are left out"
        }
    }
}
