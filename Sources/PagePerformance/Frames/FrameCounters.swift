/// Counts the frames of a screen's life tick by tick, exactly or as ScreenPerformanceTracker does.
///
/// A value of fixed size without references: feeding it allocates nothing.
public struct ScreenCounter: Sendable {
    /// How frames are counted.
    public let counting: FrameCounting

    /// The highest frame rate of the display, above 0; the published minimum starts from it.
    public let maxFPS: Int

    /// Beyond which an interval is a hang.
    public let hangThreshold: Nanoseconds

    private var segment: FrameSegment
    private var screen = ScreenFrames()
    private var published: PublishedScreenCounter

    /// Makes a counter that has seen no tick yet.
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

    /// Moves on to `tick`.
    public mutating func advance(to tick: FrameTick) {
        switch counting {
        case .exact: screen.add(segment.advance(to: tick), hangThreshold: hangThreshold)
        case .published: published.advance(to: tick)
        }
    }

    /// Starts a new segment: in published counting too, whose display link is another one after a stop.
    public mutating func interrupt() {
        segment.interrupt()
        published.forgetLast()
    }

    /// What was measured since the screen's life began; `nil` where nothing was.
    ///
    /// Published counting also drops a visit with fewer than 2 frames.
    public func record(screen name: String) -> ScreenRecord? {
        switch counting {
        case .exact: exactRecord(name)
        case .published: publishedRecord(name)
        }
    }

    /// Starts another screen's life; in published counting its first frame begins with the last one before.
    public mutating func reset() {
        screen = ScreenFrames()
        segment.interrupt()
        published.reset()
    }

    private func exactRecord(_ name: String) -> ScreenRecord? {
        guard screen.pairs > 0 else { return nil }
        return ScreenRecord(
            screen: name, counting: .exact, duration: screen.duration, frameCount: screen.pairs,
            firstFPS: screen.firstFPS, fpsMin: screen.fpsMin, fpsMax: screen.fpsMax, hitch: screen.hitch,
            hang: screen.hang, hangThreshold: hangThreshold)
    }

    private func publishedRecord(_ name: String) -> ScreenRecord? {
        let sums = published.sums
        guard sums.pairs > 1 else { return nil }
        return ScreenRecord(
            screen: name, counting: .published, duration: sums.duration, frameCount: sums.pairs,
            firstFPS: published.first.flatMap { FrameRates.framesPerSecond(frames: 1, duration: $0) },
            fpsMin: sums.fpsMin.map { min($0, Double(maxFPS)) }, fpsMax: sums.fpsMax, hitch: sums.hitch,
            hang: sums.hang, hangThreshold: hangThreshold)
    }
}

/// Counts the frames of scrolls tick by tick, exactly or as KSScrollPerformanceDetector does.
///
/// A value of fixed size without references: feeding it allocates nothing.
public struct ScrollCounter: Sendable {
    /// How frames are counted.
    public let counting: FrameCounting

    /// The highest frame rate of the display, above 0; published counting alone asks for it.
    public let maxFPS: Int

    /// The sums since the scroll began; in published counting without `hitch`, which the detector doesn't know.
    public private(set) var frames = ScrollFrames()

    private var segment: FrameSegment
    private var published = PublishedDropCounter()
    private var publishedHang = PublishedThreadHangCounter()

    /// Makes a counter that has seen no tick yet.
    public init(counting: FrameCounting = .exact, clock: FrameClock = .vsync, maxFPS: Int = 60) {
        self.counting = counting
        self.maxFPS = max(1, maxFPS)
        segment = FrameSegment(clock: clock)
    }

    /// Moves on to `tick` and returns the frames that are reported as dropped at this instant.
    public mutating func advance(to tick: FrameTick) -> Int {
        switch counting {
        case .exact: advanceExactly(to: tick)
        case .published: advanceAsPublished(to: tick)
        }
    }

    /// Starts a new segment; published counting of drops goes on across it, as the detector does when it is resumed.
    public mutating func interrupt() {
        segment.interrupt()
        publishedHang.interrupt()
    }

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

    private mutating func advanceExactly(to tick: FrameTick) -> Int {
        let step = segment.advance(to: tick)
        frames.add(step)
        guard case .pair(let pair) = step else { return 0 }
        return pair.dropped
    }

    private mutating func advanceAsPublished(to tick: FrameTick) -> Int {
        if let interval = publishedHang.advance(to: tick) {
            frames.add(
                publishedInterval: interval,
                threadHang: PublishedThreadHang.iOS.hang(interval: interval, maxFPS: maxFPS))
        }
        let reported = published.advance(to: tick) ?? 0
        frames.add(reported: reported)
        return reported
    }
}

extension ScrollFrames {
    /// Adds an interval between neighbours, with the hang that a published score makes of it.
    fileprivate mutating func add(publishedInterval interval: Nanoseconds, threadHang: Nanoseconds) {
        pairs = pairs.saturatingSum(1)
        duration += interval
        self.threadHang += threadHang
    }

    /// Adds the frames that a published detector reports at one instant.
    fileprivate mutating func add(reported: Int) {
        counts.add(frames: reported)
    }
}
