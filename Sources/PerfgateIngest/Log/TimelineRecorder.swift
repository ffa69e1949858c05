import PagePerformance
import PerfgateModel

/// Records frames over time in constant memory: if more buckets are needed, pairs of neighbours are merged, keeping the
/// worse one. A bucket starts at a multiple of its width on the log's clock, so the order of frames makes no
/// difference.
struct TimelineRecorder {
    private struct Bucket {
        var longest: UInt64 = 0, budget: UInt64 = 0
        var dropped = 0, hitches = 0

        var isEmpty: Bool { longest == 0 }

        /// Whether a frame is worse than all in the bucket: of equally long ones, the one with the smaller budget.
        @inline(__always) func isMilder(than frame: (interval: UInt64, budget: UInt64)) -> Bool {
            frame.interval > longest || (frame.interval == longest && frame.budget < budget)
        }

        @inline(__always) mutating func merge(_ other: Bucket) {
            if isMilder(than: (other.longest, other.budget)) { (longest, budget) = (other.longest, other.budget) }
            dropped += other.dropped
            hitches += other.hitches
        }

        var drawn: FrameTimeline.Bucket {
            FrameTimeline.Bucket(
                longestMS: Double(longest) / 1_000_000, budgetMS: Double(budget) / 1_000_000, droppedFrames: dropped,
                hitches: hitches)
        }
    }

    static let capacity = 48
    /// The width of the first buckets is 2 to the power of this, in ns: 16.8 ms, about a frame at 60 Hz.
    private static let finestShift: UInt64 = 24

    private var shift = Self.finestShift
    /// The number of the first bucket since the clock's start.
    private var first: UInt64 = 0
    /// None before the first frame, then always `capacity`; those after the last frame are empty.
    private var buckets: [Bucket] = []

    @inline(__always) mutating func add(_ pair: FramePair) {
        let index = place(for: pair.start.count)
        let dropped = pair.dropped
        guard dropped > 0 || buckets[index].isMilder(than: (pair.interval.count, pair.expected.count)) else { return }
        buckets[index].merge(
            Bucket(
                longest: pair.interval.count, budget: pair.expected.count, dropped: dropped,
                hitches: dropped > 0 ? 1 : 0))
    }

    /// The frames so far; `nil` without any.
    var timeline: FrameTimeline? {
        guard !buckets.isEmpty else { return nil }
        return FrameTimeline(
            bucketMS: Double(1 << shift) / 1_000_000,
            buckets: buckets[...last].map { $0.isEmpty ? nil : $0.drawn })
    }

    private var last: Int { buckets.lastIndex { !$0.isEmpty } ?? 0 }

    /// The index of the bucket for an instant; makes room if necessary.
    @inline(__always) private mutating func place(for instant: UInt64) -> Int {
        let offset = instant >> shift &- first
        return offset < UInt64(buckets.count) ? Int(offset) : makeRoom(for: instant)
    }

    @inline(never) private mutating func makeRoom(for instant: UInt64) -> Int {
        if buckets.isEmpty {
            first = instant >> shift
            buckets = Array(repeating: Bucket(), count: Self.capacity)
        }
        coarsen(by: levels(toFit: instant >> shift))
        let number = instant >> shift
        if number < first {
            let more = Int(first - number)
            buckets.removeLast(more)
            buckets.insert(contentsOf: repeatElement(Bucket(), count: more), at: 0)
            first = number
        }
        return Int(number - first)
    }

    /// How often neighbours must be merged until a bucket's number fits.
    private func levels(toFit number: UInt64) -> UInt64 {
        let (low, high) = (min(number, first), max(number, first + UInt64(last)))
        var levels: UInt64 = 0
        while high >> levels - low >> levels >= UInt64(Self.capacity) { levels += 1 }
        return levels
    }

    /// Merges pairs of neighbours in place, a number of times at once.
    private mutating func coarsen(by levels: UInt64) {
        guard levels > 0 else { return }
        for offset in 1..<Self.capacity {
            let bucket = buckets[offset]
            buckets[offset] = Bucket()
            let index = Int((first + UInt64(offset)) >> levels - first >> levels)
            buckets[index].merge(bucket)
        }
        first >>= levels
        shift += levels
    }
}

/// The worst iteration of a page in one stream, a candidate for the worst of all streams.
struct FrameCandidate {
    let iteration: Int32
    let severity: FrameSeverity
    private let tracer: IterationTracer?
    private let scrolls: [TickTable.Scroll]

    private static let listedScrolls = 48

    /// The worst iteration of each page with scrolls and ticks. Ticks decide, since they are only in memory for the
    /// worst iteration; for a page without ticks its drop lines do.
    static func worst(of stream: LogStream, _ pages: ScrollPages) -> [IterationTable.Place: FrameCandidate] {
        // Those with known drops.
        let counted = stream.content.ticks.scrolls.filter { scroll in
            let page = stream.content.iterations.keys[Int(scroll.key.iteration)].place.page
            return switch pages.standing(of: scroll.record, page: page) {
            case .byTicks, .byLines: true
            case .unmeasured, .open: false
            }
        }
        let scrolls = Dictionary(grouping: counted, by: \.key.iteration)
        var result: [IterationTable.Place: FrameCandidate] = [:]
        for (place, tracer) in zip(stream.content.places.elements, stream.content.ticks.tracers) {
            guard let worst = tracer.worst else { continue }
            result[place] = FrameCandidate(
                iteration: worst.iteration, severity: worst.severity, tracer: worst,
                scrolls: scrolls[worst.iteration] ?? [])
        }
        for (iteration, scrolls) in scrolls.sorted(by: { $0.key < $1.key }) {
            let place = stream.content.iterations.keys[Int(iteration)].place
            var severity = FrameSeverity()
            for drops in scrolls.map(\.record.drops) {
                severity.merge(FrameSeverity(worst: drops.worst, dropped: drops.total))
            }
            if let known = result[place], known.tracer != nil || known.severity >= severity { continue }
            result[place] = FrameCandidate(iteration: iteration, severity: severity, tracer: nil, scrolls: scrolls)
        }
        return result
    }

    func trace(of stream: LogStream, run: String) -> FrameTrace {
        let listed = scrolls.compactMap(trace).sorted(by: Self.isWorse).prefix(Self.listedScrolls)
        return FrameTrace(
            run: run, part: stream.facts.part, iteration: stream.content.iterations.keys[Int(iteration)].iteration,
            scrollCount: scrolls.count, scrolls: listed.sorted { $0.number < $1.number },
            screen: tracer?.timeline(of: nil))
    }

    /// The drops of a scroll; `nil` if its ticks can't show them.
    private func trace(of scroll: TickTable.Scroll) -> ScrollTrace? {
        guard let drops = scroll.record.hasTicks ? scroll.record.frames.drops : scroll.record.drops else { return nil }
        return ScrollTrace(
            number: scroll.key.number, dropEvents: drops.events, worstDrop: drops.worst, droppedFrames: drops.total,
            durationMS: scroll.record.duration, timeline: tracer?.timeline(of: scroll.key.number))
    }

    private static func isWorse(_ first: ScrollTrace, _ second: ScrollTrace) -> Bool {
        let (left, right) = ((first.worstDrop, first.droppedFrames), (second.worstDrop, second.droppedFrames))
        return left == right ? first.number < second.number : left > right
    }
}

/// The severity of frames, in order of importance.
struct FrameSeverity: Comparable {
    /// The most frames dropped at one instant of a scroll.
    private(set) var worst = 0
    private(set) var dropped = 0
    /// The total lateness of frames, in ns.
    private(set) var hitch: UInt64 = 0

    @inline(__always) mutating func add(_ pair: FramePair, isScrolling: Bool) {
        let late = pair.hitch.count
        guard late > 0 else { return }
        hitch &+= late
        guard isScrolling else { return }
        worst = max(worst, pair.dropped)
        dropped &+= pair.dropped
    }

    mutating func merge(_ other: FrameSeverity) {
        worst = max(worst, other.worst)
        dropped &+= other.dropped
        hitch &+= other.hitch
    }

    static func < (lhs: FrameSeverity, rhs: FrameSeverity) -> Bool {
        (lhs.worst, lhs.dropped, lhs.hitch) < (rhs.worst, rhs.dropped, rhs.hitch)
    }
}
