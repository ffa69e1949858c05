/// The sums over the frames of one scroll, in constant memory. Sums are whole nanoseconds, so the order of pairs, and
/// the split of a scroll into segments that are merged later, don't change the values.
public struct ScrollFrames: Hashable, Sendable {
    @usableFromInline var counts = DropCounts()
    /// The number of measured pairs.
    public internal(set) var pairs = 0
    /// The pairs that were left out because their frame had no due time after itself.
    public internal(set) var skippedPairs = 0
    /// Σ interval: the time covered by pairs.
    public internal(set) var duration = Nanoseconds(0)
    /// Σ hitch.
    public internal(set) var hitch = Nanoseconds(0)
    /// Σ of `FramePair.threadHang`: the scroll thread hang.
    public internal(set) var threadHang = Nanoseconds(0)
    /// Σ of `FramePair.lost`: the duration of dropped frames; 0 in published counting, which doesn't measure it.
    public internal(set) var lost = Nanoseconds(0)
    /// The longest `FramePair.lost`.
    public internal(set) var worstLost = Nanoseconds(0)

    /// Makes a scroll without frames.
    @inlinable public init() {}

    /// The dropped frames; `nil` if there were pairs and none was measurable, which is different from no drops.
    @inlinable public var drops: DropCounts? { pairs == 0 && skippedPairs > 0 ? nil : counts }

    /// Adds a tick by its role in the segment.
    public mutating func add(_ step: FrameSegment.Step) {
        switch step {
        case .pair(let pair): add(pair)
        case .unmeasurable: skippedPairs = skippedPairs.saturatingSum(1)
        case .opened, .repeated, .reversed: break
        }
    }

    /// Adds a pair of neighbours.
    public mutating func add(_ pair: FramePair) {
        pairs = pairs.saturatingSum(1)
        duration += pair.interval
        threadHang += pair.threadHang
        guard pair.late > pair.tolerance else { return }
        hitch += pair.late
        let pairLost = pair.lost
        lost += pairLost
        worstLost = max(worstLost, pairLost)
        counts.add(frames: pair.dropped)
    }

    package mutating func add(_ frames: OnTimeFrames) {
        pairs = pairs.saturatingSum(frames.pairs)
        duration += frames.duration
    }

    /// Adds the frames of another segment of the same scroll.
    public mutating func merge(_ other: ScrollFrames) {
        counts.merge(other.counts)
        pairs = pairs.saturatingSum(other.pairs)
        skippedPairs = skippedPairs.saturatingSum(other.skippedPairs)
        duration += other.duration
        hitch += other.hitch
        threadHang += other.threadHang
        lost += other.lost
        worstLost = max(worstLost, other.worstLost)
    }
}

/// Dropped frames, counted at instants: the common part of ticks and of drop reports.
public struct DropCounts: Hashable, Sendable {
    /// The most frames dropped at one instant, 0 if none.
    public internal(set) var worst = 0
    /// All dropped frames.
    public internal(set) var total = 0
    /// The instants at which frames were dropped.
    public internal(set) var events = 0

    /// Makes counts of 0.
    @inlinable public init() {}

    /// Takes existing counts, each 0 or more.
    public init(worst: Int, total: Int, events: Int) { (self.worst, self.total, self.events) = (worst, total, events) }

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

/// The sums of a scroll's intervals in a log's line; `nil` for sums that weren't measured.
public struct ScrollSums: Hashable, Sendable {
    /// The number of intervals.
    public var frames: Int?
    /// Σ interval.
    public var duration: Nanoseconds?
    /// Σ hitch.
    public var hitch: Nanoseconds?
    /// The scroll thread hang.
    public var threadHang: Nanoseconds?

    /// Makes sums; an omitted sum wasn't measured.
    public init(
        frames: Int? = nil, duration: Nanoseconds? = nil, hitch: Nanoseconds? = nil, threadHang: Nanoseconds? = nil
    ) {
        (self.frames, self.duration, self.hitch, self.threadHang) = (frames, duration, hitch, threadHang)
    }

    /// Adds another line's sums of the same scroll.
    public mutating func merge(_ other: ScrollSums) {
        if let more = other.frames { frames = (frames ?? 0).saturatingSum(more) }
        if let more = other.duration { duration = (duration ?? .zero) + more }
        if let more = other.hitch { hitch = (hitch ?? .zero) + more }
        if let more = other.threadHang { threadHang = (threadHang ?? .zero) + more }
    }
}

/// The scrolls of one page in one iteration; together they give one sample of each scroll metric. Add a scroll once,
/// when all of its segments are merged; the order of scrolls has no effect.
public struct IterationScrolls: Hashable, Sendable {
    /// The scrolls whose dropped frames are known.
    public private(set) var scrolls = 0
    /// The intervals of all scrolls.
    public private(set) var pairs = 0

    private var worst = 0
    private var total = 0
    private var mostDropped = 0
    private var mostEvents = 0
    private var worstLost = Nanoseconds(0)
    private var lost = Nanoseconds(0)
    private var mostLost = Nanoseconds(0)
    private var isTimed = true
    private var duration = Nanoseconds(0)
    private var hitch = Nanoseconds(0)
    private var threadHang: Nanoseconds?

    /// Makes an iteration without scrolls.
    public init() {}

    /// Adds a scroll measured by ticks.
    public mutating func add(_ scroll: ScrollFrames) {
        if let drops = scroll.drops { count(drops) }
        worstLost = max(worstLost, scroll.worstLost)
        lost += scroll.lost
        mostLost = max(mostLost, scroll.lost)
        if scroll.counts.total > 0, scroll.lost == .zero { isTimed = false }
        pairs = pairs.saturatingSum(scroll.pairs)
        duration += scroll.duration
        hitch += scroll.hitch
        if scroll.pairs > 0 { threadHang = (threadHang ?? .zero) + scroll.threadHang }
    }

    /// Adds a scroll by its drops and sums alone; no drops are a measurement too. A hitch only counts together with the
    /// time that contains it.
    public mutating func add(_ scroll: DropCounts, _ sums: ScrollSums = ScrollSums()) {
        isTimed = false
        count(scroll)
        pairs = pairs.saturatingSum(sums.frames ?? 0)
        if let hitch = sums.hitch, let duration = sums.duration {
            self.hitch += hitch
            self.duration += duration
        }
        if let hang = sums.threadHang { threadHang = (threadHang ?? .zero) + hang }
    }

    private mutating func count(_ scroll: DropCounts) {
        scrolls = scrolls.saturatingSum(1)
        worst = max(worst, scroll.worst)
        total = total.saturatingSum(scroll.total)
        mostDropped = max(mostDropped, scroll.total)
        mostEvents = max(mostEvents, scroll.events)
    }

    /// The most frames dropped at one instant; `nil` without a measured scroll.
    public var droppedFrames: Int? { scrolls > 0 ? worst : nil }

    /// The most drop events in one scroll; `nil` without a measured scroll.
    public var dropEvents: Int? { scrolls > 0 ? mostEvents : nil }

    /// All dropped frames; `nil` without a measured scroll.
    public var droppedFramesTotal: Int? { scrolls > 0 ? total : nil }

    /// The most frames dropped in one scroll; `nil` without a measured scroll.
    public var droppedFramesScroll: Int? { scrolls > 0 ? mostDropped : nil }

    /// Hitch time in ms per second of scrolling; `nil` without an interval.
    public var hitchRatio: Double? { FrameRates.hitchRatio(hitch: hitch, duration: duration) }

    /// The scroll thread hang of all scrolls; `nil` without an interval.
    public var scrollThreadHang: Milliseconds? { threadHang.map { Milliseconds($0) } }

    /// These scrolls' sample for `metric`, in its unit; `nil` without one, and for metrics of the screen.
    public func value(of metric: FrameMetric) -> Double? {
        switch metric {
        case .droppedFrames: droppedFrames.map(Double.init)
        case .dropEvents: dropEvents.map(Double.init)
        case .droppedFramesTotal: droppedFramesTotal.map(Double.init)
        case .droppedFramesScroll: droppedFramesScroll.map(Double.init)
        case .hitchRatio: hitchRatio
        case .scrollThreadHang: scrollThreadHang?.value
        case .hitchRatioScreen, .hangRate, .fpsMean, .fpsMin, .fpsMax, .firstFPS, .firstFrame: nil
        }
    }

    /// The dropped frames that a metric counts, in frames of 60 Hz by their duration; at least 0. `nil` for metrics
    /// that count no frames, without a measured scroll, and if the duration of some is unknown.
    public func framesAtSixtyHertz(of metric: FrameMetric) -> Double? {
        guard scrolls > 0, isTimed else { return nil }
        return switch metric {
        case .droppedFrames: worstLost.framesAtSixtyHertz
        case .droppedFramesTotal: lost.framesAtSixtyHertz
        case .droppedFramesScroll: mostLost.framesAtSixtyHertz
        default: nil
        }
    }
}

extension Nanoseconds {
    /// The time in frames of 60 Hz, at least 0.
    var framesAtSixtyHertz: Double { Double(count) * 60 / 1e9 }
}
