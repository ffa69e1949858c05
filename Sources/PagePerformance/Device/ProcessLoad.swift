#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How much processor time this process uses, from one reading to the next.
///
/// The system's own count of processor time is read, of all threads, ended ones included: nothing is estimated.
public struct ProcessLoad: Hashable, Sendable {
    private var last: Reading?

    private struct Reading: Hashable {
        let processor: Double
        let time: Double
    }

    /// A load that has no reading yet.
    public init() {}

    /// The processor time since the last reading, in % of one core; `nil` at the first.
    public mutating func percent() -> Double? {
        percent(processor: Self.seconds(CLOCK_PROCESS_CPUTIME_ID), time: Self.seconds(CLOCK_MONOTONIC))
    }

    mutating func percent(processor: Double, time: Double) -> Double? {
        defer { last = Reading(processor: processor, time: time) }
        guard let last, time > last.time else { return nil }
        return max(0, 100 * (processor - last.processor) / (time - last.time))
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
