/// A bound that another tool stored with its baseline: it holds with samples and without.
public struct BaselineLimit: Sendable, Hashable {
    /// The worst value that passes, in the metric's unit; finite. Where higher is better it is a minimum.
    public let value: Double
    /// The average that the tool measured, in the metric's unit; `nil` where it doesn't say.
    public let average: Double?

    /// Makes a limit of its parts.
    public init(_ value: Double, average: Double? = nil) {
        self.value = value
        self.average = average
    }
}

extension BaselineLimit: Comparable {
    /// By value, then average: only so that the choice between two is the same everywhere.
    public static func < (lhs: BaselineLimit, rhs: BaselineLimit) -> Bool {
        (lhs.value, lhs.average ?? -.infinity) < (rhs.value, rhs.average ?? -.infinity)
    }
}
