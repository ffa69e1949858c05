/// One call of a display link: a frame began at a vsync, and the next one is due.
public struct FrameTick: Hashable, Sendable {
    /// When the frame began, on a clock that counts from a fixed start (`CADisplayLink.timestamp`).
    public var timestamp: Nanoseconds

    /// When the next frame is due (`CADisplayLink.targetTimestamp`); `nil` if the source doesn't tell.
    public var target: Nanoseconds?

    /// The interval at the display's highest rate (`CADisplayLink.duration`); `nil` if the source doesn't tell.
    public var duration: Nanoseconds?

    /// Makes a tick; without `target` the next frame is due one `duration` later.
    @inlinable
    public init(timestamp: Nanoseconds, target: Nanoseconds? = nil, duration: Nanoseconds? = nil) {
        self.timestamp = timestamp
        self.target = target
        self.duration = duration
    }

    /// When the next frame is due: `target`, else one `duration` after `timestamp`, else `nil`.
    @inlinable
    public var due: Nanoseconds? {
        if let target { return target }
        if let duration { return timestamp + duration }
        return nil
    }
}
