/// How improbable a change must be by chance before it counts.
public struct Significance: Equatable, Sendable {
    /// M, the gated comparisons of the whole run; 1 or more.
    public let comparisons: Int

    /// The level for M comparisons; fewer than 1 count as 1.
    public init(comparisons: Int) {
        self.comparisons = max(1, comparisons)
    }

    /// α_f = min(.005, 0.1 / M), the level of one comparison, above 0: over all of them (C. E. Bonferroni's bound)
    /// a false alarm comes in at most one run of ten.
    public var failing: Double { min(0.005, 0.1 / Double(comparisons)) }

    /// α_s = .05: chances up to here call for another look.
    public static let suspecting = 0.05
}
