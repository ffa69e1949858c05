/// What failed a run beside its comparisons: how far it has gone from a pinned reference.
public struct PinnedFindings: Sendable, Hashable {
    /// What the pinned reference is called, such as `7.129`.
    public var name: String
    /// The comparisons with it that fail the run, worst first; the report's own comparisons don't hold them.
    public var comparisons: [ComparisonResult]

    /// Makes findings of their parts; the comparisons are put into their order.
    public init(name: String, comparisons: [ComparisonResult]) {
        self.name = name
        self.comparisons = comparisons.sorted()
    }

    /// How many of its gated comparisons have each verdict; the report's own counts don't hold them.
    public var counts: [Verdict: Int] { comparisons.gatedCounts }
}
