import PagePerformance

/// How bad frames were, in the order in which a person would ask.
struct FrameSeverity: Comparable {
    /// The most frames dropped at one instant of a scroll.
    private(set) var worst = 0
    /// All frames dropped in scrolls.
    private(set) var dropped = 0
    /// How long frames came late, in ns.
    private(set) var hitch: UInt64 = 0

    /// Nothing bad.
    init() {}

    /// That of drops which lines of their own tell.
    init(_ drops: DropCounts) {
        worst = drops.worst
        dropped = drops.total
    }

    /// Adds a frame.
    @inline(__always)
    mutating func add(_ pair: FramePair, isScrolling: Bool) {
        let late = pair.hitch.count
        guard late > 0 else { return }
        hitch &+= late
        guard isScrolling else { return }
        worst = max(worst, pair.dropped)
        dropped &+= pair.dropped
    }

    /// Adds that of other frames.
    mutating func merge(_ other: FrameSeverity) {
        worst = max(worst, other.worst)
        dropped &+= other.dropped
        hitch &+= other.hitch
    }

    static func < (lhs: FrameSeverity, rhs: FrameSeverity) -> Bool {
        (lhs.worst, lhs.dropped, lhs.hitch) < (rhs.worst, rhs.dropped, rhs.hitch)
    }
}
