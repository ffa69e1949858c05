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
            phases: Self.phases(of: visit, in: stream.content.visits.samples, metrics))
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
