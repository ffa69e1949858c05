/// The scrolls of one page in one iteration, of which each scroll metric is one sample.
///
/// A scroll is added once, when all of its segments are merged; the order of scrolls changes nothing.
public struct IterationScrolls: Hashable, Sendable {
    /// The scrolls whose dropped frames are known.
    public private(set) var scrolls = 0

    /// The pairs of ticks in all scrolls.
    public private(set) var pairs = 0

    private var worst = 0
    private var total = 0
    private var mostDropped = 0
    private var mostEvents = 0
    private var duration = Nanoseconds(0)
    private var hitch = Nanoseconds(0)
    private var threadHang = Nanoseconds(0)

    /// An iteration without scrolls.
    public init() {}

    /// Adds a scroll that was measured by ticks.
    public mutating func add(_ scroll: ScrollFrames) {
        if let drops = scroll.drops { add(drops) }
        pairs = pairs.saturatingSum(scroll.pairs)
        duration += scroll.duration
        hitch += scroll.hitch
        threadHang += scroll.threadHang
    }

    /// Adds a scroll of which only the drops are known; no drops are a measurement too.
    public mutating func add(_ scroll: DropCounts) {
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
    public var scrollThreadHang: Milliseconds? { pairs > 0 ? Milliseconds(threadHang) : nil }

    /// The sample that these scrolls give for `metric`, in its unit; `nil` without one, and for metrics of the screen.
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
}
