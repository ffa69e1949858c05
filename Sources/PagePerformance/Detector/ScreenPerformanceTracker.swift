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
    public init(
        counting: FrameCounting = .exact, clock: FrameClock = .vsync, maxFPS: Int = 60,
        hangThreshold: Nanoseconds = .hangThreshold
    ) {
        counter = ScreenCounter(counting: counting, clock: clock, maxFPS: maxFPS, hangThreshold: hangThreshold)
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

/// What was measured of a screen between its opening and its end: the values of a log's `screen` line.
public struct ScreenRecord: Hashable, Sendable {
    /// The screen's name, as it was told.
    public let screen: String

    /// How the frames were counted; values of different countings aren't comparable.
    public let counting: FrameCounting

    /// Σ interval: the time covered by frames, above 0.
    public let duration: Nanoseconds

    /// The frames that the sums are over, above 0.
    public let frameCount: Int

    /// Frames per second at the first interval; `nil` if there is none.
    public let firstFPS: Double?

    /// Frames per second at the longest interval.
    public let fpsMin: Double?

    /// Frames per second where a frame was shown for the shortest time.
    public let fpsMax: Double?

    /// Σ hitch.
    public let hitch: Nanoseconds

    /// Σ hang.
    public let hang: Nanoseconds

    /// Beyond which an interval was a hang; hangs of different thresholds aren't comparable.
    public let hangThreshold: Nanoseconds

    /// Frames per second on average; `nil` never for a record that a counter made.
    public var fpsMean: Double? { FrameRates.framesPerSecond(frames: frameCount, duration: duration) }

    /// Hitch time in ms per second.
    public var hitchRatio: Double? { FrameRates.hitchRatio(hitch: hitch, duration: duration) }

    /// Hang time in seconds per hour.
    public var hangRate: Double? { FrameRates.hangRate(hang: hang, duration: duration) }
}
