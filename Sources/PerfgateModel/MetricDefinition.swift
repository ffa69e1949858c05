/// What perfgate knows of a metric beside its unit: whether it gates, what change matters, what it depends on.
public struct MetricDefinition: Sendable, Hashable {
    /// The identifier, unit and direction.
    public let metric: Metric
    /// A few words for a person, without the unit.
    public let title: String
    /// Whether it can fail a run where the configuration says nothing.
    public let isGatedByDefault: Bool
    /// The smallest change that matters, in the metric's unit; at least 0.
    public let minChange: Double
    /// The limit that holds where the configuration says nothing, in the metric's unit; `nil`: none.
    public let limit: Double?
    /// Whether it is about frames: those of a simulator are shown, not gated.
    public let isAboutFrames: Bool
    /// Whether a limit is given at 60 Hz and multiplied by the refresh rate over 60, so that it means the same time.
    public let isLimitScaledByRefreshRate: Bool

    /// Makes a definition of its parts.
    public init(
        _ metric: Metric, title: String, isGatedByDefault: Bool = false, minChange: Double, limit: Double? = nil,
        isAboutFrames: Bool = false, isLimitScaledByRefreshRate: Bool = false
    ) {
        self.metric = metric
        self.title = title
        self.isGatedByDefault = isGatedByDefault
        self.minChange = minChange
        self.limit = limit
        self.isAboutFrames = isAboutFrames
        self.isLimitScaledByRefreshRate = isLimitScaledByRefreshRate
    }
}
