import LibC

/// Measures work in processor time, which what else the machine does lengthens least.
enum Stopwatch {
    /// The shortest duration of that many runs of a piece of work: everything else can only lengthen one.
    static func fastest<Failure: Error>(of runs: Int, _ work: () throws(Failure) -> Void) throws(Failure) -> Duration {
        var durations: [Duration] = []
        for _ in 0..<runs {
            let start = processorTime()
            try work()
            durations.append(processorTime() - start)
        }
        return durations.min() ?? .zero
    }

    private static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// A duration in milliseconds, with two decimals.
    static func text(_ duration: Duration) -> String {
        let hundredths = duration / .microseconds(10)
        return "\((hundredths).rounded() / 100) ms"
    }
}
