import PerfgateCompare
import PerfgateModel

/// The conditions that held in a part of a run, or in one of its iterations.
struct Observation: Sendable, Hashable {
    /// The repetition of the test; `nil`: all of the part, as its `run` line says it.
    let iteration: Int?
    /// The index of the stream that says so, among those of the run.
    let stream: Int
    /// The fields that are known.
    let conditions: Context

    /// What a log says of a run: of its parts by their `run` lines, then of its iterations by their `state` lines.
    static func all(of run: Run) -> [Observation] {
        headers(of: run)
            + run.streams.enumerated().flatMap { index, stream in
                stream.states.map { Observation(iteration: $0.iteration, stream: index, conditions: $0.conditions) }
            }
    }

    /// What the `run` lines of its parts say: each may have been written on another day's device.
    static func headers(of run: Run) -> [Observation] {
        run.streams.enumerated().map { index, stream in
            var conditions = stream.context ?? run.context
            for (name, value) in stream.start.conditions.fields { conditions[name] = value }
            return Observation(iteration: nil, stream: index, conditions: conditions)
        }
    }
}
