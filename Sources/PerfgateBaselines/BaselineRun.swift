import PerfgateModel

/// A run that a baseline holds samples of.
public struct BaselineRun: Sendable, Hashable {
    /// The identifier.
    public let id: String
    /// When it began; for a run that doesn't say so, when it was first taken in.
    public let startedAt: Timestamp
    /// The commit that was measured; `nil` where the log doesn't say.
    public let commit: String?
    /// The program that took it in, with its version; `nil` where the file doesn't say.
    public let tool: String?

    /// Makes a run of its parts.
    public init(id: String, startedAt: Timestamp, commit: String? = nil, tool: String? = nil) {
        self.id = id
        self.startedAt = startedAt
        self.commit = commit
        self.tool = tool
    }
}

extension BaselineRun: Comparable {
    /// By start, then identifier; the rest only decides between two records of one run.
    public static func < (lhs: BaselineRun, rhs: BaselineRun) -> Bool {
        if lhs.startedAt.isEarlier(than: rhs.startedAt) { return true }
        if rhs.startedAt.isEarlier(than: lhs.startedAt) { return false }
        if lhs.id != rhs.id { return lhs.id.precedesInUTF8(rhs.id) }
        if lhs.startedAt != rhs.startedAt { return lhs.startedAt < rhs.startedAt }
        if lhs.commit != rhs.commit { return (lhs.commit ?? "").precedesInUTF8(rhs.commit ?? "") }
        return (lhs.tool ?? "").precedesInUTF8(rhs.tool ?? "")
    }
}
