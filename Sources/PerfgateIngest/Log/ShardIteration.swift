import PagePerformance

/// Everything that a shard says of one page in one iteration, beside values that stand as they are.
struct ShardIteration {
    /// The sums over all ticks.
    private(set) var screen = ScreenFrames()
    /// The ticks of the first part that has a pair of them: clocks of different launches can't be compared.
    private var firstScreen: ScreenFrames?
    /// How much of a screen's life the ticks of its scrolls cover.
    private var scrolled = Nanoseconds(0)
    /// The metrics of the whole screen that lines of their own tell, since ticks are there of its scrolls only.
    private(set) var metricsOfLines: Set<FrameMetric> = []
    /// The sums over the scrolls.
    private(set) var scrolls = IterationScrolls()
    /// How much of the scrolls with a duration ticks cover, in ms.
    private(set) var coveredMS = 0.0
    /// How long the scrolls with a duration lasted that ticks cover or should, in ms.
    private(set) var scrollMS = 0.0
    /// Whether a scroll that took time came without ticks and without lines that tell its drops.
    private(set) var hasSilentScroll = false
    /// How long scrolls, screens and visits lasted.
    var seconds = 0.0
    var tests = TestSet()
    /// The scroll thread hang that visits say in ms, which is then not taken from ticks; `nil` where none does.
    private(set) var visitHang: Double?

    /// Adds the ticks of a part; parts come in their order.
    mutating func add(_ other: ScreenFrames) {
        screen.merge(other)
        if firstScreen == nil, other.pairs > 0 { firstScreen = other }
    }

    /// Adds a visit, whose values are added by themselves.
    mutating func add(_ visit: VisitTable.Visit, _ times: VisitTimes) {
        seconds += visit.seconds
        if let hang = times.threadHang { visitHang = (visitHang ?? 0) + hang }
    }

    /// Whether ticks tell a metric that a line tells too: of the whole screen only where there are some outside of its
    /// scrolls.
    mutating func tellsByTicks(_ metric: FrameMetric) -> Bool {
        guard screen.pairs > 0 else { return false }
        guard !metric.isFromScrolls, screen.duration == scrolled else { return true }
        metricsOfLines.insert(metric)
        return false
    }

    /// Whether a value of a metric is another than that of the ticks, by more than rounding explains.
    func differs(_ value: Double, from metric: FrameMetric) -> Bool {
        guard let own = self.value(of: metric), value.isFinite else { return false }
        return abs(value - own) > 0.1 + 0.01 * max(abs(value), abs(own))
    }

    /// The sample that the ticks and scrolls give for a metric; `nil` without one, and where lines of its own give it.
    func value(of metric: FrameMetric) -> Double? {
        guard !metricsOfLines.contains(metric) else { return nil }
        return switch metric {
        case .firstFPS, .firstFrame: firstScreen?.value(of: metric)
        default: scrolls.value(of: metric) ?? screen.value(of: metric)
        }
    }

    /// Adds a scroll as far as it counts, and gives what is to be said of it.
    mutating func add(_ scroll: ScrollRecord, _ standing: ScrollPages.Standing) -> PageRemarks.Remark? {
        switch standing {
        case .byTicks:
            scrolls.add(scroll.frames)
            scrolled += scroll.frames.duration
            cover(scroll)
            return scroll.hasOtherDrops ? .otherDrops : nil
        case .byLines:
            if !scroll.hasToldDrops, let duration = scroll.duration, duration > 0 { hasSilentScroll = true }
            scrolls.add(scroll.drops)
            return scroll.duration == nil ? .assumedScrolls : nil
        case .unmeasured:
            cover(scroll)
            return nil
        case .open: return .openScroll
        }
    }

    /// Notes how much of a scroll its ticks cover, where it says how long it lasted.
    private mutating func cover(_ scroll: ScrollRecord) {
        guard let duration = scroll.duration, duration > 0 else { return }
        coveredMS += min(duration, Milliseconds(scroll.frames.duration).value + Self.edges(of: scroll.frames))
        scrollMS += duration
    }

    /// How long the frames at both ends of a scroll may be in ms, which begins and ends between two of them: as long as
    /// its frames are on average, and a thirtieth of a second at most.
    private static func edges(of frames: ScrollFrames) -> Double {
        guard frames.pairs > 0 else { return 0 }
        return 2 * min(Milliseconds(frames.duration).value / Double(frames.pairs), 1_000 / 30)
    }
}
