#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension Nanoseconds {
    /// Reads a clock of the system; the start of the clock where the system doesn't have it.
    init(reading clock: clockid_t) {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else {
            self = .zero
            return
        }
        self = .seconds(UInt64(clamping: time.tv_sec)) + Nanoseconds(UInt64(clamping: time.tv_nsec))
    }
}
