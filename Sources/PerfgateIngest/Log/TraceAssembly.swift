import PagePerformance
import PerfgateModel

/// Finds the worst iteration and the slowest visit of every page, over streams that come in their order.
struct TraceAssembly {
    /// What can be drawn of each page.
    private(set) var traces: [IterationTable.Place: PageTrace] = [:]
    private var severities: [IterationTable.Place: FrameSeverity] = [:]
    private var slowest: [IterationTable.Place: VisitTimes] = [:]

    /// Takes a visit of an iteration, whose values lie in its stream under the numbers of their metrics.
    mutating func note(
        _ times: VisitTimes, of visit: VisitTable.Visit, in stream: LogStream, _ key: IterationTable.Key, run: String,
        _ metrics: [PageMetric?]
    ) {
        guard times.hasPhase, slowest[key.place].map(times.isSlower) ?? true else { return }
        slowest[key.place] = times
        traces[key.place, default: PageTrace()].visit = VisitTrace(
            run: run, part: stream.part, iteration: key.iteration,
            durationMS: visit.seconds > 0 ? 1_000 * visit.seconds : nil,
            phases: Self.phases(of: visit, in: stream.content.visits.samples[visit.place.block], metrics))
    }

    /// Takes the frames of a stream, of whose scrolls those count that the pages of its shard let count.
    mutating func note(framesOf stream: LogStream, _ pages: ScrollPages, run: String) {
        for candidate in FrameCandidate.worst(of: stream, pages).values {
            let place = stream.content.iterations.keys[Int(candidate.iteration)].place
            if let known = severities[place], known >= candidate.severity { continue }
            severities[place] = candidate.severity
            traces[place, default: PageTrace()].frames = candidate.trace(of: stream, run: run)
        }
    }

    /// The phases of a visit in the order of the page metrics.
    private static func phases(
        of visit: VisitTable.Visit, in columns: SampleColumns, _ metrics: [PageMetric?]
    ) -> [VisitTrace.Phase] {
        let found = visit.range.compactMap { position -> (metric: PageMetric, value: Double)? in
            let number = Int(columns.numbers[position])
            guard number < metrics.count, let metric = metrics[number] else { return nil }
            return columns.values[position].isFinite ? (metric, columns.values[position]) : nil
        }
        return PageMetric.allCases.compactMap { metric in
            found.first { $0.metric == metric }.map {
                VisitTrace.Phase(metric: metric.rawValue, milliseconds: $0.value)
            }
        }
    }
}

/// Draws the frames of one page in one stream: of its iterations the worst one, and the one that goes on.
///
/// An iteration whose frames come in several stretches with two or more others between them is drawn from its last
/// stretch on: memory has to stay the same, however many iterations there are.
struct PageTracer {
    private var current: IterationTracer?
    private var kept: IterationTracer?

    /// The worst iteration; of equal ones the one that came first.
    var worst: IterationTracer? {
        guard let current, let other = kept else { return current ?? kept }
        return Self.worse(current, other)
    }

    /// Lends what draws an iteration's scroll, or what lies outside of them, for some frames and how bad they are.
    @inline(__always)
    mutating func draw(
        iteration: Int32, scroll: Int?, _ body: (inout TimelineRecorder, inout FrameSeverity) -> Void
    ) {
        if current?.iteration != iteration { turn(to: iteration) }
        current?.draw(scroll: scroll, body)
    }

    @inline(never)
    private mutating func turn(to iteration: Int32) {
        if kept?.iteration == iteration { return swap(&current, &kept) }
        kept = worst
        current = IterationTracer(iteration: iteration)
    }

    private static func worse(_ first: IterationTracer, _ second: IterationTracer) -> IterationTracer {
        if first.severity != second.severity { return first.severity > second.severity ? first : second }
        return first.iteration < second.iteration ? first : second
    }
}

/// Draws the frames of one iteration of a page: the worst of its scrolls, and what lies outside of them.
struct IterationTracer {
    /// One scroll, or what lies outside of them.
    struct Stretch {
        /// The number of the scroll; `nil` outside of them.
        let scroll: Int?
        fileprivate(set) var severity = FrameSeverity()
        fileprivate var recorder = TimelineRecorder()

        /// Whether it makes room where there are too many.
        fileprivate func isMilder(than other: Stretch) -> Bool {
            if severity != other.severity { return severity < other.severity }
            return (scroll ?? -1) > (other.scroll ?? -1)
        }
    }

    /// How many stretches are drawn at most.
    static let capacity = 8

    /// The number of the iteration in its stream.
    let iteration: Int32
    /// The stretches in no order.
    private(set) var stretches: [Stretch] = []
    /// How bad all of its frames were.
    private(set) var severity = FrameSeverity()
    private var last = 0

    init(iteration: Int32) {
        self.iteration = iteration
    }

    /// Lends what draws a scroll, or what lies outside of them, for some frames and how bad they are.
    @inline(__always)
    mutating func draw(scroll: Int?, _ body: (inout TimelineRecorder, inout FrameSeverity) -> Void) {
        let index = index(of: scroll)
        var added = FrameSeverity()
        body(&stretches[index].recorder, &added)
        stretches[index].severity.merge(added)
        severity.merge(added)
    }

    /// The frames of a scroll over time, or of what lies outside of them; `nil` where they weren't drawn.
    func timeline(of scroll: Int?) -> FrameTimeline? {
        stretches.first { $0.scroll == scroll }?.recorder.timeline
    }

    private mutating func index(of scroll: Int?) -> Int {
        if last < stretches.count, stretches[last].scroll == scroll { return last }
        if let known = stretches.firstIndex(where: { $0.scroll == scroll }) {
            last = known
        } else if stretches.count < Self.capacity {
            stretches.append(Stretch(scroll: scroll))
            last = stretches.count - 1
        } else {
            last = stretches.indices.dropFirst().reduce(0) {
                stretches[$1].isMilder(than: stretches[$0]) ? $1 : $0
            }
            stretches[last] = Stretch(scroll: scroll)
        }
        return last
    }
}

/// The times of a visit that decide something beside being samples.
struct VisitTimes {
    /// The initial load in ms; `nil` where it gives no sample.
    private(set) var initialLoad: Double?
    /// The first layout in ms; `nil` where it wasn't measured.
    private(set) var firstLayout: Double?
    /// The scroll thread hang in ms; `nil` where it wasn't measured.
    private(set) var threadHang: Double?
    /// Whether there is any finite time of a phase.
    private(set) var hasPhase = false

    /// The times of a visit that lie in columns whose numbers are those of metrics.
    ///
    /// - Parameter metrics: Which metric of visits a number is.
    @inline(__always)
    init(_ visit: VisitTable.Visit, in columns: SampleColumns, _ metrics: [PageMetric?]) {
        for position in visit.range {
            let number = Int(columns.numbers[position])
            let value = columns.values[position]
            guard number < metrics.count, let metric = metrics[number], value.isFinite else { continue }
            hasPhase = true
            switch metric {
            case .ttil: initialLoad = value
            case .ttfl: firstLayout = value
            case .scrollThreadHang: threadHang = value
            case .alt, .rclt, .altShown, .rcltShown: break
            }
        }
    }

    /// Whether the visit was slower than another: by its initial load, then by its first layout.
    func isSlower(than other: VisitTimes) -> Bool {
        if initialLoad != other.initialLoad { return initialLoad ?? -1 > other.initialLoad ?? -1 }
        return firstLayout ?? -1 > other.firstLayout ?? -1
    }
}
