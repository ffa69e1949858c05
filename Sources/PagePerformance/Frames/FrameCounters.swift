/// The way frames are counted: by the definitions of this library, or like two published recorders. A gate compares
/// exact counting. Published counting is for teams whose old numbers come from KSScrollPerformanceDetector or
/// ScreenPerformanceTracker: it reproduces them, including their faults. The article <doc:Counting> compares both.
public enum FrameCounting: String, Hashable, Sendable, CaseIterable {
    /// By each frame's own due time; every interruption starts a new segment.
    case exact
    /// Like the published recorders.
    case published

    /// The frames that were really dropped if a recorder of this counting reports `reported` at one instant. The
    /// published detector reports the intervals that a frame stayed, one more than were dropped.
    public func dropped(reported: Int) -> Int {
        switch self {
        case .exact: max(0, reported)
        case .published: reported > 0 ? reported - 1 : 0
        }
    }
}

/// Counts the frames of a screen's life tick by tick, exactly or as ScreenPerformanceTracker does. It is a value of
/// fixed size without references: a tick allocates nothing.
public struct ScreenCounter: Sendable {
    /// How frames are counted.
    public let counting: FrameCounting
    /// The highest frame rate of the display, above 0; the published minimum starts from it.
    public let maxFPS: Int
    /// The interval beyond which the screen hangs.
    public let hangThreshold: Nanoseconds

    private var segment: FrameSegment
    private var screen = ScreenFrames()
    private var published: PublishedScreenCounter

    /// Makes a counter without a tick.
    public init(
        counting: FrameCounting = .exact, clock: FrameClock = .vsync, maxFPS: Int = 60,
        hangThreshold: Nanoseconds = .hangThreshold
    ) {
        (self.counting, self.maxFPS, self.hangThreshold) = (counting, max(1, maxFPS), hangThreshold)
        segment = FrameSegment(clock: clock)
        published = PublishedScreenCounter(hangThreshold: hangThreshold)
    }

    /// Advances to `tick`.
    public mutating func advance(to tick: FrameTick) {
        switch counting {
        case .exact: screen.add(segment.advance(to: tick), hangThreshold: hangThreshold)
        case .published: published.advance(to: tick)
        }
    }

    /// Starts a new segment: in published counting too, because its display link is replaced after a stop.
    public mutating func interrupt() {
        segment.interrupt()
        published.forgetLast()
    }

    /// The measurement since the screen's life began; `nil` without one. Published counting also discards a visit with
    /// fewer than 2 frames.
    public func record(screen name: String) -> ScreenRecord? {
        let isExact = counting == .exact
        let sums = isExact ? screen : published.sums
        guard sums.pairs > (isExact ? 0 : 1) else { return nil }
        return ScreenRecord(
            screen: name, counting: counting, duration: sums.duration, frameCount: sums.pairs, firstFPS: sums.firstFPS,
            fpsMin: isExact ? sums.fpsMin : sums.fpsMin.map { min($0, Double(maxFPS)) }, fpsMax: sums.fpsMax,
            hitch: sums.hitch, hang: sums.hang, hangThreshold: hangThreshold)
    }

    /// Starts another screen's life; in published counting its first frame begins with the previous screen's last.
    public mutating func reset() {
        screen = ScreenFrames()
        segment.interrupt()
        published.reset()
    }
}

/// Counts the frames of scrolls tick by tick, exactly or as KSScrollPerformanceDetector does. It is a value of fixed
/// size without references: a tick allocates nothing.
public struct ScrollCounter: Sendable {
    /// How frames are counted.
    public let counting: FrameCounting
    /// The highest frame rate of the display, above 0; only published counting uses it.
    public let maxFPS: Int
    /// The sums since the scroll began; in published counting without `hitch`, which that detector doesn't measure.
    public private(set) var frames = ScrollFrames()

    private var segment: FrameSegment
    private var published = PublishedDropCounter()

    /// Makes a counter without a tick.
    public init(counting: FrameCounting = .exact, clock: FrameClock = .vsync, maxFPS: Int = 60) {
        (self.counting, self.maxFPS) = (counting, max(1, maxFPS))
        segment = FrameSegment(clock: clock)
    }

    /// Advances to `tick` and returns the frames reported as dropped at this instant.
    public mutating func advance(to tick: FrameTick) -> Int {
        switch counting {
        case .exact:
            let step = segment.advance(to: tick)
            frames.add(step)
            if case .pair(let pair) = step { return pair.dropped }
            return 0
        case .published:
            // The published score measures from tick to tick, regardless of due times, and never across an interruption.
            let last = segment.isOpen ? Nanoseconds(segment.last) : .max
            _ = segment.advance(to: tick)
            if let interval = tick.timestamp.since(last), interval > .zero {
                frames.pairs = frames.pairs.saturatingSum(1)
                frames.duration += interval
                frames.threadHang += PublishedThreadHang.iOS.hang(interval: interval, maxFPS: maxFPS)
            }
            let reported = published.advance(to: tick)
            frames.counts.add(frames: reported)
            return reported
        }
    }

    /// Starts a new segment; published counting of drops continues across it, as the detector does when it is resumed.
    public mutating func interrupt() { segment.interrupt() }

    /// Starts a new segment after the app was inactive, in both countings.
    public mutating func reactivate() {
        interrupt()
        published.forgetLast()
    }

    /// Starts the sums of another scroll, and a new segment with it.
    public mutating func beginScroll() {
        frames = ScrollFrames()
        interrupt()
    }
}

/// Tracks how smoothly each screen runs during its whole life, with or without scrolling. Call `tick(_:)` from a
/// display link's callback, and report every change of screen:
///
///     if let record = tracker.track(screen: "Search") { … }   // the record is of the previous screen
///
/// A tracker isn't `Sendable`, like `FrameDropDetector`, and stays on its owner's actor; a tick allocates nothing.
public final class ScreenPerformanceTracker {
    /// How frames are counted.
    public var counting: FrameCounting { counter.counting }

    /// The tracked screen; `nil` if there is none.
    public private(set) var screen: String?

    private var counter: ScreenCounter

    /// Makes a tracker without a screen; `maxFPS` is the highest frame rate of the display, above 0.
    public init(
        counting: FrameCounting = .exact, clock: FrameClock = .vsync, maxFPS: Int = 60,
        hangThreshold: Nanoseconds = .hangThreshold
    ) {
        counter = ScreenCounter(counting: counting, clock: clock, maxFPS: maxFPS, hangThreshold: hangThreshold)
    }

    /// Processes one call of the display link.
    public func tick(_ tick: FrameTick) { counter.advance(to: tick) }

    /// The measurement of the screen so far; `nil` without a screen or without a measured interval.
    public var record: ScreenRecord? { screen.flatMap { counter.record(screen: $0) } }

    /// Starts a screen's life, and ends that of the previous screen. Returns the previous screen's measurement; `nil`
    /// without a screen or without a measured interval. Frames after a `nil` screen belong to no screen.
    @discardableResult
    public func track(screen next: String?) -> ScreenRecord? {
        let finished = record
        counter.reset()
        screen = next
        return finished
    }

    /// Starts a new segment: at a pause, in the background, and after skipped ticks.
    public func interrupt() { counter.interrupt() }
}

@available(*, unavailable)
extension ScreenPerformanceTracker: Sendable {}

/// Dropped frames as KSScrollPerformanceDetector counts them.
///
///     n = round((t[i] − t[i−1]) / d)
///     reported = n > 1 ? n : 0
///
/// with d the interval at the display's highest rate. A frame that stayed two intervals counts 2, although 1 was
/// dropped. Source: K. Sherman, *Measuring iOS scroll performance is tough. Use this to make it simple & automated*.
struct PublishedDropCounter: Sendable {
    /// The timestamp of the last accepted tick; 0 means none, as in the published detector.
    private var last: UInt64 = 0

    /// Discards the last tick, as the published detector does when the app becomes active.
    mutating func forgetLast() { last = 0 }

    /// Advances to `tick` and returns the reported frames: 0 or at least 2. Nothing is counted at the first tick or at
    /// a tick without a duration: then the last timestamp stays, so the next interval is longer.
    mutating func advance(to tick: FrameTick) -> Int {
        let now = tick.timestamp.count
        guard last != 0 else {
            last = now
            return 0
        }
        guard let duration = tick.duration?.count, duration > 0 else { return 0 }
        let interval = now > last ? now &- last : 0
        last = now
        let stayed = Int(clamping: interval.roundedQuotient(by: duration))
        return stayed > 1 ? stayed : 0
    }
}

/// The frames of a screen as ScreenPerformanceTracker counts them.
///
///     time  = max(t[i], g[i−1]) − t[i−1]
///     hang  = time > threshold ? time − threshold : 0                     threshold = 250 ms
///     hitch = max(t[i] − g[i−1], 0)
///
/// The first time after a reset only defines the first FPS and is left out of every sum.
struct PublishedScreenCounter: Sendable {
    /// The sums since the reset, with the first frame time.
    private(set) var sums = ScreenFrames()

    private let hangThreshold: UInt64
    private var last: UInt64 = 0
    private var lastTarget: UInt64 = 0

    init(hangThreshold: Nanoseconds) { self.hangThreshold = hangThreshold.count }

    /// Discards the last tick, as a new display link does.
    mutating func forgetLast() { last = 0 }

    /// Clears the sums for another screen; the last tick stays, so the next frame time starts from it.
    mutating func reset() {
        let (last, lastTarget) = (last, lastTarget)
        self = PublishedScreenCounter(hangThreshold: Nanoseconds(hangThreshold))
        (self.last, self.lastTarget) = (last, lastTarget)
    }

    mutating func advance(to tick: FrameTick) {
        let now = tick.timestamp.count
        let (previous, due) = (last, lastTarget)
        last = now
        lastTarget = tick.due?.count ?? now
        guard previous > 0 else { return }
        let end = max(now, due)
        guard end > previous else { return }
        let time = Nanoseconds(end &- previous)
        guard sums.first != nil else {
            sums.first = ScreenFrames.First(order: 0, start: Nanoseconds(previous), interval: time)
            return
        }
        let late = now > due ? now &- due : 0
        let hang = time.count > hangThreshold ? time.count &- hangThreshold : 0
        sums.add(interval: time, shown: time, hitch: Nanoseconds(late), hang: Nanoseconds(hang))
    }
}

/// Scroll thread hang as two platforms of the published page performance score count it. Both use the refresh interval
/// of the device, 1 / `maxFPS`; exact counting uses the frame's own due time (`FramePair.threadHang`). So both report
/// hangs on a display that slows down on purpose.
public enum PublishedThreadHang: String, Hashable, Sendable, CaseIterable {
    /// From twice the device's interval on, the time beyond one interval.
    case iOS = "ios"
    /// Strictly over twice the device's interval, the time beyond two.
    case android

    /// The share of a frame that stayed `interval` in a scroll's hang, on a display of at most `maxFPS` (above 0).
    public func hang(interval: Nanoseconds, maxFPS: Int) -> Nanoseconds {
        let rate = UInt64(max(1, maxFPS))
        let twice: UInt64 = 2_000_000_000
        let scaled = interval.count.saturatingProduct(rate)
        let (isHang, free) =
            switch self {
            case .iOS: (scaled >= twice, twice / 2)
            case .android: (scaled > twice, twice)
            }
        return isHang ? interval.since(Nanoseconds(free.roundedQuotient(by: rate))) ?? .zero : .zero
    }
}
