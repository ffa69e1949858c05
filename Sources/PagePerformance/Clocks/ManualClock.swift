#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A clock that a test moves by hand, so that its visits have exact times.
///
/// It may be read and moved from any thread, and set back too, which no real clock does.
public final class ManualClock: TimeSource, @unchecked Sendable {
    // Every access to `reading` holds `mutex`, which is what makes the class safe to share.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var reading: Nanoseconds

    /// Makes a clock that reads `start`.
    public init(start: Nanoseconds = .zero) {
        reading = start
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// The reading that it was last moved to.
    public var now: Nanoseconds {
        locked { reading }
    }

    /// Moves the clock on by `duration`; it stops at the longest time.
    public func advance(by duration: Nanoseconds) {
        locked { reading += duration }
    }

    /// Sets the clock, forwards or back.
    public func set(to time: Nanoseconds) {
        locked { reading = time }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
