/// Tracks how smoothly each screen runs over its whole life, scrolling or not.
///
/// Feed it with `tick(_:)` from a display link's callback, and tell it of every change of screen:
///
///     if let record = tracker.track(screen: "Search") { … }   // the record is of the screen before
///
/// A tracker belongs to whoever made it and isn't `Sendable`, as `FrameDropDetector`; a tick allocates nothing.
public final class ScreenPerformanceTracker {
    /// How frames are counted.
    public var counting: FrameCounting { counter.counting }

    /// The screen that is being tracked; `nil` if none is.
    public private(set) var screen: String?

    private var counter: ScreenCounter

    /// Makes a tracker that tracks no screen yet; `maxFPS` is the highest frame rate of the display, above 0.
    public init(counting: FrameCounting = .exact, clock: FrameClock = .vsync, maxFPS: Int = 60) {
        counter = ScreenCounter(counting: counting, clock: clock, maxFPS: maxFPS)
    }

    /// Takes one call of the display link.
    public func tick(_ tick: FrameTick) {
        counter.advance(to: tick)
    }

    /// What was measured of the screen until now; `nil` where there is none, or nothing to measure.
    public var record: ScreenRecord? {
        screen.flatMap { counter.record(screen: $0) }
    }

    /// Starts a screen's life, and ends that of the screen before.
    ///
    /// Returns what was measured of that one; `nil` where there was none, or nothing to measure. What happens after a
    /// `nil` screen belongs to none.
    @discardableResult
    public func track(screen next: String?) -> ScreenRecord? {
        let finished = record
        counter.reset()
        screen = next
        return finished
    }

    /// Starts a new segment: at a pause, in the background, and wherever ticks were left out.
    public func interrupt() {
        counter.interrupt()
    }
}

@available(*, unavailable)
extension ScreenPerformanceTracker: Sendable {}
