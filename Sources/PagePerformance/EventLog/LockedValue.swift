import LibC

/// A value that one thread at a time may use; a thread can wait for its change.
///
/// iOS 15 has no `Mutex`, and `os_unfair_lock` has no condition: this is the POSIX pair.
final class LockedValue<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Wakes the waiting thread.
    func signal() { pthread_cond_signal(condition) }

    /// Waits until `isReady` returns true, and then uses the value before any other thread.
    func wait<Result>(until isReady: (inout Value) -> Bool, then body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReady(&value) { pthread_cond_wait(condition, mutex) }
        return body(&value)
    }

    /// Waits until `isReady` returns true, or `time` has passed; a clock change meanwhile may alter the wait.
    func wait(atMost time: Milliseconds, until isReady: (inout Value) -> Bool) {
        var deadline = Self.now(after: time)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReady(&value) { if pthread_cond_timedwait(condition, mutex, &deadline) != 0 { return } }
    }

    private static func now(after time: Milliseconds) -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let nanoseconds = Int(now.tv_nsec) + Int(time.value * 1_000_000)
        now.tv_sec += numericCast(nanoseconds / 1_000_000_000)
        now.tv_nsec = numericCast(nanoseconds % 1_000_000_000)
        return now
    }
}
