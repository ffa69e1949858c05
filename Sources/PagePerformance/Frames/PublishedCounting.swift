/// The way frames are counted: by the definitions of this library, or like two published recorders.
///
/// A gate compares exact counting. Published counting is for teams whose old numbers come from
/// KSScrollPerformanceDetector or ScreenPerformanceTracker: it reproduces them, including their faults. The article
/// <doc:Counting> compares both.
public enum FrameCounting: String, Hashable, Sendable, CaseIterable {
    /// By each frame's own due time; every interruption starts a new segment.
    case exact
    /// Like the published recorders.
    case published

    /// The frames that were really dropped if a recorder of this counting reports `reported` at one instant.
    ///
    /// The published detector reports the intervals that a frame stayed, one more than were dropped.
    public func dropped(reported: Int) -> Int {
        switch self {
        case .exact: max(0, reported)
        case .published: reported > 0 ? reported - 1 : 0
        }
    }
}

/// Dropped frames as KSScrollPerformanceDetector counts them.
///
///     n = round((t[i] − t[i−1]) / d)
///     reported = n > 1 ? n : 0
///
/// with d the interval at the display's highest rate. A frame that stayed two intervals counts 2, although 1 was
/// dropped. Source: K. Sherman, *Measuring iOS scroll performance is tough. Use this to make it simple & automated*.
struct PublishedDropCounter: Sendable {
    /// The timestamp of the last accepted tick; 0 means none, as in the published detector.
    private var last: UInt64 = 0

    /// Discards the last tick, as the published detector does when the app becomes active.
    mutating func forgetLast() { last = 0 }

    /// Advances to `tick` and returns the reported frames: 0 or at least 2. Nothing is counted at the first tick or at
    /// a tick without a duration: then the last timestamp stays, so the next interval is longer.
    mutating func advance(to tick: FrameTick) -> Int {
        let now = tick.timestamp.count
        guard last != 0 else {
            last = now
            return 0
        }
        guard let duration = tick.duration?.count, duration > 0 else { return 0 }
        let interval = now > last ? now &- last : 0
        last = now
        let stayed = Int(clamping: interval.roundedQuotient(by: duration))
        return stayed > 1 ? stayed : 0
    }
}

/// The frames of a screen as ScreenPerformanceTracker counts them.
///
///     time  = max(t[i], g[i−1]) − t[i−1]
///     hang  = time > threshold ? time − threshold : 0                     threshold = 250 ms
///     hitch = max(t[i] − g[i−1], 0)
///
/// The first time after a reset only defines the first FPS and is left out of every sum.
struct PublishedScreenCounter: Sendable {
    /// The sums since the reset, with the first frame time.
    private(set) var sums = ScreenFrames()

    private let hangThreshold: UInt64
    private var last: UInt64 = 0
    private var lastTarget: UInt64 = 0

    init(hangThreshold: Nanoseconds) { self.hangThreshold = hangThreshold.count }

    /// Discards the last tick, as a new display link does.
    mutating func forgetLast() { last = 0 }

    /// Clears the sums for another screen; the last tick stays, so the next frame time starts from it.
    mutating func reset() {
        let (last, lastTarget) = (last, lastTarget)
        self = PublishedScreenCounter(hangThreshold: Nanoseconds(hangThreshold))
        (self.last, self.lastTarget) = (last, lastTarget)
    }

    mutating func advance(to tick: FrameTick) {
        let now = tick.timestamp.count
        let (previous, due) = (last, lastTarget)
        last = now
        lastTarget = tick.due?.count ?? now
        guard previous > 0 else { return }
        let end = max(now, due)
        guard end > previous else { return }
        let time = Nanoseconds(end &- previous)
        guard sums.first != nil else {
            sums.first = ScreenFrames.First(order: 0, start: Nanoseconds(previous), interval: time)
            return
        }
        let late = now > due ? now &- due : 0
        let hang = time.count > hangThreshold ? time.count &- hangThreshold : 0
        sums.add(interval: time, shown: time, hitch: Nanoseconds(late), hang: Nanoseconds(hang))
    }
}

/// Scroll thread hang as two platforms of the published page performance score count it.
///
/// Both use the refresh interval of the device, 1 / `maxFPS`; exact counting uses the frame's own due time
/// (`FramePair.threadHang`). So both report hangs on a display that slows down on purpose.
public enum PublishedThreadHang: String, Hashable, Sendable, CaseIterable {
    /// From twice the device's interval on, the time beyond one interval.
    case iOS = "ios"
    /// Strictly over twice the device's interval, the time beyond two.
    case android

    /// The share of a frame that stayed `interval` in a scroll's hang, on a display of at most `maxFPS` (above 0).
    public func hang(interval: Nanoseconds, maxFPS: Int) -> Nanoseconds {
        let rate = UInt64(max(1, maxFPS))
        let twice: UInt64 = 2_000_000_000
        let scaled = interval.count.saturatingProduct(rate)
        switch self {
        case .iOS:
            guard scaled >= twice else { return .zero }
            return interval.since(Nanoseconds((twice / 2).roundedQuotient(by: rate))) ?? .zero
        case .android:
            guard scaled > twice else { return .zero }
            return interval.since(Nanoseconds(twice.roundedQuotient(by: rate))) ?? .zero
        }
    }
}
