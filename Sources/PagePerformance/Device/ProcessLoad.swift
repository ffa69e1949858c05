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
        let processor: Nanoseconds
        let time: Nanoseconds
    }

    /// A load that has no reading yet.
    public init() {}

    /// The processor time since the last reading, in % of one core; `nil` at the first.
    public mutating func percent() -> Double? {
        percent(
            processor: Nanoseconds(reading: CLOCK_PROCESS_CPUTIME_ID), time: Nanoseconds(reading: CLOCK_MONOTONIC))
    }

    mutating func percent(processor: Nanoseconds, time: Nanoseconds) -> Double? {
        defer { last = Reading(processor: processor, time: time) }
        guard let last, let used = processor.since(last.processor), let passed = time.since(last.time) else {
            return nil
        }
        return passed > .zero ? 100 * Double(used.count) / Double(passed.count) : nil
    }
}
