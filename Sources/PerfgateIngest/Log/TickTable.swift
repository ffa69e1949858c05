import PagePerformance

/// The ticks of a stream, summed up as they come: by screen, by scroll, and the last one of every segment.
struct TickTable {
    /// Which scroll: an iteration's number, and the scroll's own.
    struct ScrollKey: Hashable {
        let iteration: Int32
        let number: Int
    }

    /// Which stretch of ticks between two pauses.
    struct SegmentKey: Hashable {
        let iteration: Int32
        let scroll: Int?
        let segment: Int
    }

    /// A scroll with what is known of it.
    struct Scroll {
        let key: ScrollKey
        var record = ScrollRecord()
    }

    private struct Segment {
        let key: SegmentKey
        /// The index of its scroll; negative without one.
        let scroll: Int
        var frames: FrameSegment
    }

    /// The frames of each iteration, by its number.
    private(set) var screens: [ScreenFrames] = []
    /// The scrolls in the order in which they were met.
    private(set) var scrolls: [Scroll] = []
    /// What is drawn of each page in an environment, by the numbers that `addIteration` is given.
    private(set) var tracers: [PageTracer] = []
    private var places: [Int32] = []
    private var segments: [Segment] = []
    private var scrollIndex = HashedIndex()
    private var segmentIndex = HashedIndex()
    private var last = 0

    /// Makes room for one more iteration, of a page in an environment that is known by a number.
    mutating func addIteration(place: Int32) {
        screens.append(ScreenFrames())
        places.append(place)
        while tracers.count <= Int(place) { tracers.append(PageTracer()) }
    }

    /// Adds frames that were dropped at one instant of a scroll.
    mutating func add(drop frames: Int, cumulativeEvents: Int, to key: ScrollKey) {
        scrolls[index(of: key)].record.add(drop: frames, cumulativeEvents: cumulativeEvents)
    }

    /// Says that a scroll ended, and how long it lasted in ms.
    mutating func end(scroll key: ScrollKey, duration: Double) {
        scrolls[index(of: key)].record.end(duration: duration)
    }

    /// Adds one tick.
    mutating func add(_ tick: FrameTick, clock: FrameClock, to key: SegmentKey) {
        let index = index(of: key, clock)
        let step = segments[index].frames.advance(to: tick)
        screens[Int(key.iteration)].add(step)
        let scroll = segments[index].scroll
        if scroll >= 0 { scrolls[scroll].record.add(step) }
        guard case .pair(let pair) = step else { return }
        tracers[Int(places[Int(key.iteration)])].draw(iteration: key.iteration, scroll: key.scroll) {
            $0.add(pair)
            $1.add(pair, isScrolling: key.scroll != nil)
        }
    }

    /// Adds ticks of one segment; `targets` has as many entries as there are ticks, or none.
    mutating func add(
        _ timestamps: [UInt64], targets: [UInt64], duration: Nanoseconds?, clock: FrameClock, to key: SegmentKey
    ) {
        guard !timestamps.isEmpty else { return }
        let index = index(of: key, clock)
        var frames = segments[index].frames
        var screen = screens[Int(key.iteration)]
        var scroll = ScrollFrames()
        let hasTargets = targets.count == timestamps.count
        tracers[Int(places[Int(key.iteration)])].draw(iteration: key.iteration, scroll: key.scroll) {
            drawing, severity in
            for position in timestamps.indices {
                let target = hasTargets ? Nanoseconds(targets[position]) : nil
                let tick = FrameTick(timestamp: Nanoseconds(timestamps[position]), target: target, duration: duration)
                let step = frames.advance(to: tick)
                screen.add(step)
                scroll.add(step)
                guard case .pair(let pair) = step else { continue }
                drawing.add(pair)
                severity.add(pair, isScrolling: key.scroll != nil)
            }
        }
        segments[index].frames = frames
        screens[Int(key.iteration)] = screen
        let scrollIndex = segments[index].scroll
        if scrollIndex >= 0 { scrolls[scrollIndex].record.add(scroll) }
    }

    private mutating func index(of key: ScrollKey) -> Int {
        let hash = HashedIndex.hash(UInt64(UInt32(bitPattern: key.iteration)), UInt64(bitPattern: Int64(key.number)))
        let (number, isNew) = scrollIndex.number(hash: hash) { scrolls[$0].key == key }
        if isNew { scrolls.append(Scroll(key: key)) }
        return number
    }

    private mutating func index(of key: SegmentKey, _ clock: FrameClock) -> Int {
        if last < segments.count, segments[last].key == key { return last }
        let place = UInt64(UInt32(bitPattern: key.iteration)) << 32 ^ UInt64(bitPattern: Int64(key.segment))
        let hash = HashedIndex.hash(place, UInt64(bitPattern: Int64(key.scroll ?? -1)))
        let (number, isNew) = segmentIndex.number(hash: hash) { segments[$0].key == key }
        if isNew {
            let scroll = key.scroll.map { index(of: ScrollKey(iteration: key.iteration, number: $0)) } ?? -1
            segments.append(Segment(key: key, scroll: scroll, frames: FrameSegment(clock: clock)))
        }
        last = number
        return number
    }
}
