/// One uninterrupted measurement on one device, with its streams (launches, shards).
package struct Run: Sendable, Hashable {
    /// The identifier; for lines without a `run` line, a hash of their content.
    package var id: String
    /// The conditions, from the first stream.
    package var context: Context
    /// The streams, sorted by shard, then part.
    package var streams: [Stream]
    package var sampleCount: Int
    package var refusedIterations = 0
    /// The rerun attempt that it came from, from 1; 0: none.
    package var attempt = 0
    /// Why its values are shown and don't gate, as one sentence; `nil` if they may gate.
    package var whyShownOnly: String?

    /// One sequence of lines: a launch of the app, on one of the run's machines.
    package struct Stream: Sendable, Hashable {
        /// The launch; `nil` if unknown.
        package var part: String?
        /// The shard of the tests, such as `2/5`; `nil` if the run wasn't sharded.
        package var shard: String?
        package var path: String
        /// The first line of the stream in the file, from 1; `nil` if there is no such line.
        package let line: Int?
        /// The conditions in its own `run` line; `nil`: the run's.
        package var context: Context?
        /// The number of iterations that its run declares; `nil` if not declared.
        package var iterations: Int?
        /// The number of parts that its shard declares; `nil` if not declared.
        package var parts: Int?
        /// The environment of its `run` line if none of its lines measures a page; otherwise `nil`.
        package var silentEnvironment: Environment?
        /// Why it is bad data, ordered by line; empty if it is sound.
        package var faults: [String]
        /// The device state in its own `run` line: processor, memory, threads and charging.
        package var start = RunState()
        /// The device states, ordered by line; of equal neighbours the first.
        package var states: [RunState] = []

        package init(
            part: String? = nil, shard: String? = nil, path: String, line: Int? = nil, context: Context? = nil,
            faults: [String] = []
        ) {
            (self.part, self.shard, self.path, self.line) = (part, shard, path, line)
            (self.context, self.faults) = (context, faults)
        }
    }

    package init(id: String, context: Context, streams: [Stream], sampleCount: Int = 0) {
        (self.id, self.context, self.streams, self.sampleCount) = (id, context, streams, sampleCount)
    }

    /// The device states, sorted by shard, part and line.
    package var states: [RunState] { streams.flatMap(\.states) }

    /// Whether every stream is sound; otherwise the run is bad data.
    package var isComplete: Bool { streams.allSatisfy(\.faults.isEmpty) }

    /// Its start from the log (ISO 8601, UTC); `nil` if unknown.
    package var startedAt: String? { context.text("started_at") }

    package var commit: String? { context.text("commit") }

    package var declaredIterations: Int? { streams.compactMap(\.iterations).max() }

    /// The pair shared with the other side's run that was measured in turn with it; `nil` without one.
    package var pair: String? { context.text("pair") }

    package var builds: Set<Build> {
        streams.isEmpty ? [Build(context)] : Set(streams.map { Build($0.context ?? context) })
    }

    package var path: String? { streams.first?.path }

    /// The moment of `startedAt`; `nil` if that is unknown or no time.
    package var start: Timestamp? { startedAt.flatMap { Timestamp($0) } }
}

package struct Build: Sendable, Hashable {
    /// The commit in lower case; `nil` if unknown.
    package let commit: String?
    package let version: String?

    package init(_ context: Context) {
        commit = context.text("commit").flatMap { $0.isEmpty ? nil : $0.lowercased() }
        version = context.text("app_version").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether both may be the same build: by commit, which may be abbreviated, else by version; else they may be.
    package func canBe(_ other: Build) -> Bool {
        if let commit, let second = other.commit { return commit.hasPrefix(second) || second.hasPrefix(commit) }
        guard let version, let second = other.version else { return true }
        return version == second
    }
}

/// The state of a device and its app at one moment of a run, from a `state` line.
package struct RunState: Sendable, Hashable {
    /// The iteration within the run, from 0.
    package var iteration: Int
    /// The thermal state: `nominal`, `fair`, `serious` or `critical`; `nil` if unknown.
    package var thermalState: String?
    package var lowPowerMode: Bool?
    /// The app's processor use in percent of one processor, at least 0; `nil` if unknown.
    package var cpuPercent: Double?
    package var threads: Int?
    package var memoryBytes: Int?
    package var isCharging: Bool?

    package init(iteration: Int = 0) { self.iteration = iteration }

    /// The known facts, by their names in the log.
    package var conditions: Context {
        var context = Context()
        context["thermal_state"] = thermalState.map { .text($0) }
        context["low_power_mode"] = lowPowerMode.map { .flag($0) }
        context["cpu_percent"] = cpuPercent.map { .number($0) }
        context["threads"] = threads.map { .number(Double($0)) }
        context["memory_bytes"] = memoryBytes.map { .number(Double($0)) }
        context["charging"] = isCharging.map { .flag($0) }
        return context
    }
}
