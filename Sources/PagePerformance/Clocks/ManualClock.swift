/// A clock that a test moves by hand, so that its visits have exact times.
///
/// It may be read and moved from any thread, and set back too, which no real clock does.
public final class ManualClock: TimeSource {
    private let reading: Monitor<Nanoseconds>

    /// Makes a clock that reads `start`.
    public init(start: Nanoseconds = .zero) {
        reading = Monitor(start)
    }

    /// The reading that it was last moved to.
    public var now: Nanoseconds {
        reading.withLock { $0 }
    }

    /// Moves the clock on by `duration`; it stops at the longest time.
    public func advance(by duration: Nanoseconds) {
        reading.withLock { $0 += duration }
    }

    /// Sets the clock, forwards or back.
    public func set(to time: Nanoseconds) {
        reading.withLock { $0 = time }
    }
}
