/// The frames of a screen as ScreenPerformanceTracker counts them.
///
///     time  = max(t[i], g[i−1]) − t[i−1]
///     hang  = time > 250 ms ? time − 250 ms : 0
///     hitch = time > 250 ms ? 0 : max(t[i] − g[i−1], 0)
///
/// The first time after a reset only gives the first FPS and is left out of every sum.
struct PublishedScreenCounter: Sendable {
    /// The first frame time after the reset; `nil` before there is one.
    private(set) var first: Nanoseconds?

    /// The sums over the frame times.
    private(set) var sums = ScreenFrames()

    private var last: UInt64 = 0
    private var lastTarget: UInt64 = 0

    /// Forgets the last tick, as a new display link does.
    mutating func forgetLast() {
        last = 0
    }

    /// Clears the sums for another screen; the last tick stays, so that the next frame time reaches back to it.
    mutating func reset() {
        let (last, lastTarget) = (last, lastTarget)
        self = PublishedScreenCounter()
        (self.last, self.lastTarget) = (last, lastTarget)
    }

    /// Moves on to `tick`.
    mutating func advance(to tick: FrameTick) {
        let now = tick.timestamp.count
        let (previous, due) = (last, lastTarget)
        last = now
        lastTarget = tick.due?.count ?? now
        guard previous > 0 else { return }
        let end = max(now, due)
        guard end > previous else { return }
        let time = Nanoseconds(end &- previous)
        guard first != nil else { return first = time }
        add(time, late: Nanoseconds(now > due ? now &- due : 0))
    }

    private mutating func add(_ time: Nanoseconds, late: Nanoseconds) {
        let threshold: UInt64 = 250_000_000
        let isHang = time.count > threshold
        sums.add(
            interval: time, hitch: Nanoseconds(isHang ? 0 : late.count),
            hang: Nanoseconds(isHang ? time.count &- threshold : 0))
    }
}
