import PagePerformance
import PerfgateModel

/// What one stream of lines says: a launch of the app, or a shard, of a run.
final class LogStream {
    /// Which samples belong together.
    struct IterationKey: Hashable {
        let page: Int32
        let environment: Int32
        let iteration: Int
    }

    /// A page visit and where it was told.
    struct Visit {
        let iteration: Int32
        let line: Int
        let visit: PageVisit
        let formula: Int32
        let id: ContentHash?
        /// How long it lasted.
        let seconds: Double
        /// The values that the line gives beside the visit's own.
        let points: [Point]
    }

    /// A value that a line gives as it stands; not a number: measured without a sample.
    struct Point {
        let iteration: Int32
        let metric: Int32
        let value: Double
    }

    struct ScrollKey: Hashable {
        let iteration: Int32
        let number: Int
    }

    struct SegmentKey: Hashable {
        let iteration: Int32
        let scroll: Int?
        let segment: Int
    }

    let path: String
    let runID: String?
    let part: String?
    let shard: String?
    let context: Int32
    let expectsEnd: Bool

    var lineCount = 0
    var hash = ContentHash()
    var isEnded = false
    /// Whether its lines are of a version that can't be read.
    var isIgnored = false
    var badLines: [Int] = []
    var faults: [String] = []

    private(set) var iterations: [IterationKey] = []
    private(set) var screens: [ScreenFrames] = []
    private(set) var seconds: [Double] = []
    private(set) var scrolls: [ScrollKey: ScrollRecord] = [:]
    private(set) var visits: [Visit] = []
    private(set) var points: [Point] = []
    private(set) var tests: [Int32: Set<Int32>] = [:]

    private var iterationIndices: [IterationKey: Int32] = [:]
    private var segments: [SegmentKey: FrameSegment] = [:]
    private var visitIndices: [ContentHash: Int] = [:]

    init(
        path: String, runID: String?, part: String? = nil, shard: String? = nil, context: Int32,
        expectsEnd: Bool = false
    ) {
        self.path = path
        self.runID = runID
        self.part = part
        self.shard = shard
        self.context = context
        self.expectsEnd = expectsEnd
    }

    /// The number of an iteration of a page in an environment.
    func iteration(_ key: IterationKey, test: Int32?) -> Int32 {
        let index = iterationIndices[key] ?? Int32(iterations.count)
        if index == iterations.count {
            iterationIndices[key] = index
            iterations.append(key)
            screens.append(ScreenFrames())
            seconds.append(0)
        }
        if let test { tests[index, default: []].insert(test) }
        return index
    }

    func add(seconds: Double, to iteration: Int32) {
        self.seconds[Int(iteration)] += seconds
    }

    func add(_ visit: Visit) {
        guard let id = visit.id else { return visits.append(visit) }
        if let index = visitIndices[id] {
            visits[index] = visit
        } else {
            visitIndices[id] = visits.count
            visits.append(visit)
        }
    }

    func add(_ point: Point) {
        points.append(point)
    }

    func add(drop frames: Int, cumulativeEvents: Int, to key: ScrollKey) {
        scrolls[key, default: ScrollRecord()].add(drop: frames, cumulativeEvents: cumulativeEvents)
    }

    func end(scroll key: ScrollKey, duration: Double) {
        scrolls[key, default: ScrollRecord()].end(duration: duration)
    }

    /// Feeds ticks of one segment; the lookups are made once for all of them.
    func add(_ ticks: some Sequence<FrameTick>, clock: FrameClock, to key: SegmentKey) {
        guard ticks.first(where: { _ in true }) != nil else { return }
        var segment = segments[key] ?? FrameSegment(clock: clock)
        var scroll = key.scroll.map { scrolls[ScrollKey(iteration: key.iteration, number: $0)] ?? ScrollRecord() }
        for tick in ticks {
            let step = segment.advance(to: tick)
            screens[Int(key.iteration)].add(step)
            scroll?.add(step)
        }
        segments[key] = segment
        if let number = key.scroll { scrolls[ScrollKey(iteration: key.iteration, number: number)] = scroll }
    }
}
