import PerfgateCompare
import PerfgateModel

/// The conditions that held in a run, or in one of its iterations.
struct Observation: Sendable, Hashable {
    /// The repetition of the test; `nil`: the whole run, as its `run` line says it.
    let iteration: Int?
    /// The fields that are known.
    let conditions: Context

    /// What a log says of a run: as a whole by its `run` line, then of its iterations by its `state` lines.
    static func all(of run: Run) -> [Observation] {
        [Observation(iteration: nil, conditions: run.context)]
            + run.states.map { Observation(iteration: $0.iteration, conditions: $0.conditions) }
    }
}
