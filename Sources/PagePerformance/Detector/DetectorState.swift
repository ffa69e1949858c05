/// The state of a detector, without its listeners. It is a value, so a tick needs one access to the detector's memory
/// and no access to that of its parts.
struct DetectorState {
    /// The results of a call that are still to be delivered.
    struct Results {
        /// A complete stretch of kept ticks.
        var segment: SegmentRecord?
        /// A scroll that ended with a measurement.
        var scroll: ScrollRecord?
        var drop: FrameDrop?
    }

    let configuration: FrameDropDetector.Configuration
    /// The frames reported as dropped since the scroll began or the counts were cleared.
    private(set) var counts = DropCounts()
    /// The number of the scroll in progress; `nil` if there is none.
    private(set) var scroll: Int?
    /// Whether ticks are ignored until the detector is resumed.
    private(set) var isPaused: Bool
    /// The number of the next scroll, if the caller gives none.
    private(set) var nextScroll = 0

    private var isActive = true
    private var results = Results()
    private var counter: ScrollCounter
    private var ticks: TickBuffer

    init(_ configuration: FrameDropDetector.Configuration) {
        self.configuration = configuration
        isPaused = configuration.counting == .published
        counter = ScrollCounter(
            counting: configuration.counting, clock: configuration.clock, maxFPS: configuration.maxFPS)
        ticks = TickBuffer(capacity: configuration.keptTicks, clock: configuration.clock)
    }

    /// Advances to `tick`; returns whether there are results, which is rare.
    mutating func advance(to tick: FrameTick) -> Bool {
        guard !isPaused, isActive else { return false }
        let lost = counter.frames.lost
        let reported = counter.advance(to: tick)
        guard scroll != nil || configuration.countsOutsideScrolls else { return false }
        if ticks.keepsAny, let segment = ticks.append(tick, scroll: scroll) { results.segment = segment }
        if reported > 0 { results.drop = drop(of: reported, lost: counter.frames.lost.since(lost)) }
        return results.drop != nil || results.segment != nil
    }

    /// The results of the last tick, to be delivered next.
    mutating func takeNews() -> Results {
        defer { results = Results() }
        return results
    }

    private mutating func drop(of frames: Int, lost: Nanoseconds?) -> FrameDrop {
        counts.add(frames: frames)
        return FrameDrop(
            framesDropped: frames, cumulativeFramesDropped: counts.total, cumulativeFrameDropEvents: counts.events,
            scroll: scroll, counting: configuration.counting, lost: configuration.counting == .exact ? lost : nil)
    }

    /// Begins a scroll if none is in progress; the result is the end of the stretch before it.
    mutating func beginScroll(number: Int) -> Results {
        let results = interrupt()
        nextScroll = number.saturatingSum(1)
        scroll = number
        counts = DropCounts()
        counter.beginScroll()
        return results
    }

    mutating func endScroll() -> Results {
        guard let number = scroll else { return Results() }
        var results = interrupt()
        results.scroll = ScrollRecord(number: number, counting: configuration.counting, frames: counter.frames)
        scroll = nil
        return results
    }

    mutating func clearCounts() -> Results {
        counts = DropCounts()
        return interrupt()
    }

    mutating func interrupt() -> Results {
        counter.interrupt()
        return Results(segment: ticks.finish(scroll: scroll))
    }

    /// Ignores ticks, or accepts them again as a new segment.
    mutating func setPaused(_ paused: Bool) -> Results {
        isPaused = paused
        return interrupt()
    }

    /// Ignores ticks while the app is inactive; published counting pauses instead, and activation ends a pause.
    mutating func setActive(_ active: Bool) -> Results {
        switch configuration.counting {
        case .exact: isActive = active
        case .published: isPaused = !active
        }
        let results = interrupt()
        if active { counter.reactivate() }
        return results
    }
}

/// The last ticks of the running segment, in memory that is allocated once.
struct TickBuffer {
    private let capacity: Int
    private let clock: FrameClock
    private var timestamps: ContiguousArray<UInt64> = []
    private var targets: ContiguousArray<UInt64> = []
    private var duration: Nanoseconds?
    private var isRegular = true
    private var nextSegment = 0

    /// Keeps up to `capacity` ticks at a time; a capacity below 2 keeps none.
    init(capacity: Int, clock: FrameClock) {
        self.capacity = capacity < 2 ? 0 : capacity
        self.clock = clock
        timestamps.reserveCapacity(self.capacity)
        targets.reserveCapacity(self.capacity)
    }

    var keepsAny: Bool { capacity > 0 }

    /// Keeps `tick`; returns the earlier ticks if the buffer is full or the clock ran backwards.
    mutating func append(_ tick: FrameTick, scroll: Int?) -> SegmentRecord? {
        var finished: SegmentRecord?
        if let last = timestamps.last, let due = targets.last {
            if tick.timestamp.count < last {
                finished = finish(scroll: scroll)
            } else if timestamps.count == capacity {
                let duration = duration
                finished = finish(scroll: scroll)
                keep(last, due: due, duration: duration)
            }
        }
        let due = tick.due ?? tick.timestamp
        keep(tick.timestamp.count, due: due.count, duration: tick.duration)
        return finished
    }

    /// Ends the segment; `nil` if it had no pair of ticks.
    mutating func finish(scroll: Int?) -> SegmentRecord? {
        defer {
            timestamps.removeAll(keepingCapacity: true)
            targets.removeAll(keepingCapacity: true)
            duration = nil
            isRegular = true
        }
        guard timestamps.count > 1 else { return nil }
        defer { nextSegment += 1 }
        return SegmentRecord(
            scroll: scroll, segment: nextSegment, timestamps: Array(timestamps),
            targets: isRegular ? nil : Array(targets), duration: duration, clock: clock)
    }

    private mutating func keep(_ timestamp: UInt64, due: UInt64, duration: Nanoseconds?) {
        if timestamps.isEmpty { self.duration = duration }
        if due != self.duration.map({ timestamp.saturatingSum($0.count) }) { isRegular = false }
        timestamps.append(timestamp)
        targets.append(due)
    }
}
