/// Which values of a metric are good.
public enum Better: String, Sendable, Hashable, CaseIterable {
    /// Smaller values are better.
    case lower
    /// Greater values are better.
    case higher
}

/// What was measured: an identifier with its unit and its good direction.
public struct Metric: Sendable, Hashable {
    /// The identifier, such as `ttil`; for a foreign metric that perfgate doesn't know, the identifier of the tool.
    public let id: String
    /// The unit of the values.
    public let unit: Unit
    /// Which values are good.
    public let better: Better

    /// Makes a metric of its parts.
    public init(id: String, unit: Unit, better: Better) {
        self.id = id
        self.unit = unit
        self.better = better
    }
}

/// How frames were counted, see `metrics.md`: values of different countings are never compared.
public enum Counting: String, Sendable, Hashable, CaseIterable {
    /// Against each frame's own target.
    case exact
    /// As the published detectors count.
    case published
}
