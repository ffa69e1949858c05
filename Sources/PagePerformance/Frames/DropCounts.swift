/// Dropped frames, counted at instants: the common part of ticks and of reports of drops.
public struct DropCounts: Hashable, Sendable {
    /// The most frames dropped at one instant, 0 if none.
    public internal(set) var worst = 0

    /// All dropped frames.
    public internal(set) var total = 0

    /// The instants at which frames were dropped.
    public internal(set) var events = 0

    /// Nothing dropped.
    @inlinable
    public init() {}

    /// Takes counts that were made elsewhere, each 0 or more.
    public init(worst: Int, total: Int, events: Int) {
        self.worst = worst
        self.total = total
        self.events = events
    }

    /// Counts `frames` dropped at one instant; 0 or less is no event.
    public mutating func add(frames: Int) {
        guard frames > 0 else { return }
        worst = max(worst, frames)
        total = total.saturatingSum(frames)
        events = events.saturatingSum(1)
    }

    /// Adds the counts of other instants.
    public mutating func merge(_ other: DropCounts) {
        worst = max(worst, other.worst)
        total = total.saturatingSum(other.total)
        events = events.saturatingSum(other.events)
    }
}
