/// Counts the frames of a screen's life tick by tick, exactly or as ScreenPerformanceTracker does.
///
/// A value of fixed size without references: feeding it allocates nothing.
public struct ScreenCounter: Sendable {
    /// How frames are counted.
    public let counting: FrameCounting

    /// The highest frame rate of the display, above 0; the published minimum starts from it.
    public let maxFPS: Int

    private var segment: FrameSegment
    private var screen = ScreenFrames()
    private var published = PublishedScreenCounter()

    /// Makes a counter that has seen no tick yet.
    public init(counting: FrameCounting = .exact, clock: FrameClock = .vsync, maxFPS: Int = 60) {
        self.counting = counting
        self.maxFPS = max(1, maxFPS)
        segment = FrameSegment(clock: clock)
    }

    /// Moves on to `tick`.
    public mutating func advance(to tick: FrameTick) {
        switch counting {
        case .exact: screen.add(segment.advance(to: tick))
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
            hang: screen.hang)
    }

    private func publishedRecord(_ name: String) -> ScreenRecord? {
        let sums = published.sums
        guard sums.pairs > 1 else { return nil }
        return ScreenRecord(
            screen: name, counting: .published, duration: sums.duration, frameCount: sums.pairs,
            firstFPS: published.first.flatMap { FrameRates.framesPerSecond(frames: 1, duration: $0) },
            fpsMin: sums.fpsMin.map { min($0, Double(maxFPS)) }, fpsMax: sums.fpsMax, hitch: sums.hitch,
            hang: sums.hang)
    }
}
