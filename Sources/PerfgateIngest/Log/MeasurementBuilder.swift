import PagePerformance
import PerfgateModel

/// Collects samples by cell, and gives them in an order that doesn't depend on the order in which they came.
struct MeasurementBuilder {
    /// Where a sample belongs.
    struct Place: Hashable {
        let run: String
        let shard: String
        let page: Int32
        let environment: Int32
        let iteration: Int
    }

    private struct CellKey: Hashable {
        let page: Int32
        let environment: Int32
        let metric: Int32
    }

    private struct ShardIteration: Hashable {
        let shard: String
        let iteration: Int
    }

    private struct Samples {
        var byShard: [String: [Sample]] = [:]
        var iterations: Set<ShardIteration> = []
    }

    private struct Coverage {
        var covered = 0.0
        var total = 0.0
    }

    private let collector: LogCollector
    private var cells: [CellKey: [String: Samples]] = [:]
    private var pages: [PageInEnvironment: PageMeasurement] = [:]
    private var coverage: [PageInEnvironment: Coverage] = [:]
    private var environmentsOfRun: [String: Set<Int32>] = [:]
    private var runs: [Run] = []
    private var diagnostics: [Diagnostic] = []
    private var assumed: Set<Int32> = []

    init(collector: LogCollector) {
        self.collector = collector
    }

    mutating func add(_ run: Run) {
        var run = run
        run.sampleCount = cells.values.reduce(0) { $0 + ($1[run.id]?.byShard.values.reduce(0) { $0 + $1.count } ?? 0) }
        runs.append(run)
        let unknown = (environmentsOfRun[run.id] ?? []).flatMap { environment in
            collector.contexts.environments[Int(environment)].fields.filter { $0.value == nil }.map(\.name)
        }
        for name in Set(unknown).sorted() {
            diagnostics.append(
                Diagnostic(
                    .unknownField, path: run.streams.first?.path,
                    "Run \(run.id) doesn't say its \(name): write it into the run line, or give it as a flag."))
        }
    }

    mutating func note(_ place: Place, seconds: Double, tests: Set<Int32>) {
        environmentsOfRun[place.run, default: []].insert(place.environment)
        let known = pages[self.place(place)] ?? PageMeasurement()
        let names = Set(known.tests + tests.map { collector.tests[$0] })
        pages[self.place(place)] = PageMeasurement(
            seconds: known.seconds + seconds, tests: names.sorted { $0.precedesInUTF8($1) })
    }

    mutating func note(_ place: Place, coveredMS: Double, of totalMS: Double) {
        coverage[self.place(place), default: Coverage()].covered += coveredMS
        coverage[self.place(place), default: Coverage()].total += totalMS
    }

    mutating func add(_ value: Double, known id: String, formula: String = "1", at place: Place) {
        add(value, metric: collector.metrics.index(known: id, formula: formula), at: place)
    }

    /// Adds a sample; one that is not a number says that the metric was measured without giving a sample.
    mutating func add(_ value: Double, metric: Int32, at place: Place) {
        let key = CellKey(page: place.page, environment: place.environment, metric: metric)
        let mark = ShardIteration(shard: place.shard, iteration: place.iteration)
        cells[key, default: [:]][place.run, default: Samples()].iterations.insert(mark)
        guard value.isFinite else {
            if !value.isNaN { tellInfinite(key) }
            return
        }
        let sample = Sample(value, iteration: place.iteration)
        cells[key, default: [:]][place.run, default: Samples()].byShard[place.shard, default: []].append(sample)
    }

    private mutating func tellInfinite(_ key: CellKey) {
        let metric = collector.metrics[key.metric].metric.id
        let message = "\(metric) of \(collector.pages[key.page]) has a value that is too large to be a number."
        diagnostics.append(Diagnostic(.valueNotFinite, message + " It was left out: check what writes the log."))
    }

    mutating func add(_ visit: LogStream.Visit, at place: Place) {
        let formula = visit.formula < 0 ? "1" : collector.formulas[visit.formula]
        for metric in PageMetric.allCases where visit.visit.measures(metric) {
            add(visit.visit.sample(of: metric) ?? .nan, known: metric.rawValue, formula: formula, at: place)
        }
    }

    /// Whether a metric is one that the ticks of a screen would give.
    func isFromScreen(_ metric: Int32) -> Bool {
        let id = collector.metrics[metric].metric.id
        return FrameMetric(rawValue: id) != nil
    }

    mutating func tellAssumedScrolls(page: Int32, path: String) {
        guard assumed.insert(page).inserted else { return }
        let message =
            "Page \(collector.pages[page]) has frame drops and no scroll lines, so each scroll number seen counts as "
            + "one: write a scroll line at the end of each, so that scrolls without drops count too."
        diagnostics.append(Diagnostic(.assumedScrolls, path: path, message))
    }

    /// Everything collected, sorted.
    func measurements() -> Measurements {
        var result = Measurements(runs: runs, pages: pages, diagnostics: diagnostics)
        for (key, samples) in cells {
            let entry = collector.metrics[key.metric]
            let place = PageInEnvironment(
                page: Page(collector.pages[key.page]),
                environment: collector.contexts.environments[Int(key.environment)])
            let cell = Cell(page: place.page, metric: entry.metric.id, environment: place.environment)
            let measurement = measurement(entry, samples, place)
            guard let other = result.cells[cell] else {
                result.cells[cell] = measurement
                continue
            }
            result.cells[cell] = other.outranks(measurement) ? other : measurement
            result.diagnostics.append(
                Diagnostic(
                    .conflictingMetric,
                    "\(cell.metric) of \(cell.page) comes in several formulas, countings or units; one was kept."))
        }
        return result
    }

    private func measurement(
        _ entry: MetricTable.Key, _ samples: [String: Samples], _ place: PageInEnvironment
    ) -> CellMeasurement {
        let runs = samples.sorted { $0.key.precedesInUTF8($1.key) }.map { run, samples in
            let shards = samples.byShard.sorted { NaturalOrder.precedes($0.key, $1.key) }
            return RunSamples(run: run, samples: shards.flatMap { $0.value.sorted() })
        }
        let isAboutTicks = FrameMetric(rawValue: entry.metric.id).map { $0.isOfScrolls } ?? false
        let covered = coverage[place].map { $0.covered / $0.total }
        return CellMeasurement(
            metric: entry.metric, counting: entry.counting, formula: entry.formula,
            runs: runs.filter { !$0.samples.isEmpty }, iterations: samples.mapValues(\.iterations.count),
            coverage: isAboutTicks ? covered : nil)
    }

    private func place(_ place: Place) -> PageInEnvironment {
        PageInEnvironment(
            page: Page(collector.pages[place.page]),
            environment: collector.contexts.environments[Int(place.environment)])
    }
}

extension FrameMetric {
    /// Whether its samples come from scrolls.
    fileprivate var isOfScrolls: Bool {
        switch self {
        case .droppedFrames, .dropEvents, .droppedFramesTotal, .droppedFramesScroll, .hitchRatio, .scrollThreadHang:
            true
        default: false
        }
    }
}

extension CellMeasurement {
    /// Which of two that exclude each other is kept: the newer formula, then exact counting, then the unit's name.
    fileprivate func outranks(_ other: CellMeasurement) -> Bool {
        if formula != other.formula { return NaturalOrder.precedes(other.formula, formula) }
        if counting != other.counting { return counting == .exact }
        if metric.unit != other.metric.unit { return metric.unit.symbol.precedesInUTF8(other.metric.unit.symbol) }
        return metric.better == .lower
    }
}
