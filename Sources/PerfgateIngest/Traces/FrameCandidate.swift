import PagePerformance
import PerfgateModel

/// The worst iteration of a page in one stream, which may be the worst of all streams.
struct FrameCandidate {
    /// The number of the iteration in its stream.
    let iteration: Int32
    /// How bad its frames were.
    private(set) var severity: FrameSeverity
    private let tracer: IterationTracer?
    private var scrolls: [TickTable.Scroll] = []

    /// How many scrolls a trace lists at most.
    private static let listedScrolls = 48

    /// The worst iteration of each page, where scrolls and ticks measured any.
    ///
    /// Ticks decide, as they are in memory for the worst iteration only; of a page without ticks its drop lines do.
    static func worst(of stream: LogStream, _ pages: ScrollPages) -> [IterationTable.Place: FrameCandidate] {
        var result: [IterationTable.Place: FrameCandidate] = [:]
        for (place, tracer) in zip(stream.content.places, stream.content.ticks.tracers) {
            guard let worst = tracer.worst else { continue }
            result[place] = FrameCandidate(iteration: worst.iteration, severity: worst.severity, tracer: worst)
        }
        let scrolls = stream.content.scrolls(pages)
        for (iteration, scrolls) in scrolls.sorted(by: { $0.key < $1.key }) {
            let place = stream.content.iterations.keys[Int(iteration)].place
            var severity = FrameSeverity()
            for scroll in scrolls { severity.merge(FrameSeverity(scroll.record.drops)) }
            if let known = result[place], known.tracer != nil || known.severity >= severity { continue }
            result[place] = FrameCandidate(iteration: iteration, severity: severity, tracer: nil)
        }
        return result.mapValues { candidate in
            var candidate = candidate
            candidate.scrolls = scrolls[candidate.iteration] ?? []
            return candidate
        }
    }

    private init(iteration: Int32, severity: FrameSeverity, tracer: IterationTracer?) {
        self.iteration = iteration
        self.severity = severity
        self.tracer = tracer
    }

    /// What can be drawn of it.
    func trace(of stream: LogStream, run: String) -> FrameTrace {
        let listed = scrolls.compactMap(trace).sorted(by: Self.isWorse).prefix(Self.listedScrolls)
        return FrameTrace(
            run: run, part: stream.part, iteration: stream.content.iterations.keys[Int(iteration)].iteration,
            scrollCount: scrolls.count, scrolls: listed.sorted { $0.number < $1.number },
            screen: tracer?.timeline(of: nil))
    }

    /// What a scroll dropped; `nil` where its ticks can't tell.
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

extension StreamContent {
    /// The scrolls whose drops are told, by the number of their iteration.
    fileprivate func scrolls(_ pages: ScrollPages) -> [Int32: [TickTable.Scroll]] {
        let counted = ticks.scrolls.filter { scroll in
            let page = iterations.keys[Int(scroll.key.iteration)].page
            return switch pages.standing(of: scroll.record, page: page) {
            case .byTicks, .byLines: true
            case .unmeasured, .open: false
            }
        }
        return Dictionary(grouping: counted, by: \.key.iteration)
    }
}
