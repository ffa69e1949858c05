import PagePerformance

/// Ticks of a 60 Hz display, made once so that making them isn't measured.
enum TickSeries {
    /// `count` ticks, of which one in `latePeriod` comes two intervals late; all are on time where it is 0.
    static func make(count: Int, latePeriod: Int) -> [FrameTick] {
        let interval: UInt64 = 16_666_667
        var now: UInt64 = 1_000_000_000
        return (0..<count).map { index in
            let isLate = latePeriod > 0 && index % latePeriod == latePeriod - 1
            now += isLate ? 3 * interval : interval
            return FrameTick(
                timestamp: Nanoseconds(now), target: Nanoseconds(now + interval), duration: Nanoseconds(interval))
        }
    }
}
