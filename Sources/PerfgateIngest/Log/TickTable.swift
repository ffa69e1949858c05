import PagePerformance

/// The ticks of a stream, accumulated by screen and scroll, with the last tick of every segment.
struct TickTable {
    struct ScrollKey: Hashable {
        let iteration: Int32
        let number: Int
    }

    struct SegmentKey: Hashable {
        let iteration: Int32
        let scroll: Int?
        let segment: Int
    }

    struct Scroll {
        let key: ScrollKey
        var record = LoggedScroll()
    }

    private struct Segment {
        let key: SegmentKey
        /// The index of its scroll; negative without one.
        let scroll: Int
        var frames: FrameSegment
    }

    private(set) var screens: [ScreenFrames] = []
    /// The scrolls, in order of first appearance.
    private(set) var scrolls: [Scroll] = []
    /// The tracers of each page in an environment, by the numbers given to `addIteration`.
    private(set) var tracers: [PageTracer] = []
    private var places: [Int32] = []
    private var segments: [Segment] = []
    private var scrollIndex = HashedIndex(), segmentIndex = HashedIndex()
    private var last = 0

    /// Adds an iteration of a page in an environment, which is known by a number.
    mutating func addIteration(place: Int32) {
        screens.append(ScreenFrames())
        places.append(place)
        while tracers.count <= Int(place) { tracers.append(PageTracer()) }
    }

    /// Adds what a line says of a scroll.
    mutating func add(to key: ScrollKey, _ add: (inout LoggedScroll) -> Void) {
        let index = index(of: key)
        add(&scrolls[index].record)
    }

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
        _ timestamps: ArraySlice<UInt64>, targets: ArraySlice<UInt64>, duration: Nanoseconds?, clock: FrameClock,
        to key: SegmentKey
    ) {
        guard !timestamps.isEmpty else { return }
        let index = index(of: key, clock)
        var frames = segments[index].frames
        var screen = screens[Int(key.iteration)]
        var scroll = ScrollFrames()
        var onTime = OnTimeFrames()
        // A pair that follows another one can't be the screen's first.
        var follows = false
        let hasTargets = targets.count == timestamps.count
        tracers[Int(places[Int(key.iteration)])].draw(iteration: key.iteration, scroll: key.scroll) {
            drawing, severity in
            for (position, timestamp) in timestamps.enumerated() {
                let target = hasTargets ? Nanoseconds(targets[targets.startIndex &+ position]) : nil
                let tick = FrameTick(timestamp: Nanoseconds(timestamp), target: target, duration: duration)
                let step = frames.advance(to: tick)
                if case .pair(let pair) = step {
                    drawing.add(pair)
                    if follows, onTime.take(pair) { continue }
                    severity.add(pair, isScrolling: key.scroll != nil)
                    follows = true
                } else {
                    follows = false
                }
                screen.add(step)
                scroll.add(step)
            }
        }
        screen.add(onTime)
        scroll.add(onTime)
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

/// Decides which scrolls of a shard count, from the lines of their pages.
struct ScrollPages {
    /// How a scroll counts.
    enum Standing {
        /// Its ticks show its drops.
        case byTicks
        /// Drop lines show its drops, or their absence shows that there are none.
        case byLines
        /// There is no information about drops: its page is measured by ticks, and it has none.
        case unmeasured
        /// No line ended it, so it doesn't count.
        case open
    }

    /// The pages with end lines or ticks; elsewhere each scroll number counts as a scroll.
    private let closing: Set<Int32>
    /// The pages with ticks in a scroll, for which missing drop lines don't mean no drops.
    private let ticking: Set<Int32>
    private let tellsDurations: Bool

    init(_ parts: [LogStream]) {
        closing = Self.pages(of: parts) { $0.hasTicks || $0.duration != nil }
        ticking = Self.pages(of: parts, where: \.hasTicks)
        tellsDurations = !Self.pages(of: parts) { $0.lasted }.isEmpty
    }

    /// Whether a scroll counts as ended: one with ticks needs a duration, unless no scroll of the shard has one.
    func hasEnded(_ scroll: LoggedScroll) -> Bool { scroll.lasted || !scroll.hasTicks || !tellsDurations }

    func standing(of scroll: LoggedScroll, page: Int32) -> Standing {
        if scroll.hasTicks { return .byTicks }
        guard scroll.duration != nil || !closing.contains(page) else { return .open }
        return ticking.contains(page) && !scroll.tellsDrops ? .unmeasured : .byLines
    }

    private static func pages(of parts: [LogStream], where isSo: (LoggedScroll) -> Bool) -> Set<Int32> {
        Set(
            parts.flatMap { part in
                part.content.ticks.scrolls.filter { isSo($0.record) }
                    .map { part.content.iterations.keys[Int($0.key.iteration)].place.page }
            })
    }
}

struct LoggedScroll {
    private(set) var frames = ScrollFrames()
    private(set) var hasTicks = false
    /// Its duration in ms, after its end line.
    private(set) var duration: Double?

    var lasted: Bool { duration ?? 0 > 0 }

    private(set) var sums = ScrollSums()

    /// Whether lines give its drops: drop lines, or an end line with the number of frames, which implies that all
    /// drops are reported.
    var tellsDrops: Bool { hasToldDrops || sums.frames ?? 0 > 0 }

    private var hasToldDrops = false

    private var counted = DropCounts()
    private var cumulativeEvents = 0

    mutating func add(_ step: FrameSegment.Step) {
        hasTicks = true
        frames.add(step)
    }

    mutating func add(_ other: ScrollFrames) {
        hasTicks = true
        frames.merge(other)
    }

    mutating func add(drop count: Int, cumulativeEvents: Int) {
        hasToldDrops = true
        counted.add(frames: count)
        self.cumulativeEvents = max(self.cumulativeEvents, cumulativeEvents)
    }

    mutating func end(duration: Double, _ sums: ScrollSums) {
        self.duration = (self.duration ?? 0) + duration
        self.sums.merge(sums)
    }

    /// Whether the sums of its end line differ from the ticks; false if only one of them exists.
    var hasOtherSums: Bool {
        guard hasTicks else { return false }
        if let count = sums.frames, count != frames.pairs { return true }
        guard let hitch = sums.hitch else { return false }
        let (told, own) = (Milliseconds(hitch).value, Milliseconds(frames.hitch).value)
        return abs(told - own) > 0.1 + 0.01 * max(told, own)
    }

    /// Whether its drop lines differ from the ticks; false if only one of them exists.
    var hasOtherDrops: Bool {
        guard hasTicks, counted.events > 0, let seen = frames.drops else { return false }
        return seen != drops
    }

    /// The drops from lines; for events the larger of the seen and the reported number.
    var drops: DropCounts {
        DropCounts(worst: counted.worst, total: counted.total, events: max(counted.events, cumulativeEvents))
    }
}
