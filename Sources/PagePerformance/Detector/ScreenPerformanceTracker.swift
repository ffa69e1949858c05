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
    public func tick(_ tick: FrameTick) {
        counter.advance(to: tick)
    }

    /// The measurement of the screen so far; `nil` without a screen or without a measured interval.
    public var record: ScreenRecord? {
        screen.flatMap { counter.record(screen: $0) }
    }

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
    public func interrupt() {
        counter.interrupt()
    }
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
