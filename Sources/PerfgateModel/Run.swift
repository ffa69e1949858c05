/// One uninterrupted stretch of measuring on one device, with the streams (launches, shards) that it came in.
package struct Run: Sendable, Hashable {
    /// The identifier; for lines without a `run` line, a hash of their content.
    package let id: String
    /// The conditions, as the first of its streams says them.
    package var context: Context
    /// The streams in the order of shard, then part.
    package var streams: [Stream]
    /// How many samples it gave, over all cells.
    package var sampleCount: Int
    /// How many of its iterations were measured and refused.
    package var refusedIterations = 0
    /// The attempt to measure suspects again that it came from, from 1; 0: none.
    package var attempt = 0
    /// Why its values are shown and gate nothing, one sentence; `nil` where they may gate.
    package var whyShownOnly: String?

    /// One stretch of lines: a launch of the app, on one of the machines that the run was spread over.
    package struct Stream: Sendable, Hashable {
        /// The launch, `nil` where the log doesn't say.
        package let part: String?
        /// Which share of the tests, such as `2/5`; `nil` where the run wasn't spread.
        package let shard: String?
        /// The file it was read from, as it was named.
        package let path: String
        /// The line of the file that opens it, from 1; `nil` where none does.
        package let line: Int?
        /// The conditions, as its own `run` line says them; `nil`: those of the run.
        package let context: Context?
        /// How many iterations its run says it has; `nil` where it doesn't.
        package var iterations: Int?
        /// How many parts its shard says it has; `nil` where it doesn't.
        package var parts: Int?
        /// The environment that its `run` line says, where none of its lines measures a page; `nil` where one does.
        package var silentEnvironment: Environment?
        /// Why it is bad data, in the order of the lines; empty where it is sound.
        package var faults: [String]
        /// What its own `run` line says of the device beside the conditions: processor, memory, threads and charging.
        package var start = RunState()
        /// How its device was, in the order of the lines; of equal neighbours the first.
        package var states: [RunState] = []

        /// Makes a stream of its parts.
        package init(
            part: String? = nil, shard: String? = nil, path: String, line: Int? = nil, context: Context? = nil,
            faults: [String] = []
        ) {
            self.part = part
            self.shard = shard
            self.path = path
            self.line = line
            self.context = context
            self.faults = faults
        }
    }

    /// Makes a run of its parts.
    package init(id: String, context: Context, streams: [Stream], sampleCount: Int = 0) {
        self.id = id
        self.context = context
        self.streams = streams
        self.sampleCount = sampleCount
    }

    /// How its device was, in the order of shard, part and line.
    package var states: [RunState] { streams.flatMap(\.states) }

    /// Whether every stream is sound; the run of a stream that isn't is bad data.
    package var isComplete: Bool { streams.allSatisfy(\.faults.isEmpty) }

    /// When it began, as the log says it (ISO 8601, UTC); `nil` where it doesn't.
    package var startedAt: String? { context.text("started_at") }

    /// The commit that was measured, `nil` where the log doesn't say.
    package var commit: String? { context.text("commit") }

    /// How many iterations it says it has, by the greatest number of its streams; `nil` where none says it.
    package var declaredIterations: Int? { streams.compactMap(\.iterations).max() }

    /// What it shares with the run of the other side that was measured in turn with it; `nil` where the log doesn't say.
    package var pair: String? { context.text("pair") }
}

/// Which build of an app a part of a run says that it measured.
package struct Build: Sendable, Hashable {
    /// The commit, in small letters; `nil` where nothing says it.
    package let commit: String?
    /// The version of the app; `nil` where nothing says it.
    package let version: String?

    /// Takes the conditions of a part of a run.
    package init(_ context: Context) {
        commit = context.text("commit").flatMap { $0.isEmpty ? nil : $0.lowercased() }
        version = context.text("app_version").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether both may be one build: by their commits, of which one may be the other's beginning; where one says no
    /// commit, by their versions; where one says no version either, nothing tells them apart.
    package func canBe(_ other: Build) -> Bool {
        if let commit, let second = other.commit { return commit.hasPrefix(second) || second.hasPrefix(commit) }
        guard let version, let second = other.version else { return true }
        return version == second
    }
}

extension Run {
    /// The builds that its streams say they measured.
    package var builds: Set<Build> {
        streams.isEmpty ? [Build(context)] : Set(streams.map { Build($0.context ?? context) })
    }
}

/// How a device and its app were at one moment of a run, as a `state` line says it.
package struct RunState: Sendable, Hashable {
    /// The repetition of the test within the run, from 0.
    package var iteration: Int
    /// How warm the device was: `nominal`, `fair`, `serious` or `critical`; `nil` where the line doesn't say.
    package var thermalState: String?
    /// Whether the device saved power; `nil` where the line doesn't say.
    package var lowPowerMode: Bool?
    /// How much of the processors the app used, in percent of one, at least 0; `nil` where the line doesn't say.
    package var cpuPercent: Double?
    /// How many threads the app had; `nil` where the line doesn't say.
    package var threads: Int?
    /// How much memory the app used, in bytes; `nil` where the line doesn't say.
    package var memoryBytes: Int?
    /// Whether the device was charged; `nil` where the line doesn't say.
    package var isCharging: Bool?

    /// Makes a state of which nothing but the iteration is known.
    package init(iteration: Int = 0) {
        self.iteration = iteration
    }

    /// What is known, by the names of the log: `thermal_state`, `low_power_mode`, `cpu_percent`, `threads`,
    /// `memory_bytes` and `charging`.
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
