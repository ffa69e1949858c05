import LibC

/// The processor time of this process: what a call costs doesn't depend on what else the machine does.
enum ProcessorClock {
    /// The time that all threads used so far, in nanoseconds.
    static var nanoseconds: Double { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// The time that the calling thread used so far, in nanoseconds.
    static var threadNanoseconds: Double { read(CLOCK_THREAD_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
