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
    private var grouped = GroupedValues()
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
        let closing = pagesThatCloseScrolls
        for part in parts { collect(part, closing, &builder) }
        groupVisits()
        groupPoints()
        var frames = SampleColumns()
        for number in iterations.indices { note(number, &frames, &builder) }
        grouped.take(parts.flatMap { [$0.content.visits.samples, $0.content.points.samples] } + [frames])
        for part in parts { part.content.dropValues() }
        builder.add(grouped, keys.keys, run: run)
    }

    /// The pages where scrolls are closed by lines or measured by ticks; elsewhere each number seen is a scroll.
    private var pagesThatCloseScrolls: Set<Int32> {
        var pages: Set<Int32> = []
        for part in parts {
            for scroll in part.content.ticks.scrolls where scroll.record.hasTicks || scroll.record.duration != nil {
                pages.insert(part.content.iterations.keys[Int(scroll.key.iteration)].page)
            }
        }
        return pages
    }

    private mutating func collect(_ part: LogStream, _ closing: Set<Int32>, _ builder: inout MeasurementBuilder) {
        var numbers: [Int32] = []
        for (index, key) in part.content.iterations.keys.enumerated() {
            let (number, isNew) = keys.number(of: key)
            if isNew { iterations.append(ShardIteration()) }
            iterations[Int(number)].screen.merge(part.content.ticks.screens[index])
            iterations[Int(number)].seconds += part.content.seconds[index]
            iterations[Int(number)].tests.formUnion(part.content.tests[index])
            numbers.append(number)
        }
        // Sums of durations depend on their order in the last digit: it must not be that of the lines.
        for scroll in part.content.ticks.scrolls.sorted(by: { $0.key.number < $1.key.number }) {
            let number = Int(numbers[Int(scroll.key.iteration)])
            let page = keys.keys[number].page
            if iterations[number].add(scroll.record, isAssumed: !closing.contains(page)) {
                builder.tellAssumedScrolls(page: page, path: part.path)
            }
        }
        self.numbers.append(numbers)
    }

    /// Groups the values of visits: of those with the same identifier only the last counts, by part, then by line.
    private mutating func groupVisits() {
        let replaced = replacedVisits()
        for (part, stream) in parts.enumerated() {
            var groups = [Int32](repeating: -1, count: stream.content.visits.samples.count)
            for (index, visit) in stream.content.visits.visits.enumerated() where !replaced[part].contains(index) {
                let iteration = numbers[part][Int(visit.iteration)]
                iterations[Int(iteration)].seconds += visit.seconds
                for position in visit.range {
                    let metric = stream.content.visits.samples.numbers[position]
                    if collector.tables.isVisitHang(metric) { iterations[Int(iteration)].hasVisitHang = true }
                    groups[position] = grouped.number(of: GroupedValues.Group(iteration: iteration, metric: metric))
                }
            }
            stream.content.visits.samples.numbers = groups
        }
    }

    /// The visits of each part that a later part tells again, by their indices.
    private func replacedVisits() -> [Set<Int>] {
        var replaced = [Set<Int>](repeating: [], count: parts.count)
        guard parts.count > 1 else { return replaced }
        var known: [ContentHash: (part: Int, index: Int)] = [:]
        for (part, stream) in parts.enumerated() {
            for (index, visit) in stream.content.visits.visits.enumerated() {
                guard let id = visit.id else { continue }
                if let earlier = known.updateValue((part, index), forKey: id) {
                    replaced[earlier.part].insert(earlier.index)
                }
            }
        }
        return replaced
    }

    /// Groups the values that lines give as they stand; where a screen has ticks, they tell its frames.
    private mutating func groupPoints() {
        for (part, stream) in parts.enumerated() {
            for (position, iteration) in stream.content.points.iterations.enumerated() {
                let number = numbers[part][Int(iteration)]
                let metric = stream.content.points.samples.numbers[position]
                let isTold = iterations[Int(number)].screen.pairs > 0 && collector.tables.isFromFrames(metric)
                stream.content.points.samples.numbers[position] =
                    isTold ? -1 : grouped.number(of: GroupedValues.Group(iteration: number, metric: metric))
            }
        }
    }

    private mutating func note(_ number: Int, _ frames: inout SampleColumns, _ builder: inout MeasurementBuilder) {
        let iteration = iterations[number]
        let key = keys.keys[number]
        builder.note(key, run: run, seconds: iteration.seconds, tests: iteration.tests)
        if iteration.scrollMS > 0 { builder.note(key, coveredMS: iteration.coveredMS, of: iteration.scrollMS) }
        for metric in FrameMetric.allCases where !(metric == .scrollThreadHang && iteration.hasVisitHang) {
            guard let value = iteration.scrolls.value(of: metric) ?? iteration.screen.value(of: metric) else {
                continue
            }
            let metric = collector.tables.metrics.index(known: metric.rawValue)
            frames.append(grouped.number(of: GroupedValues.Group(iteration: Int32(number), metric: metric)), value)
        }
    }
}
