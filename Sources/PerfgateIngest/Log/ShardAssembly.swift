import PagePerformance
import PerfgateModel

/// Puts the parts of one shard of a run together: what they say of an iteration becomes its samples.
struct ShardAssembly {
    /// Everything that is known of one page in one iteration.
    private struct Iteration {
        var screen = ScreenFrames()
        var scrolls = IterationScrolls()
        var coveredMS = 0.0
        var scrollMS = 0.0
        var visits: [LogStream.Visit] = []
        var points: [LogStream.Point] = []
        var seconds = 0.0
        var tests: Set<Int32> = []
    }

    let run: String
    let shard: String
    /// The parts, in any order.
    let streams: [LogStream]

    /// Adds the samples of every page and iteration.
    func add(to builder: inout MeasurementBuilder) {
        var iterations: [LogStream.IterationKey: Iteration] = [:]
        let parts = streams.sorted { NaturalOrder.precedes($0.part ?? "", $1.part ?? "") }
        let closing = pagesThatCloseScrolls(parts)
        for part in parts { collect(part, closing, into: &iterations, &builder) }
        for visit in lastVisits(parts) {
            iterations[visit.key, default: Iteration()].visits.append(visit.visit)
            iterations[visit.key]?.seconds += visit.visit.seconds
            iterations[visit.key]?.points += visit.visit.points
        }
        // Sums of seconds depend on their order in the last digit: it must not be that of a dictionary.
        for (key, iteration) in iterations.sorted(by: { $0.key.iteration < $1.key.iteration }) {
            add(iteration, key, to: &builder)
        }
    }

    /// The pages where scrolls are closed by lines or measured by ticks; elsewhere each number seen is a scroll.
    private func pagesThatCloseScrolls(_ parts: [LogStream]) -> Set<Int32> {
        var pages: Set<Int32> = []
        for part in parts {
            for (key, scroll) in part.scrolls where scroll.hasTicks || scroll.duration != nil {
                pages.insert(part.iterations[Int(key.iteration)].page)
            }
        }
        return pages
    }

    private func collect(
        _ part: LogStream, _ closing: Set<Int32>, into iterations: inout [LogStream.IterationKey: Iteration],
        _ builder: inout MeasurementBuilder
    ) {
        for (index, key) in part.iterations.enumerated() {
            var iteration = iterations[key] ?? Iteration()
            iteration.screen.merge(part.screens[index])
            iteration.seconds += part.seconds[index]
            iteration.tests.formUnion(part.tests[Int32(index)] ?? [])
            iterations[key] = iteration
        }
        for (key, scroll) in part.scrolls.sorted(by: { $0.key.number < $1.key.number }) {
            let place = part.iterations[Int(key.iteration)]
            add(scroll, place, isAssumed: !closing.contains(place.page), part, to: &iterations, &builder)
        }
        for point in part.points { iterations[part.iterations[Int(point.iteration)]]?.points.append(point) }
    }

    private func add(
        _ scroll: ScrollRecord, _ key: LogStream.IterationKey, isAssumed: Bool, _ part: LogStream,
        to iterations: inout [LogStream.IterationKey: Iteration], _ builder: inout MeasurementBuilder
    ) {
        if scroll.hasTicks {
            iterations[key]?.scrolls.add(scroll.frames)
            guard let duration = scroll.duration, duration > 0 else { return }
            iterations[key]?.coveredMS += Milliseconds(scroll.frames.duration).value
            iterations[key]?.scrollMS += duration
        } else if scroll.duration != nil {
            iterations[key]?.scrolls.add(scroll.drops)
        } else if isAssumed {
            iterations[key]?.scrolls.add(scroll.drops)
            builder.tellAssumedScrolls(page: key.page, path: part.path)
        }
    }

    /// The visits, of those with the same identifier the last: by part, then by line.
    private func lastVisits(
        _ parts: [LogStream]
    ) -> [(key: LogStream.IterationKey, visit: LogStream.Visit)] {
        var result: [(key: LogStream.IterationKey, visit: LogStream.Visit)] = []
        var known: [ContentHash: Int] = [:]
        for part in parts {
            for visit in part.visits {
                let entry = (key: part.iterations[Int(visit.iteration)], visit: visit)
                if let id = visit.id, let index = known[id] {
                    result[index] = entry
                } else {
                    if let id = visit.id { known[id] = result.count }
                    result.append(entry)
                }
            }
        }
        return result
    }

    private func add(_ iteration: Iteration, _ key: LogStream.IterationKey, to builder: inout MeasurementBuilder) {
        let place = MeasurementBuilder.Place(
            run: run, shard: shard, page: key.page, environment: key.environment, iteration: key.iteration)
        builder.note(place, seconds: iteration.seconds, tests: iteration.tests)
        let hangsFromVisits = iteration.visits.contains { $0.visit.measures(.scrollThreadHang) }
        for metric in FrameMetric.allCases where !(metric == .scrollThreadHang && hangsFromVisits) {
            let value = iteration.scrolls.value(of: metric) ?? iteration.screen.value(of: metric)
            if let value { builder.add(value, known: metric.rawValue, at: place) }
        }
        if iteration.scrollMS > 0 {
            builder.note(place, coveredMS: iteration.coveredMS, of: iteration.scrollMS)
        }
        for visit in iteration.visits { builder.add(visit, at: place) }
        let hasScreenTicks = iteration.screen.pairs > 0
        for point in iteration.points where !(hasScreenTicks && builder.isFromScreen(point.metric)) {
            builder.add(point.value, metric: point.metric, at: place)
        }
    }
}
