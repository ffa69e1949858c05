import PagePerformance
import PerfgateModel

/// Finds the worst iteration and the slowest visit of every page, over streams in order.
struct TraceAssembly {
    private(set) var traces: [IterationTable.Place: PageTrace] = [:]
    private var severities: [IterationTable.Place: FrameSeverity] = [:]
    private var slowest: [IterationTable.Place: VisitTimes] = [:]

    /// Takes a visit of an iteration, whose values are in its stream under the metrics' numbers.
    mutating func note(
        _ times: VisitTimes, of visit: VisitTable.Visit, in stream: LogStream, _ key: IterationTable.Key, run: String,
        _ metrics: [PageMetric?]
    ) {
        guard times.hasPhase, slowest[key.place].map(times.isSlower) ?? true else { return }
        slowest[key.place] = times
        traces[key.place, default: PageTrace()].visit = VisitTrace(
            run: run, part: stream.facts.part, iteration: key.iteration,
            durationMS: visit.seconds > 0 ? 1_000 * visit.seconds : nil,
            phases: Self.phases(of: visit, in: stream.content.visits.samples[visit.place.block], metrics))
    }

    /// Takes the frames of a stream, with the scrolls that count for its shard's pages.
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

/// Traces the frames of one page in one stream: its worst iteration and the current one. An iteration that is
/// interrupted by two or more others is traced from its last segment on, so memory is constant for any number of
/// iterations.
struct PageTracer {
    private var current: IterationTracer?, kept: IterationTracer?

    /// The worst iteration; of equal ones the first.
    var worst: IterationTracer? {
        guard let current, let kept else { return current ?? kept }
        if current.severity != kept.severity { return current.severity > kept.severity ? current : kept }
        return current.iteration < kept.iteration ? current : kept
    }

    @inline(__always)
    mutating func draw(iteration: Int32, scroll: Int?, _ body: (inout TimelineRecorder, inout FrameSeverity) -> Void) {
        if current?.iteration != iteration { turn(to: iteration) }
        current?.draw(scroll: scroll, body)
    }

    @inline(never) private mutating func turn(to iteration: Int32) {
        if kept?.iteration == iteration { return swap(&current, &kept) }
        kept = worst
        current = IterationTracer(iteration: iteration)
    }
}

/// Traces the frames of one iteration of a page: its worst scrolls, and the rest.
struct IterationTracer {
    /// One scroll, or the frames outside of scrolls.
    struct Stretch {
        /// The number of the scroll; `nil` outside of scrolls.
        let scroll: Int?
        fileprivate(set) var severity = FrameSeverity()
        fileprivate var recorder = TimelineRecorder()

        /// Whether it is dropped first if there are too many.
        fileprivate func isMilder(than other: Stretch) -> Bool {
            if severity != other.severity { return severity < other.severity }
            return (scroll ?? -1) > (other.scroll ?? -1)
        }
    }

    static let capacity = 8

    let iteration: Int32
    /// The scrolls, unordered.
    private(set) var stretches: [Stretch] = []
    private(set) var severity = FrameSeverity()
    private var last = 0

    init(iteration: Int32) { self.iteration = iteration }

    /// Lends the recorder of a scroll, or of the rest, for some frames and their severity.
    @inline(__always) mutating func draw(scroll: Int?, _ body: (inout TimelineRecorder, inout FrameSeverity) -> Void) {
        let index = index(of: scroll)
        var added = FrameSeverity()
        body(&stretches[index].recorder, &added)
        stretches[index].severity.merge(added)
        severity.merge(added)
    }

    /// The timeline of a scroll, or of the rest; `nil` if it wasn't traced.
    func timeline(of scroll: Int?) -> FrameTimeline? { stretches.first { $0.scroll == scroll }?.recorder.timeline }

    private mutating func index(of scroll: Int?) -> Int {
        if last < stretches.count, stretches[last].scroll == scroll { return last }
        if let known = stretches.firstIndex(where: { $0.scroll == scroll }) {
            last = known
        } else if stretches.count < Self.capacity {
            stretches.append(Stretch(scroll: scroll))
            last = stretches.count - 1
        } else {
            last = stretches.indices.dropFirst().reduce(0) { stretches[$1].isMilder(than: stretches[$0]) ? $1 : $0 }
            stretches[last] = Stretch(scroll: scroll)
        }
        return last
    }
}

/// The times of a visit that are used beside being samples.
struct VisitTimes {
    /// The initial load in ms; `nil` without a sample.
    private(set) var initialLoad: Double?
    /// The first layout in ms; `nil` if not measured.
    private(set) var firstLayout: Double?
    /// The scroll thread hang in ms; `nil` if not measured.
    private(set) var threadHang: Double?
    /// Whether there is any finite phase.
    private(set) var hasPhase = false

    /// The times of a visit in columns; `metrics` are the visit metrics of the numbers.
    @inline(__always) init(_ visit: VisitTable.Visit, in columns: SampleColumns, _ metrics: [PageMetric?]) {
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

    /// Whether the visit was slower than another: by initial load, then by first layout.
    func isSlower(than other: VisitTimes) -> Bool {
        if initialLoad != other.initialLoad { return initialLoad ?? -1 > other.initialLoad ?? -1 }
        return firstLayout ?? -1 > other.firstLayout ?? -1
    }
}

/// Diagnostics about pages, once per page.
struct PageRemarks {
    enum Remark: Hashable {
        /// Scrolls without end lines: each scroll number counts as one.
        case assumedScrolls
        /// Scrolls that started but didn't end, and those with ticks and without a duration beside others with one.
        case openScroll, unfinishedScroll
        case skippedPairs, inactiveVisits
        /// Ticks, which disagree with `frame_drop` lines, `scroll` lines, visits, or the lines of a metric.
        case otherDrops, otherSums, otherHang
        case otherValue(metric: String)
    }

    private struct Key: Hashable {
        let page: Int32
        let remark: Remark
    }

    private var known: [Key: (path: String, count: Int)] = [:]

    /// Records a remark about a page; the first one determines the file in the message.
    mutating func note(_ remark: Remark, page: Int32, path: String, count: Int = 1) {
        known[Key(page: page, remark: remark), default: (path, 0)].count += count
    }

    func diagnostics(pages: borrowing ByteInterner) -> [Diagnostic] {
        known.map { key, entry in
            Diagnostic(key.remark.code, path: entry.path, key.remark.message(pages[key.page], entry.count))
        }
    }
}

extension PageRemarks.Remark {
    fileprivate var code: DiagnosticCode {
        switch self {
        case .assumedScrolls: .assumedScrolls
        case .openScroll, .unfinishedScroll: .openScroll
        case .skippedPairs: .skippedPairs
        case .inactiveVisits: .inactiveVisits
        case .otherDrops, .otherSums, .otherHang, .otherValue: .conflictingSources
        }
    }

    fileprivate func message(_ page: String, _ count: Int) -> String {
        switch self {
        case .assumedScrolls:
            "Page \(page) has frame drops and no scroll lines, so each scroll number seen counts as one: write a "
                + "scroll line at the end of each, so that scrolls without drops count too."
        case .openScroll:
            "Scrolls of page \(page) that began and did not end: \(count). They were left out, as after a kill."
        case .unfinishedScroll:
            "Scrolls of page \(page) with frames, but without a scroll line with a duration: \(count). Their drops count, but "
                + "they aren't measured scrolls: write a scroll line at the end of each."
        case .skippedPairs:
            "Frames of page \(page) whose target time (targets_ns) isn't after their own time (timestamps_ns): \(count). They "
                + "were left out: check both in the log."
        case .inactiveVisits:
            "Visits of page \(page) that began or loaded while the app was inactive (launched in the background, covered by an "
                + "alert, or left): \(count). They have no load times."
        case .otherDrops:
            "Page \(page): its frame_drop lines and its frame ticks disagree. The ticks were used."
        case .otherSums:
            "Scrolls of page \(page) whose scroll lines and frame ticks disagree about their frames: \(count). The ticks were "
                + "used."
        case .otherHang:
            "Page \(page): its visits and its frame ticks give different scroll thread hangs. The visits' value was used."
        case .otherValue(let metric):
            "Page \(page): its metric lines and its frame ticks give different values of \(metric). The ticks were used."
        }
    }
}
