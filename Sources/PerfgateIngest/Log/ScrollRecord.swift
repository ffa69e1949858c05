import PagePerformance

/// What a log says of one scroll.
struct ScrollRecord {
    /// The sums over its ticks.
    private(set) var frames = ScrollFrames()
    /// Whether any tick of it was there.
    private(set) var hasTicks = false
    /// How long it lasted in ms, once a line says that it ended.
    private(set) var duration: Double?

    /// Whether lines of their own tell its drops, if only that there are none.
    private(set) var hasToldDrops = false

    private var counted = DropCounts()
    private var cumulativeEvents = 0

    mutating func add(_ step: FrameSegment.Step) {
        hasTicks = true
        frames.add(step)
    }

    /// Adds the frames of several of its ticks.
    mutating func add(_ other: ScrollFrames) {
        hasTicks = true
        frames.merge(other)
    }

    mutating func add(drop count: Int, cumulativeEvents: Int) {
        hasToldDrops = true
        counted.add(frames: count)
        self.cumulativeEvents = max(self.cumulativeEvents, cumulativeEvents)
    }

    mutating func end(duration: Double) {
        self.duration = (self.duration ?? 0) + duration
    }

    /// Whether lines of their own tell other drops than the ticks have; never where only one of them is there.
    var hasOtherDrops: Bool {
        guard hasTicks, counted.events > 0, let seen = frames.drops else { return false }
        return seen != drops
    }

    /// The drops that lines of their own tell; of events the greater of those seen and those told.
    var drops: DropCounts {
        DropCounts(worst: counted.worst, total: counted.total, events: max(counted.events, cumulativeEvents))
    }
}
