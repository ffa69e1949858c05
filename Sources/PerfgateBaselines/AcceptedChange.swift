import PerfgateModel

/// A change for the worse that was accepted, the start of a new epoch of its metric.
public struct AcceptedChange: Sendable, Hashable {
    /// The start of the run that was accepted: samples of earlier runs are neither kept nor used.
    public let at: Timestamp
    /// The identifier of the metric.
    public let metric: String
    /// Why, in the words of who accepted it.
    public let reason: String
    /// The commit of the run; `nil` where the log doesn't say.
    public let commit: String?

    /// Makes an accepted change of its parts.
    public init(at: Timestamp, metric: String, reason: String, commit: String? = nil) {
        self.at = at
        self.metric = metric
        self.reason = reason
        self.commit = commit
    }
}

extension AcceptedChange: Comparable {
    /// By time, metric, reason, then commit.
    public static func < (lhs: AcceptedChange, rhs: AcceptedChange) -> Bool {
        if lhs.at != rhs.at { return lhs.at < rhs.at }
        if lhs.metric != rhs.metric { return lhs.metric.precedesInUTF8(rhs.metric) }
        if lhs.reason != rhs.reason { return lhs.reason.precedesInUTF8(rhs.reason) }
        return (lhs.commit ?? "").precedesInUTF8(rhs.commit ?? "")
    }
}
