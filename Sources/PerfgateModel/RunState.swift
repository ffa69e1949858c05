/// How a device and its app were at one moment of a run, as a `state` line says it.
public struct RunState: Sendable, Hashable {
    /// The repetition of the test within the run, from 0.
    public var iteration: Int
    /// How warm the device was: `nominal`, `fair`, `serious` or `critical`; `nil` where the line doesn't say.
    public var thermalState: String?
    /// Whether the device saved power; `nil` where the line doesn't say.
    public var lowPowerMode: Bool?
    /// How much of the processors the app used, in percent of one, at least 0; `nil` where the line doesn't say.
    public var cpuPercent: Double?
    /// How many threads the app had; `nil` where the line doesn't say.
    public var threads: Int?
    /// How much memory the app used, in bytes; `nil` where the line doesn't say.
    public var memoryBytes: Int?
    /// Whether the device was charged; `nil` where the line doesn't say.
    public var isCharging: Bool?

    /// Makes a state of which nothing but the iteration is known.
    public init(iteration: Int = 0) {
        self.iteration = iteration
    }

    /// What is known, by the names of the log: `thermal_state`, `low_power_mode`, `cpu_percent`, `threads`,
    /// `memory_bytes` and `charging`.
    public var conditions: Context {
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
