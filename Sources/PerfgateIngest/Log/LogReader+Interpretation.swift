import PagePerformance
import PerfgateJSON
import PerfgateModel

extension LogReader {
    /// Understands a line that measures something.
    func interpret(
        _ type: LineType, _ bytes: UnsafeRawBufferPointer, _ number: Int, in stream: LogStream
    ) throws(LineError) {
        guard type != .state, !stream.isIgnored else { return }
        let context = try context(base: stream.context, bytes)
        let entry = collector.contexts.entries[Int(context)]
        guard entry.isTaken else { return }
        guard let page = pageIndex() else { return dropNamelessLine() }
        guard line.iteration >= 0 else { throw .invalid("iteration", "is negative") }
        let key = LogStream.IterationKey(page: page, environment: entry.environment, iteration: line.iteration)
        let problem = self.problem(of: type)
        if let problem { throw problem }
        let iteration = stream.iteration(key, test: line.test.map { collector.tests.index(of: $0) })
        switch type {
        case .pps: addVisit(iteration, number, in: stream)
        case .frame, .frames: addTicks(iteration, in: stream)
        case .frameDrop: addDrop(iteration, in: stream)
        case .scroll: addScroll(iteration, in: stream)
        case .screen: addScreen(iteration, in: stream)
        default: addMetric(iteration, in: stream)
        }
    }

    private func pageIndex() -> Int32? {
        guard let page = line.page else {
            guard var name = collector.options.defaultPage else { return nil }
            return name.withUTF8 { collector.pages.index(of: UnsafeRawBufferPointer($0)) }
        }
        let index = collector.pages.index(of: page)
        return collector.pages[index].allSatisfy(\.isWhitespace) ? nil : index
    }

    /// What keeps a line from being a measurement; `nil`: nothing.
    private func problem(of type: LineType) -> LineError? {
        switch type {
        case .frame where line.timestamps.isEmpty: return .lacks("timestamp_ns")
        case .frames where !line.targets.isEmpty && line.targets.count != line.timestamps.count:
            return .invalid("targets_ns", "has \(line.targets.count) entries for \(line.timestamps.count) timestamps")
        case .frames where !line.hasTimestamps: return .lacks("timestamps_ns")
        case .frame, .frames: return nil
        case .frameDrop:
            if line.scroll == nil { return .lacks("scroll") }
            guard let frames = line.framesDropped else { return .lacks("frames_dropped") }
            return frames < 0 ? .invalid("frames_dropped", "is negative") : nil
        case .scroll:
            if line.scroll == nil { return .lacks("scroll") }
            return negative([("duration_ms", line.durationMS)])
        case .pps:
            if line.outcome == nil { return .invalid("outcome", "is none of loaded, error, abandoned") }
            if line.hasNegativeTime { return .invalid("sth_ms, mth_ms, alt_ms or rclt", "holds a negative time") }
            return negative([
                ("duration_ms", line.durationMS), ("ttfl_ms", line.ttfl), ("ttil_ms", line.ttil),
            ])
        case .screen:
            guard let duration = line.durationMS else { return .lacks("duration_ms") }
            if duration <= 0 { return .invalid("duration_ms", "is not above 0") }
            return negative([("hitch_ms", line.hitchMS), ("hang_ms", line.hangMS), ("first_fps", line.firstFPS)])
        default:
            if line.metric == nil { return .lacks("metric") }
            guard let values = line.values else { return .lacks("values") }
            let isTime = UnitConversion(from: line.unit?.string ?? "").unit == .milliseconds
            return isTime && values.contains { $0 < 0 } ? .invalid("values", "holds a negative time") : nil
        }
    }

    private func negative(_ times: [(String, Double?)]) -> LineError? {
        times.first { ($0.1 ?? 0) < 0 }.map { .invalid($0.0, "is negative") }
    }

    private var formula: String { line.formula.map { collector.formulas[collector.formulas.index(of: $0)] } ?? "1" }

    private func addTicks(_ iteration: Int32, in stream: LogStream) {
        let key = LogStream.SegmentKey(iteration: iteration, scroll: line.scroll, segment: line.segment)
        let duration = line.duration.map(Nanoseconds.init)
        let targets = line.targets
        let ticks = line.timestamps.enumerated().lazy.map { index, timestamp in
            FrameTick(
                timestamp: Nanoseconds(timestamp), target: targets.isEmpty ? nil : Nanoseconds(targets[index]),
                duration: duration)
        }
        stream.add(ticks, clock: line.isOtherClock ? .other : .vsync, to: key)
    }

    private func addDrop(_ iteration: Int32, in stream: LogStream) {
        let frames = line.framesDropped ?? 0
        stream.add(
            drop: line.isPublished ? max(0, frames - 1) : frames, cumulativeEvents: line.cumulativeEvents,
            to: LogStream.ScrollKey(iteration: iteration, number: line.scroll ?? 0))
    }

    private func addScroll(_ iteration: Int32, in stream: LogStream) {
        let duration = line.durationMS ?? 0
        stream.end(scroll: LogStream.ScrollKey(iteration: iteration, number: line.scroll ?? 0), duration: duration)
        stream.add(seconds: duration / 1_000, to: iteration)
    }

    private func addVisit(_ iteration: Int32, _ number: Int, in stream: LogStream) {
        var visit = PageVisit(outcome: line.outcome ?? .loaded)
        visit.firstLayout = line.ttfl.map { Milliseconds($0) }
        visit.initialLoad = line.ttil.map { Milliseconds($0) }
        visit.scrollThreadHang = line.threadHang.map { Milliseconds($0) }
        visit.additionalLoads = line.additionalLoads
        visit.richContentLoads = line.richContentLoads
        let id = line.visitID.map { text in
            var hash = ContentHash()
            hash.feed(text.rawBytes)
            return hash
        }
        let formulaIndex = line.formula.map { collector.formulas.index(of: $0) } ?? -1
        stream.add(
            LogStream.Visit(
                iteration: iteration, line: number, visit: visit, formula: formulaIndex, id: id,
                seconds: (line.durationMS ?? 0) / 1_000, points: visitPoints(iteration)))
    }

    /// What a visit's line gives beside the visit's own metrics: hangs of the main thread, and formulas being tried.
    private func visitPoints(_ iteration: Int32) -> [LogStream.Point] {
        var points: [LogStream.Point] = []
        if let hang = line.mainThreadHang {
            let metric = collector.metrics.index(known: "mth")
            points.append(LogStream.Point(iteration: iteration, metric: metric, value: hang))
        }
        for candidate in line.candidates {
            let name = candidate.name.hasSuffix("_ms") ? String(candidate.name.dropLast(3)) : candidate.name
            let metric = Metric(id: "candidates.\(name)", unit: .milliseconds, better: .lower)
            let index = collector.metrics.index(metric)
            points.append(LogStream.Point(iteration: iteration, metric: index, value: candidate.value))
        }
        return points
    }

    private func addScreen(_ iteration: Int32, in stream: LogStream) {
        guard let duration = line.durationMS else { return }
        stream.add(seconds: duration / 1_000, to: iteration)
        if let hitch = line.hitchMS { add("hitch_ratio_screen", 1_000 * hitch / duration, iteration, in: stream) }
        if let hang = line.hangMS { add("hang_rate", 3_600 * hang / duration, iteration, in: stream) }
        if let frames = line.frameCount { add("fps_mean", 1_000 * frames / duration, iteration, in: stream) }
        if let first = line.firstFPS, first > 0 {
            add("first_fps", first, iteration, in: stream)
            add("first_frame", 1_000 / first, iteration, in: stream)
        }
        if let least = line.minFPS { add("fps_min", least, iteration, in: stream) }
        if let most = line.maxFPS { add("fps_max", most, iteration, in: stream) }
    }

    private func add(_ id: String, _ value: Double, _ iteration: Int32, in stream: LogStream) {
        let counting: Counting = line.isPublished && line.type == .screen ? .published : .exact
        let metric = collector.metrics.index(known: id, counting: counting)
        stream.add(LogStream.Point(iteration: iteration, metric: metric, value: value))
    }

    private func addMetric(_ iteration: Int32, in stream: LogStream) {
        guard let id = line.metric?.string, let values = line.values else { return }
        let conversion = UnitConversion(from: line.unit?.string ?? "")
        let better = line.isHigherBetter.map { $0 ? Better.higher : .lower }
        let metric = Metric(
            id: id, unit: conversion.unit, better: better ?? MetricCatalog.definition(of: id)?.metric.better ?? .lower)
        let index = collector.metrics.index(
            metric, counting: line.isPublished ? .published : .exact, formula: formula)
        for value in values {
            stream.add(
                LogStream.Point(iteration: iteration, metric: index, value: conversion.convert(value)))
        }
        if values.isEmpty { stream.add(LogStream.Point(iteration: iteration, metric: index, value: .nan)) }
    }
}
