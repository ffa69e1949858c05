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

    /// Frames per second at the shortest interval.
    public let fpsMax: Double?

    /// Σ hitch.
    public let hitch: Nanoseconds

    /// Σ hang.
    public let hang: Nanoseconds

    /// Frames per second on average; `nil` never for a record that a counter made.
    public var fpsMean: Double? { FrameRates.framesPerSecond(frames: frameCount, duration: duration) }

    /// Hitch time in ms per second.
    public var hitchRatio: Double? { FrameRates.hitchRatio(hitch: hitch, duration: duration) }

    /// Hang time in seconds per hour.
    public var hangRate: Double? { FrameRates.hangRate(hang: hang, duration: duration) }
}
