/// Measures durations on the machine's own clock.
enum Stopwatch {
    /// The shortest duration of that many runs of a piece of work: what else the machine does can only lengthen one.
    static func fastest<Failure: Error>(of runs: Int, _ work: () throws(Failure) -> Void) throws(Failure) -> Duration {
        let clock = ContinuousClock()
        var durations: [Duration] = []
        for _ in 0..<runs {
            let start = clock.now
            try work()
            durations.append(clock.now - start)
        }
        return durations.min() ?? .zero
    }

    /// A duration in milliseconds, with two decimals.
    static func text(_ duration: Duration) -> String {
        let hundredths = duration / .microseconds(10)
        return "\((hundredths).rounded() / 100) ms"
    }
}
