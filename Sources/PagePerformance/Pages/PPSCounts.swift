/// What became of a state machine's visits, so that none is lost in silence.
public struct PPSCounts: Hashable, Sendable {
    /// The visits of which a final event was emitted.
    public internal(set) var emitted = 0
    /// The visits that gave no event because the page had no name.
    public internal(set) var withoutName = 0
    /// The visits that gave no event because the page went away before it appeared.
    public internal(set) var neverAppeared = 0

    /// No visit yet.
    public init() {}
}
