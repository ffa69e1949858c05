/// Dropped frames as KSScrollPerformanceDetector counts them.
///
///     n = round((t[i] − t[i−1]) / d)
///     reported = n > 1 ? n : 0
///
/// with d the interval at the display's highest rate. A frame that stayed two intervals reads 2, although 1 was
/// dropped. Source: K. Sherman, *Measuring iOS scroll performance is tough. Use this to make it simple & automated*.
struct PublishedDropCounter: Sendable {
    /// The timestamp of the last tick that was taken; 0 is the published sign for none.
    private var last: UInt64 = 0

    /// Forgets the last tick, as the published detector does when the app becomes active.
    mutating func forgetLast() {
        last = 0
    }

    /// Moves on to `tick` and returns the frames that are reported: 0 or at least 2; `nil` where nothing is counted.
    ///
    /// Nothing is counted at the first tick, nor at one without a duration: then the last timestamp stays, so that the
    /// next interval is the longer one.
    mutating func advance(to tick: FrameTick) -> Int? {
        let now = tick.timestamp.count
        guard last != 0 else {
            last = now
            return nil
        }
        guard let duration = tick.duration?.count, duration > 0 else { return nil }
        let interval = now > last ? now &- last : 0
        last = now
        let stayed = Int(clamping: interval.roundedQuotient(by: duration))
        return stayed > 1 ? stayed : 0
    }
}
