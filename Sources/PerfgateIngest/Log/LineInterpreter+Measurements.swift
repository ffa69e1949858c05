import PagePerformance
import PerfgateJSON
import PerfgateModel

extension LineInterpreter {
    /// Counts and interprets a line that measures something.
    mutating func interpret(
        _ type: LineType, _ bytes: UnsafeRawBufferPointer, base: Int32, _ tables: inout LogTables,
        _ content: inout StreamContent
    ) throws(LineError) {
        content.count(bytes)
        let context = try context(base: base, bytes, &tables)
        let entry = tables.contexts.entries[Int(context)]
        tables.hasMeasurement = true
        guard entry.isTaken else {
            content.hasLeftOut = true
            return
        }
        tables.hasTakenMeasurement = true
        guard let page = pageIndex(&tables) else { return namelessLines += 1 }
        guard line.fields.iteration >= 0 else { throw .invalid("iteration", "is negative") }
        if let problem = line.problem(as: type) { throw problem }
        if type == .metric, let problem = line.problemOfMetric(collector.options.known) { throw problem }
        let key = IterationTable.Key(page: page, environment: entry.environment, iteration: line.fields.iteration)
        let test = line.fields.test.map { tables.tests.index(of: $0) }
        let iteration = content.iteration(key, test: test)
        switch type {
        case .pps: addVisit(iteration, &tables, &content)
        case .frame: addTick(iteration, &content)
        case .frames: addTicks(iteration, &content)
        case .frameDrop: addDrop(iteration, &content)
        case .scroll: content.end(line.scroll, of: iteration)
        case .screen: addScreen(iteration, &tables, &content)
        case .metric: addMetric(iteration, &tables, &content)
        case .run, .state, .end, .unknown: break
        }
    }

    private func pageIndex(_ tables: inout LogTables) -> Int32? {
        guard let page = line.fields.page else {
            guard var name = collector.options.defaultPage else { return nil }
            return name.withUTF8 { tables.pages.index(of: UnsafeRawBufferPointer($0)) }
        }
        let index = tables.pages.index(of: page)
        return tables.pages.isBlank(index) ? nil : index
    }

    private func addTick(_ iteration: Int32, _ content: inout StreamContent) {
        guard let timestamp = line.fields.timestamp else { return }
        let tick = FrameTick(
            timestamp: Nanoseconds(timestamp), target: line.fields.target.map(Nanoseconds.init),
            duration: line.fields.duration.map(Nanoseconds.init))
        content.ticks.add(tick, clock: clock, to: segment(of: iteration))
    }

    private func addTicks(_ iteration: Int32, _ content: inout StreamContent) {
        content.ticks.add(
            line.timestamps[...], targets: line.targets[...], duration: line.fields.duration.map(Nanoseconds.init),
            clock: clock, to: segment(of: iteration))
    }

    private var clock: FrameClock { line.rare.isOtherClock ? .other : .vsync }

    private func segment(of iteration: Int32) -> TickTable.SegmentKey {
        TickTable.SegmentKey(iteration: iteration, scroll: line.fields.scroll, segment: line.fields.segment)
    }

    private func addDrop(_ iteration: Int32, _ content: inout StreamContent) {
        let frames = line.rare.framesDropped ?? 0
        if line.rare.isPublished, frames > 0 { content.convertedDrops += 1 }
        content.ticks.add(
            drop: line.rare.isPublished ? max(0, frames - 1) : frames,
            cumulativeEvents: line.rare.cumulativeEvents, to: scroll(of: iteration))
    }

    private func scroll(of iteration: Int32) -> TickTable.ScrollKey {
        TickTable.ScrollKey(iteration: iteration, number: line.fields.scroll ?? 0)
    }

    private func addVisit(_ iteration: Int32, _ tables: inout LogTables, _ content: inout StreamContent) {
        let start = content.visits.samples.begin()
        let ending = line.forEachSample(of: tables.visitMetrics(formula: line.fields.formula)) { name, value in
            let number =
                switch name {
                case .page(let number): number
                case .loadFailures: tables.loadFailures()
                case .mainThreadHang: tables.mainThreadHang()
                case .candidate(let name): tables.candidate(name)
                }
            content.visits.samples.append(number, value)
        }
        let seconds = (line.fields.durationMS ?? 0) / 1_000
        content.visits.add(
            id: line.visitIdentity, iteration: iteration, seconds: seconds, ending: ending, samplesFrom: start)
    }

    private func addScreen(_ iteration: Int32, _ tables: inout LogTables, _ content: inout StreamContent) {
        guard let duration = line.fields.durationMS else { return }
        content.add(seconds: duration / 1_000, to: iteration)
        let counting: Counting = line.rare.isPublished ? .published : .exact
        // Hangs with another threshold are different, like another formula.
        let hangs =
            line.rare.hangThreshold.map { "hang_threshold_ms=\(Int(exactly: $0).map(String.init) ?? "\($0)")" } ?? "1"
        for (metric, value) in line.rare.screenValues(duration: duration) {
            guard let value else { continue }
            let number = tables.metrics.index(
                Metric(metric), counting: counting, formula: metric == .hangRate ? hangs : "1")
            content.points.append(iteration, number, value)
        }
    }

    private func addMetric(_ iteration: Int32, _ tables: inout LogTables, _ content: inout StreamContent) {
        guard let id = line.rare.metric?.string else { return }
        let conversion = UnitConversion(from: line.rare.unit?.string ?? "")
        let better = line.rare.better.flatMap { Better(rawValue: $0.string) }
        let metric = Metric(
            id: id, unit: conversion.unit, better: better ?? collector.options.known.facts(of: id)?.better ?? .lower)
        let formula = line.fields.formula.map { tables.formulas[tables.formulas.index(of: $0)] }
        let number = tables.metrics.index(
            metric, counting: line.rare.isPublished ? .published : .exact, formula: formula ?? "1")
        for value in line.values { content.points.append(iteration, number, conversion.convert(value)) }
        if line.values.isEmpty { content.points.append(iteration, number, .nan) }
    }
}

extension LogLine {
    /// The metric of a visit's sample.
    enum SampleName {
        /// A visit metric, by its number.
        case page(Int32)
        case loadFailures, mainThreadHang
        case candidate(JSONText)
    }

    /// The hash of the visit's identifier; `nil` without one.
    var visitIdentity: ContentHash? { visit.id.flatMap { $0.rawBytes.isEmpty ? nil : ContentHash(of: $0.rawBytes) } }

    /// Passes the samples of the line's visit to a closure, and returns how it ended.
    @inline(__always)
    func forEachSample(
        of metrics: [VisitMetrics.Numbered], _ body: (SampleName, Double) -> Void
    ) -> VisitEnding {
        let page = pageVisit
        let ending = VisitEnding(page, saysOutcome: visit.saysOutcome, isCheckpoint: rare.isCheckpoint)
        for (metric, number) in metrics where page.measures(metric) {
            body(.page(number), page.sample(of: metric) ?? .nan)
        }
        if let failure = ending.failure { body(.loadFailures, failure) }
        if let hang = visit.mainThreadHang { body(.mainThreadHang, hang) }
        for candidate in candidates { body(.candidate(candidate.name), candidate.value) }
        return ending
    }

    /// The scroll that the line ends.
    var scroll: LineChunk.Scroll {
        LineChunk.Scroll(
            number: fields.scroll ?? 0, durationMS: fields.durationMS ?? 0,
            sums: ScrollSums(
                frames: rare.frames, duration: rare.framesMS.flatMap { Nanoseconds(Milliseconds($0)) },
                hitch: rare.hitchMS.flatMap { Nanoseconds(Milliseconds($0)) },
                threadHang: visit.threadHang.flatMap { Nanoseconds(Milliseconds($0)) }))
    }

    private var pageVisit: PageVisit {
        var result = PageVisit(outcome: visit.outcome ?? .loaded)
        result.firstLayout = visit.ttfl.map { Milliseconds($0) }
        result.initialLoad = visit.ttil.map { Milliseconds($0) }
        result.scrollThreadHang = visit.threadHang.map { Milliseconds($0) }
        result.additionalLoads = visit.additionalLoads
        result.richContentLoads = visit.richContentLoads
        return result
    }
}

extension RareFields {
    /// A screen line's values by metric, for a screen of `duration` ms.
    fileprivate func screenValues(duration: Double) -> [(metric: FrameMetric, value: Double?)] {
        let first = firstFPS.flatMap { $0 > 0 ? $0 : nil }
        return [
            (.hitchRatioScreen, hitchMS.map { 1_000 * $0 / duration }),
            (.hangRate, hangMS.map { 3_600 * $0 / duration }),
            (.fpsMean, frameCount.map { 1_000 * $0 / duration }),
            (.firstFPS, first), (.firstFrame, first.map { 1_000 / $0 }),
            (.fpsMin, minFPS), (.fpsMax, maxFPS),
        ]
    }
}
