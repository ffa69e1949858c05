/// The last ticks of the running segment, in memory that is taken once.
struct TickBuffer {
    private let capacity: Int
    private let clock: FrameClock
    private var timestamps: ContiguousArray<UInt64> = []
    private var targets: ContiguousArray<UInt64> = []
    private var duration: Nanoseconds?
    private var isRegular = true
    private var nextSegment = 0

    /// Keeps up to `capacity` ticks at a time; fewer than 2 keep none.
    init(capacity: Int, clock: FrameClock) {
        self.capacity = capacity < 2 ? 0 : capacity
        self.clock = clock
        timestamps.reserveCapacity(self.capacity)
        targets.reserveCapacity(self.capacity)
    }

    /// Whether there is room for any tick.
    var keepsAny: Bool { capacity > 0 }

    /// Keeps `tick`; returns what was kept before, where the buffer is full or the clock ran backwards.
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

    /// Ends the segment; `nil` where it had no pair of ticks.
    mutating func finish(scroll: Int?) -> SegmentRecord? {
        defer { clear() }
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

    private mutating func clear() {
        timestamps.removeAll(keepingCapacity: true)
        targets.removeAll(keepingCapacity: true)
        duration = nil
        isRegular = true
    }
}
