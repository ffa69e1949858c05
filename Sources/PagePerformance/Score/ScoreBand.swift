/// What a score means to its reader; shown beside it, never a verdict by itself.
public enum ScoreBand: String, Hashable, Sendable, CaseIterable {
    /// Above 70.
    case good

    /// From 50 to 70.
    case fair

    /// Below 50.
    case poor

    /// The band of a score from 0 to 100.
    public init(score: Double) {
        self = score > 70 ? .good : score < 50 ? .poor : .fair
    }
}
