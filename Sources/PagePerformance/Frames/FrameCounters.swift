/// Counts the frames of a screen's life tick by tick, exactly or as ScreenPerformanceTracker does.
///
/// It is a value of fixed size without references: a tick allocates nothing.
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
        self.counting = counting
        self.maxFPS = max(1, maxFPS)
        self.hangThreshold = hangThreshold
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

    /// The measurement since the screen's life began; `nil` without one.
    ///
    /// Published counting also discards a visit with fewer than 2 frames.
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

/// Counts the frames of scrolls tick by tick, exactly or as KSScrollPerformanceDetector does.
///
/// It is a value of fixed size without references: a tick allocates nothing.
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
        self.counting = counting
        self.maxFPS = max(1, maxFPS)
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

/// Tracks how smoothly each screen runs during its whole life, with or without scrolling.
///
/// Call `tick(_:)` from a display link's callback, and report every change of screen:
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

    /// Starts a screen's life, and ends that of the previous screen.
    ///
    /// Returns the previous screen's measurement; `nil` without a screen or without a measured interval. Frames after a
    /// `nil` screen belong to no screen.
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

/// The measurement of a screen between its opening and its end: the values of a log's `screen` line.
public struct ScreenRecord: Hashable, Sendable {
    /// The screen's name.
    public let screen: String
    /// How frames were counted; values of different countings aren't comparable.
    public let counting: FrameCounting
    /// Σ interval: the time covered by frames, above 0.
    public let duration: Nanoseconds
    /// The number of measured frames, above 0.
    public let frameCount: Int
    /// Frames per second at the first interval; `nil` without one.
    public let firstFPS: Double?
    /// Frames per second at the longest interval.
    public let fpsMin: Double?
    /// Frames per second at the shortest time that a frame was shown.
    public let fpsMax: Double?
    /// Σ hitch.
    public let hitch: Nanoseconds
    /// Σ hang.
    public let hang: Nanoseconds
    /// The interval beyond which the screen hung; hangs of different thresholds aren't comparable.
    public let hangThreshold: Nanoseconds

    /// Frames per second on average; never `nil` for a record from a counter.
    public var fpsMean: Double? { FrameRates.framesPerSecond(frames: frameCount, duration: duration) }

    /// Hitch time in ms per second.
    public var hitchRatio: Double? { FrameRates.hitchRatio(hitch: hitch, duration: duration) }

    /// Hang time in seconds per hour.
    public var hangRate: Double? { FrameRates.hangRate(hang: hang, duration: duration) }
}
