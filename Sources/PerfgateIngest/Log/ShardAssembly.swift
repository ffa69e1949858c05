import PagePerformance
import PerfgateModel

/// Assembles the parts of one shard of a run: the content of an iteration becomes its samples.
struct ShardAssembly {
    private let run: String
    private let parts: [LogStream]
    private let collector: LogCollector
    private var keys = IterationTable()
    private var iterations: [ShardIteration] = []
    private var grouped = GroupedValues(iterations: 0, metrics: 0)
    /// The numbers of the parts' iterations within the shard.
    private var numbers: [[Int32]] = []

    /// - Parameter streams: The parts, in any order.
    init(run: String, streams: [LogStream], collector: LogCollector) {
        (self.run, self.collector) = (run, collector)
        parts = streams.sorted { NaturalOrder.precedes($0.facts.part ?? "", $1.facts.part ?? "") }
    }

    /// Adds the samples of every page and iteration; the streams' values are moved out.
    mutating func add(to builder: inout MeasurementBuilder) {
        let pages = ScrollPages(parts)
        for part in parts { collect(part, pages, &builder) }
        grouped = GroupedValues(iterations: iterations.count, metrics: metricCount)
        let replaced = replacedVisits()
        countVisits(replaced, &builder)
        groupPoints(&builder)
        var frames = SampleColumns()
        for number in iterations.indices { note(number, &frames, &builder) }
        let others = parts.map(\.content.points.samples) + [frames]
        for columns in others {
            for (number, value) in zip(columns.numbers, columns.values) where number >= 0 {
                grouped.count(value, in: number)
            }
        }
        grouped.arrange(keys.keys)
        let groups = grouped
        var filled = grouped
        filled.put { put in
            forEachVisit(replaced) { part, visit, columns in
                let iteration = numbers[part][Int(visit.iteration)]
                for position in visit.range {
                    put(columns.values[position], groups.known(iteration: iteration, metric: columns.numbers[position]))
                }
            }
            for columns in others {
                for (number, value) in zip(columns.numbers, columns.values) where number >= 0 { put(value, number) }
            }
        }
        for part in parts {
            builder.traces.note(framesOf: part, pages, run: run)
            part.content.dropValues()
        }
        for cell in filled.cells(keys.keys) { builder.add(cell, run: run) }
    }

    /// The number of metrics, with frame metrics numbered first, so no more are added later.
    private var metricCount: Int {
        for metric in FrameMetric.allCases {
            _ = collector.tables.metrics.number(of: MetricKey(metric: Metric(metric)))
        }
        return collector.tables.metrics.elements.count
    }

    private mutating func collect(_ part: LogStream, _ pages: ScrollPages, _ builder: inout MeasurementBuilder) {
        var numbers: [Int32] = []
        for (index, key) in part.content.iterations.keys.enumerated() {
            let (number, isNew) = keys.number(of: key)
            if isNew { iterations.append(ShardIteration()) }
            iterations[Int(number)].add(part.content.ticks.screens[index])
            iterations[Int(number)].seconds += part.content.seconds[index]
            iterations[Int(number)].tests.formUnion(part.content.tests[index])
            numbers.append(number)
        }
        // The last digit of duration sums depends on their order, which must not be the lines' order.
        for scroll in part.content.ticks.scrolls.sorted(by: { $0.key.number < $1.key.number }) {
            let number = Int(numbers[Int(scroll.key.iteration)])
            let page = keys.keys[number].place.page
            let standing = pages.standing(of: scroll.record, page: page)
            if let remark = iterations[number].add(scroll.record, standing, isEnded: pages.hasEnded(scroll.record)) {
                builder.remarks.note(remark, page: page, path: part.facts.path)
            }
        }
        self.numbers.append(numbers)
    }

    private struct VisitKey: Hashable {
        let iteration: Int32
        let id: ContentHash
    }

    /// Passes each counted visit to a closure, in part order, with the columns of its values: of visits in one
    /// iteration with the same identifier only the last counts, by part, then by line.
    @inline(__always) private func forEachVisit(
        _ replaced: [Set<Int>], _ body: (Int, VisitTable.Visit, borrowing SampleColumns) -> Void
    ) {
        for (part, stream) in parts.enumerated() {
            let visits = stream.content.visits
            var columns = SampleColumns()
            var block: Int32 = -1
            for index in 0..<visits.visits.count {
                if !replaced[part].isEmpty, replaced[part].contains(index) { continue }
                let visit = visits.visits[index]
                if visit.place.block != block {
                    block = visit.place.block
                    columns = visits.samples[block]
                }
                body(part, visit, columns)
            }
        }
    }

    /// Counts the values of visits, and traces the slowest visit of each page.
    private mutating func countVisits(_ replaced: [Set<Int>], _ builder: inout MeasurementBuilder) {
        let metrics = collector.tables.pageMetrics
        var places = NumberedList<IterationTable.Place>()
        let placeNumbers = keys.keys.map { Int(places.number(of: $0.place)) }
        var slowest: [(times: VisitTimes, part: Int, visit: VisitTable.Visit)?] = places.elements.map { _ in nil }
        forEachVisit(replaced) { part, visit, columns in
            let iteration = numbers[part][Int(visit.iteration)]
            let times = VisitTimes(visit, in: columns, metrics)
            iterations[Int(iteration)].add(visit, times)
            for position in visit.range {
                let number = grouped.number(iteration: iteration, metric: columns.numbers[position])
                grouped.count(columns.values[position], in: number)
            }
            let place = placeNumbers[Int(iteration)]
            if times.hasPhase, slowest[place].map({ times.isSlower(than: $0.times) }) ?? true {
                slowest[place] = (times, part, visit)
            }
        }
        for case (let times, let part, let visit)? in slowest {
            let key = keys.keys[Int(numbers[part][Int(visit.iteration)])]
            builder.traces.note(times, of: visit, in: parts[part], key, run: run, metrics)
        }
    }

    /// The visits of each part that a later part repeats, by index.
    private func replacedVisits() -> [Set<Int>] {
        var replaced = [Set<Int>](repeating: [], count: parts.count)
        guard parts.count > 1 else { return replaced }
        var known: [VisitKey: (part: Int, index: Int)] = [:]
        for (part, stream) in parts.enumerated() {
            for index in 0..<stream.content.visits.visits.count {
                let visit = stream.content.visits.visits[index]
                guard let id = visit.id else { continue }
                let key = VisitKey(iteration: numbers[part][Int(visit.iteration)], id: id)
                if let earlier = known.updateValue((part, index), forKey: key) {
                    replaced[earlier.part].insert(earlier.index)
                }
            }
        }
        return replaced
    }

    /// Groups the direct values of lines; if a screen has ticks, they give its frames.
    private mutating func groupPoints(_ builder: inout MeasurementBuilder) {
        for (part, stream) in parts.enumerated() {
            for (position, iteration) in stream.content.points.iterations.enumerated() {
                let number = numbers[part][Int(iteration)]
                let metric = stream.content.points.samples.numbers[position]
                let value = stream.content.points.samples.values[position]
                let isRepeated = isRepeated(metric, value, by: Int(number), stream.facts.path, &builder)
                iterations[Int(number)].hasPoints = true
                stream.content.points.samples.numbers[position] =
                    isRepeated ? -1 : grouped.number(iteration: number, metric: metric)
            }
        }
    }

    /// Whether the ticks of an iteration give a metric that a line gives too; they may disagree.
    private mutating func isRepeated(
        _ metric: Int32, _ value: Double, by iteration: Int, _ path: String, _ builder: inout MeasurementBuilder
    ) -> Bool {
        guard let metric = collector.tables.frameMetric(metric), iterations[iteration].tellsByTicks(metric) else {
            return false
        }
        if iterations[iteration].differs(value, from: metric) {
            builder.remarks.note(
                .otherValue(metric: metric.rawValue), page: keys.keys[iteration].place.page, path: path)
        }
        return true
    }

    private mutating func note(_ number: Int, _ frames: inout SampleColumns, _ builder: inout MeasurementBuilder) {
        let iteration = iterations[number]
        let key = keys.keys[number]
        builder.note(key, run: run, of: iteration)
        remark(on: iteration, page: key.place.page, &builder)
        for metric in FrameMetric.allCases where !(metric == .scrollThreadHang && iteration.visitHang != nil) {
            guard let value = iteration.value(of: metric) else { continue }
            let index = collector.tables.metrics.number(of: MetricKey(metric: Metric(metric)))
            let group = grouped.number(iteration: Int32(number), metric: index)
            frames.append(group, value)
            if value > 0, let lost = iteration.scrolls.framesAtSixtyHertz(of: metric) {
                grouped.note(framesAtSixtyHertz: lost, of: group)
            }
        }
    }

    private func remark(on iteration: ShardIteration, page: Int32, _ builder: inout MeasurementBuilder) {
        let path = parts.first?.facts.path ?? ""
        let skipped = iteration.screen.skippedPairs
        if skipped > 0 { builder.remarks.note(.skippedPairs, page: page, path: path, count: skipped) }
        let inactive = iteration.inactiveVisits
        if inactive > 0 { builder.remarks.note(.inactiveVisits, page: page, path: path, count: inactive) }
        if let hang = iteration.visitHang, iteration.differs(hang, from: .scrollThreadHang) {
            builder.remarks.note(.otherHang, page: page, path: path)
        }
    }
}

/// The content of a shard for one page in one iteration, except direct values.
struct ShardIteration {
    private(set) var screen = ScreenFrames()
    /// The ticks of the first part with a pair: clocks of different launches aren't comparable.
    private var firstScreen: ScreenFrames?
    /// The part of a screen's duration that the ticks of its scrolls cover.
    private var scrolled = Nanoseconds(0)
    /// The whole-screen metrics that lines give, because there are only ticks of its scrolls.
    private(set) var metricsOfLines: Set<FrameMetric> = []
    private(set) var scrolls = IterationScrolls()
    /// The lowest tick coverage of a scroll, from 0 to 1; `nil` if no scroll with (expected) ticks has a duration.
    private(set) var coverage: Double?
    private var counts = MeasuredCounts()
    private var additionalLoads = 0, richContentLoads = 0
    /// Whether lines gave direct values, possibly empty lists.
    var hasPoints = false
    /// Whether a scroll with a duration has neither ticks nor drop lines.
    private(set) var hasSilentScroll = false
    /// The total duration of scrolls, screens and visits.
    var seconds = 0.0
    var tests = TestSet()
    /// The scroll thread hang of visits in ms, which replaces that of ticks; `nil` without one.
    private(set) var visitHang: Double?

    /// Adds the ticks of a part; parts come in order.
    mutating func add(_ other: ScreenFrames) {
        screen.merge(other)
        if firstScreen == nil, other.pairs > 0 { firstScreen = other }
    }

    mutating func add(_ visit: VisitTable.Visit, _ times: VisitTimes) {
        seconds += visit.seconds
        switch visit.ending.outcome {
        case .loaded:
            counts.visits.loaded += 1
            // Loads count if their times do.
            additionalLoads += Int(visit.ending.additionalLoads)
            richContentLoads += Int(visit.ending.richContentLoads)
        case .error: counts.visits.error += 1
        case .abandoned: counts.visits.abandoned += 1
        case nil where visit.ending.isInactive: counts.unfinished.inactive += 1
        case nil: counts.unfinished.visits += 1
        }
        if let hang = times.threadHang { visitHang = (visitHang ?? 0) + hang }
    }

    /// Whether ticks give a metric that a line gives too: for the whole screen only with ticks outside of its scrolls.
    mutating func tellsByTicks(_ metric: FrameMetric) -> Bool {
        guard screen.pairs > 0 else { return false }
        guard !metric.isFromScrolls, screen.duration == scrolled else { return true }
        metricsOfLines.insert(metric)
        return false
    }

    /// Whether a value of a metric differs from the ticks' value by more than rounding.
    func differs(_ value: Double, from metric: FrameMetric) -> Bool {
        guard let own = self.value(of: metric), value.isFinite else { return false }
        return abs(value - own) > 0.1 + 0.01 * max(abs(value), abs(own))
    }

    /// The sample of ticks and scrolls for a metric; `nil` without one, or if lines give it.
    func value(of metric: FrameMetric) -> Double? {
        guard !metricsOfLines.contains(metric) else { return nil }
        return switch metric {
        case .firstFPS, .firstFrame: firstScreen?.value(of: metric)
        case .droppedFrames, .dropEvents, .droppedFramesTotal, .droppedFramesScroll, .hitchRatio, .scrollThreadHang,
            .hitchRatioScreen, .hangRate, .fpsMean, .fpsMin, .fpsMax:
            scrolls.value(of: metric) ?? screen.value(of: metric)
        }
    }

    var inactiveVisits: Int { counts.unfinished.inactive }

    /// The measured amounts; no iteration if nothing in it ended.
    var measuredCounts: MeasuredCounts {
        let isMeasured =
            counts.scrolls > 0 || counts.visits.total > 0 || hasPoints || screen.pairs > 0 && screen.duration > scrolled
        var result = counts
        result.iterations = isMeasured ? 1 : 0
        if additionalLoads > 0 { result.entries[PageMetric.alt.rawValue] = additionalLoads }
        if richContentLoads > 0 { result.entries[PageMetric.rclt.rawValue] = richContentLoads }
        return result
    }

    /// Adds a scroll as far as it counts, and returns a remark about it.
    mutating func add(_ scroll: LoggedScroll, _ standing: ScrollPages.Standing, isEnded: Bool) -> PageRemarks.Remark? {
        if standing == .open || !isEnded {
            counts.unfinished.scrolls += 1
        } else {
            counts.scrolls += 1
            counts.scrollMS += scroll.duration ?? 0
        }
        switch standing {
        case .byTicks:
            scrolls.add(scroll.frames)
            scrolled += scroll.frames.duration
            cover(scroll)
            return scroll.hasOtherDrops
                ? .otherDrops : scroll.hasOtherSums ? .otherSums : isEnded ? nil : .unfinishedScroll
        case .byLines:
            if !scroll.tellsDrops, let duration = scroll.duration, duration > 0 { hasSilentScroll = true }
            scrolls.add(scroll.drops, scroll.sums)
            return scroll.duration == nil ? .assumedScrolls : nil
        case .unmeasured:
            cover(scroll)
            return nil
        case .open: return .openScroll
        }
    }

    /// Records the tick coverage of a scroll with a duration.
    private mutating func cover(_ scroll: LoggedScroll) {
        guard let duration = scroll.duration, duration > 0 else { return }
        let covered = Milliseconds(scroll.frames.duration).value
        let edges = Self.edges(of: scroll.frames)
        let share = scroll.frames.pairs > 0 || duration <= edges ? min(1, (covered + edges) / duration) : 0
        coverage = min(coverage ?? 1, share)
    }

    /// The allowance in ms for the frames at both ends of a scroll, which starts and ends between frames: its average
    /// frame duration, at most a thirtieth of a second; without two ticks the duration at 60 Hz.
    private static func edges(of frames: ScrollFrames) -> Double {
        guard frames.pairs > 0 else { return 2_000 / 60 }
        return 2 * min(Milliseconds(frames.duration).value / Double(frames.pairs), 1_000 / 30)
    }
}
