import PagePerformance
import PerfgateModel

/// Puts the parts of one shard of a run together: what they say of an iteration becomes its samples.
struct ShardAssembly {
    private let run: String
    /// The parts in their order.
    private let parts: [LogStream]
    private let collector: LogCollector
    private var keys = IterationTable()
    private var iterations: [ShardIteration] = []
    private var grouped = GroupedValues(iterations: 0, metrics: 0)
    /// The slowest visits so far, by page and environment.
    private var slowest: [IterationTable.Place: (times: VisitTimes, part: Int, visit: Int)] = [:]
    /// The numbers of the parts' iterations within the shard.
    private var numbers: [[Int32]] = []

    /// - Parameter streams: The parts, in any order.
    init(run: String, streams: [LogStream], collector: LogCollector) {
        self.run = run
        self.collector = collector
        parts = streams.sorted { NaturalOrder.precedes($0.part ?? "", $1.part ?? "") }
    }

    /// Adds the samples of every page and iteration; the streams' values are taken from them.
    mutating func add(to builder: inout MeasurementBuilder) {
        let pages = ScrollPages(parts)
        for part in parts { collect(part, pages, &builder) }
        grouped = GroupedValues(iterations: iterations.count, metrics: metricCount)
        let replaced = replacedVisits()
        countVisits(replaced)
        noteSlowest(&builder)
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
            forEachVisit(replaced) { part, _, visit, columns in
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

    /// How many metrics there are, with those of frames, which are numbered first so that there won't be more.
    private var metricCount: Int {
        for metric in FrameMetric.allCases { _ = collector.tables.metrics.index(Metric(metric)) }
        return collector.tables.metrics.keys.count
    }

    private mutating func collect(
        _ part: LogStream, _ pages: ScrollPages, _ builder: inout MeasurementBuilder
    ) {
        var numbers: [Int32] = []
        for (index, key) in part.content.iterations.keys.enumerated() {
            let (number, isNew) = keys.number(of: key)
            if isNew { iterations.append(ShardIteration()) }
            iterations[Int(number)].add(part.content.ticks.screens[index])
            iterations[Int(number)].seconds += part.content.seconds[index]
            iterations[Int(number)].tests.formUnion(part.content.tests[index])
            numbers.append(number)
        }
        // Sums of durations depend on their order in the last digit: it must not be that of the lines.
        for scroll in part.content.ticks.scrolls.sorted(by: { $0.key.number < $1.key.number }) {
            let number = Int(numbers[Int(scroll.key.iteration)])
            let page = keys.keys[number].page
            let standing = pages.standing(of: scroll.record, page: page)
            if let remark = iterations[number].add(scroll.record, standing, isEnded: pages.hasEnded(scroll.record)) {
                builder.remarks.note(remark, page: page, path: part.path)
            }
        }
        self.numbers.append(numbers)
    }

    /// Which visit: others of its page and iteration have other identifiers.
    private struct VisitKey: Hashable {
        let iteration: Int32
        let id: ContentHash
    }

    /// Gives each visit that counts to a closure, in the order of parts, with the columns that hold its values: of those of
    /// one iteration with the same identifier only the last counts, by part, then by line.
    @inline(__always)
    private func forEachVisit(
        _ replaced: [Set<Int>], _ body: (Int, Int, VisitTable.Visit, borrowing SampleColumns) -> Void
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
                body(part, index, visit, columns)
            }
        }
    }

    /// Counts the visits and their values.
    private mutating func countVisits(_ replaced: [Set<Int>]) {
        let metrics = collector.tables.pageMetrics
        var known: [(times: VisitTimes, part: Int, visit: Int)?] = []
        var places: [IterationTable.Place: Int] = [:]
        let placeNumbers = keys.keys.map { key in
            if let number = places[key.place] { return number }
            places[key.place] = known.count
            known.append(nil)
            return known.count - 1
        }
        forEachVisit(replaced) { part, index, visit, columns in
            let iteration = numbers[part][Int(visit.iteration)]
            let times = VisitTimes(visit, in: columns, metrics)
            iterations[Int(iteration)].add(visit, times)
            for position in visit.range {
                let number = grouped.number(iteration: iteration, metric: columns.numbers[position])
                grouped.count(columns.values[position], in: number)
            }
            let place = placeNumbers[Int(iteration)]
            if times.hasPhase, known[place].map({ times.isSlower(than: $0.times) }) ?? true {
                known[place] = (times, part, index)
            }
        }
        for (place, number) in places { slowest[place] = known[number] }
    }

    /// Tells of the slowest visit of each page.
    private func noteSlowest(_ builder: inout MeasurementBuilder) {
        for (_, found) in slowest {
            let stream = parts[found.part]
            let visit = stream.content.visits.visits[found.visit]
            builder.traces.note(
                found.times, of: visit, in: stream, keys.keys[Int(numbers[found.part][Int(visit.iteration)])], run: run,
                collector.tables.pageMetrics)
        }
    }

    /// The visits of each part that a later part tells again, by their indices.
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

    /// Groups the values that lines give as they stand; where a screen has ticks, they tell its frames.
    private mutating func groupPoints(_ builder: inout MeasurementBuilder) {
        for (part, stream) in parts.enumerated() {
            for (position, iteration) in stream.content.points.iterations.enumerated() {
                let number = numbers[part][Int(iteration)]
                let metric = stream.content.points.samples.numbers[position]
                let value = stream.content.points.samples.values[position]
                let isTold = isTold(metric, value, by: Int(number), stream.path, &builder)
                iterations[Int(number)].hasPoints = true
                stream.content.points.samples.numbers[position] =
                    isTold ? -1 : grouped.number(iteration: number, metric: metric)
            }
        }
    }

    /// Whether the ticks of an iteration tell a metric that a line gives too; they may disagree.
    private mutating func isTold(
        _ metric: Int32, _ value: Double, by iteration: Int, _ path: String, _ builder: inout MeasurementBuilder
    ) -> Bool {
        guard let metric = collector.tables.frameMetric(metric), iterations[iteration].tellsByTicks(metric) else {
            return false
        }
        if iterations[iteration].differs(value, from: metric) {
            builder.remarks.note(
                .otherValue(metric: metric.rawValue), page: keys.keys[iteration].page, path: path)
        }
        return true
    }

    private mutating func note(_ number: Int, _ frames: inout SampleColumns, _ builder: inout MeasurementBuilder) {
        let iteration = iterations[number]
        let key = keys.keys[number]
        builder.note(key, run: run, of: iteration)
        if let coverage = iteration.coverage { builder.note(key, run: run, coverage: coverage) }
        if iteration.hasSilentScroll { builder.note(silent: key, run: run) }
        remark(on: iteration, page: key.page, &builder)
        for metric in FrameMetric.allCases where !(metric == .scrollThreadHang && iteration.visitHang != nil) {
            guard let value = iteration.value(of: metric) else { continue }
            let index = collector.tables.metrics.index(Metric(metric))
            let group = grouped.number(iteration: Int32(number), metric: index)
            frames.append(group, value)
            if value > 0, let lost = iteration.scrolls.framesAtSixtyHertz(of: metric) {
                grouped.note(framesAtSixtyHertz: lost, of: group)
            }
        }
    }

    private func remark(on iteration: ShardIteration, page: Int32, _ builder: inout MeasurementBuilder) {
        let path = parts.first?.path ?? ""
        let skipped = iteration.screen.skippedPairs
        if skipped > 0 { builder.remarks.note(.skippedPairs, page: page, path: path, count: skipped) }
        if let hang = iteration.visitHang, iteration.differs(hang, from: .scrollThreadHang) {
            builder.remarks.note(.otherHang, page: page, path: path)
        }
    }
}

/// Everything that a shard says of one page in one iteration, beside values that stand as they are.
struct ShardIteration {
    /// The sums over all ticks.
    private(set) var screen = ScreenFrames()
    /// The ticks of the first part that has a pair of them: clocks of different launches can't be compared.
    private var firstScreen: ScreenFrames?
    /// How much of a screen's life the ticks of its scrolls cover.
    private var scrolled = Nanoseconds(0)
    /// The metrics of the whole screen that lines of their own tell, since ticks are there of its scrolls only.
    private(set) var metricsOfLines: Set<FrameMetric> = []
    /// The sums over the scrolls.
    private(set) var scrolls = IterationScrolls()
    /// The least share of a scroll that its ticks cover, from 0 to 1; `nil` where no scroll that ticks cover or should
    /// says how long it lasted.
    private(set) var coverage: Double?
    /// Its scrolls and visits.
    private var counts = MeasuredCounts()
    /// The additional loads, and loads of rich content, of visits that loaded.
    private var additionalLoads = 0, richContentLoads = 0
    /// Whether lines gave values as they stand, if only that there are none.
    var hasPoints = false
    /// Whether a scroll that took time came without ticks and without lines that tell its drops.
    private(set) var hasSilentScroll = false
    /// How long scrolls, screens and visits lasted.
    var seconds = 0.0
    var tests = TestSet()
    /// The scroll thread hang that visits say in ms, which is then not taken from ticks; `nil` where none does.
    private(set) var visitHang: Double?

    /// Adds the ticks of a part; parts come in their order.
    mutating func add(_ other: ScreenFrames) {
        screen.merge(other)
        if firstScreen == nil, other.pairs > 0 { firstScreen = other }
    }

    /// Adds a visit, whose values are added by themselves.
    mutating func add(_ visit: VisitTable.Visit, _ times: VisitTimes) {
        seconds += visit.seconds
        switch visit.ending.outcome {
        case .loaded:
            counts.visits.loaded += 1
            // Loads count where their times do.
            additionalLoads += Int(visit.ending.additionalLoads)
            richContentLoads += Int(visit.ending.richContentLoads)
        case .error: counts.visits.error += 1
        case .abandoned: counts.visits.abandoned += 1
        case nil: counts.unfinished.visits += 1
        }
        if let hang = times.threadHang { visitHang = (visitHang ?? 0) + hang }
    }

    /// Whether ticks tell a metric that a line tells too: of the whole screen only where there are some outside of its
    /// scrolls.
    mutating func tellsByTicks(_ metric: FrameMetric) -> Bool {
        guard screen.pairs > 0 else { return false }
        guard !metric.isFromScrolls, screen.duration == scrolled else { return true }
        metricsOfLines.insert(metric)
        return false
    }

    /// Whether a value of a metric is another than that of the ticks, by more than rounding explains.
    func differs(_ value: Double, from metric: FrameMetric) -> Bool {
        guard let own = self.value(of: metric), value.isFinite else { return false }
        return abs(value - own) > 0.1 + 0.01 * max(abs(value), abs(own))
    }

    /// The sample that the ticks and scrolls give for a metric; `nil` without one, and where lines of its own give it.
    func value(of metric: FrameMetric) -> Double? {
        guard !metricsOfLines.contains(metric) else { return nil }
        return switch metric {
        case .firstFPS, .firstFrame: firstScreen?.value(of: metric)
        case .droppedFrames, .dropEvents, .droppedFramesTotal, .droppedFramesScroll, .hitchRatio, .scrollThreadHang,
            .hitchRatioScreen, .hangRate, .fpsMean, .fpsMin, .fpsMax:
            scrolls.value(of: metric) ?? screen.value(of: metric)
        }
    }

    /// How much was measured; no iteration where all that began went on.
    var measuredCounts: MeasuredCounts {
        let isMeasured =
            counts.scrolls > 0 || counts.visits.total > 0 || hasPoints || screen.pairs > 0 && screen.duration > scrolled
        var result = counts
        result.iterations = isMeasured ? 1 : 0
        if additionalLoads > 0 { result.entries[PageMetric.alt.rawValue] = additionalLoads }
        if richContentLoads > 0 { result.entries[PageMetric.rclt.rawValue] = richContentLoads }
        return result
    }

    /// Adds a scroll as far as it counts, and gives what is to be said of it.
    mutating func add(
        _ scroll: LoggedScroll, _ standing: ScrollPages.Standing, isEnded: Bool
    ) -> PageRemarks.Remark? {
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

    /// Notes how much of a scroll its ticks cover, where it says how long it lasted.
    private mutating func cover(_ scroll: LoggedScroll) {
        guard let duration = scroll.duration, duration > 0 else { return }
        let covered = Milliseconds(scroll.frames.duration).value
        let edges = Self.edges(of: scroll.frames)
        let share = scroll.frames.pairs > 0 || duration <= edges ? min(1, (covered + edges) / duration) : 0
        coverage = min(coverage ?? 1, share)
    }

    /// How long the frames at both ends of a scroll may be in ms, which begins and ends between two of them: as long as
    /// its frames are on average, and a thirtieth of a second at most; without two ticks as long as at 60 Hz.
    private static func edges(of frames: ScrollFrames) -> Double {
        guard frames.pairs > 0 else { return 2_000 / 60 }
        return 2 * min(Milliseconds(frames.duration).value / Double(frames.pairs), 1_000 / 30)
    }
}
