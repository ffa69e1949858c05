import PagePerformance

/// Everything that a shard says of one page in one iteration, beside values that stand as they are.
struct ShardIteration {
    /// The sums over all ticks.
    var screen = ScreenFrames()
    /// The sums over the scrolls.
    private(set) var scrolls = IterationScrolls()
    /// How much of the scrolls with a duration ticks cover, in ms.
    private(set) var coveredMS = 0.0
    /// How long the scrolls with ticks and a duration lasted, in ms.
    private(set) var scrollMS = 0.0
    /// How long scrolls, screens and visits lasted.
    var seconds = 0.0
    var tests = TestSet()
    /// Whether a visit says its scroll thread hang, which is then not taken from ticks.
    var hasVisitHang = false

    /// Adds a scroll, and says whether it counts only because its number was seen.
    mutating func add(_ scroll: ScrollRecord, isAssumed: Bool) -> Bool {
        if scroll.hasTicks {
            scrolls.add(scroll.frames)
            guard let duration = scroll.duration, duration > 0 else { return false }
            coveredMS += Milliseconds(scroll.frames.duration).value
            scrollMS += duration
        } else if scroll.duration != nil {
            scrolls.add(scroll.drops)
        } else if isAssumed {
            scrolls.add(scroll.drops)
            return true
        }
        return false
    }
}
