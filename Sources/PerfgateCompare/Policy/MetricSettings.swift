/// What one place of the configuration says of a metric; what it leaves out is `nil`.
public struct MetricSettings: Sendable, Hashable {
    /// Whether the metric can fail a run.
    public var gate: Setting<Bool>?
    /// The relative tolerance, such as 0.1 for 10 %; at least 0.
    public var tolerance: Setting<Double>?
    /// The smallest change that matters, in the metric's unit; at least 0.
    public var minChange: Setting<Double>?
    /// The limit.
    public var limit: Setting<Limit>?

    /// Makes settings of their parts.
    public init(
        gate: Setting<Bool>? = nil, tolerance: Setting<Double>? = nil, minChange: Setting<Double>? = nil,
        limit: Setting<Limit>? = nil
    ) {
        self.gate = gate
        self.tolerance = tolerance
        self.minChange = minChange
        self.limit = limit
    }

    /// Takes over what a later place says, key by key.
    public mutating func override(with later: MetricSettings) {
        gate = later.gate ?? gate
        tolerance = later.tolerance ?? tolerance
        minChange = later.minChange ?? minChange
        limit = later.limit ?? limit
    }
}
