import PagePerformance
import PerfgateModel

/// Collects samples by cell, and returns them independent of arrival order.
struct MeasurementBuilder {
    private struct CellKey: Hashable {
        let place: IterationTable.Place
        let metric: Int32
    }

    private struct RunCell {
        let run: String
        var samples = SampleList()
        var iterations: [Int] = []

        mutating func add(_ values: GroupedValues.Cell) {
            var place = samples.count
            samples.append(values.values, values.iterations.map { ($0.iteration, $0.count) })
            for (iteration, count, frames) in values.iterations {
                iterations.append(iteration)
                if let frames { samples.note(framesAtSixtyHertz: frames, at: place) }
                place += count
            }
        }
    }

    private let collector: LogCollector
    private var cells: [CellKey: [RunCell]] = [:]
    private var pages: [PageInEnvironment: PageMeasurement] = [:]
    private var coverages: [PageInEnvironment: [String: [Int: Double]]] = [:]
    private var silent: [PageInEnvironment: [String: Set<Int>]] = [:]
    private var environmentsOfRun: [String: Set<Int32>] = [:]
    private var runs: [Run] = []
    private var diagnostics: [Diagnostic] = []
    var traces = TraceAssembly()
    var remarks = PageRemarks()

    init(collector: LogCollector) { self.collector = collector }

    mutating func add(_ run: Run) {
        var run = run
        run.sampleCount = cells.values.reduce(0) { $0 + ($1.first { $0.run == run.id }?.samples.count ?? 0) }
        runs.append(run)
        let unknown = (environmentsOfRun[run.id] ?? []).flatMap { environment in
            collector.tables.contexts.environments[environment].fields.filter { $0.value == nil }.map(\.name)
        }
        diagnostics += Diagnostic.unknownFields(
            Set(unknown), of: run.id, path: run.streams.first?.path, advice: "write it into the run line, or give")
    }

    mutating func note(_ key: IterationTable.Key, run: String, of iteration: ShardIteration) {
        environmentsOfRun[run, default: []].insert(key.place.environment)
        let place = named(key.place)
        let names = iteration.tests.numbers.map { collector.tables.tests[$0] }
        pages[place, default: PageMeasurement()].add(names)
        pages[place]?.seconds += iteration.seconds
        let counts = iteration.measuredCounts
        pages[place]?.measured[run, default: [:]].merge([key.iteration: counts], uniquingKeysWith: +)
        if let coverage = iteration.coverage {
            // Of several shards the lowest counts.
            coverages[place, default: [:]][run, default: [:]].merge([key.iteration: coverage], uniquingKeysWith: min)
        }
        if iteration.hasSilentScroll { silent[place, default: [:]][run, default: []].insert(key.iteration) }
    }

    /// Adds the values of a shard's cell; shards come in order.
    mutating func add(_ values: GroupedValues.Cell, run: String) {
        let key = CellKey(place: values.place, metric: values.metric)
        if values.hasInfinite {
            let metric = collector.tables.metrics[key.metric].metric.id
            let message =
                "\(metric) of \(collector.tables.pages[key.place.page]) has a value that is too large to be a number."
            diagnostics.append(Diagnostic(.valueNotFinite, message + " It was left out: check what writes the log."))
        }
        var cells = self.cells.removeValue(forKey: key) ?? []
        if cells.last?.run != run { cells.append(RunCell(run: run)) }
        cells[cells.count - 1].add(values)
        self.cells[key] = cells
    }

    func measurements() -> Measurements {
        let decomposed = collector.tables.pages.decomposed.map { name in
            let message =
                "The page \(name.text) is written in decomposed Unicode (NFD). It counts as the same page as its composed "
                + "form (NFC)."
            return Diagnostic(.decomposedName, message)
        }
        let told = diagnostics + remarks.diagnostics(pages: collector.tables.pages) + decomposed
        var result = Measurements(runs: runs, pages: pages, diagnostics: told)
        result.traces = traces.traces.reduce(into: [:]) { traces, entry in
            traces[named(entry.key)] = entry.value
        }
        var leftOut: [(cell: Cell, measurement: CellMeasurement)] = []
        for (key, samples) in cells {
            let entry = collector.tables.metrics[key.metric]
            let place = named(key.place)
            let cell = Cell(page: place.page, metric: entry.metric.id, environment: place.environment)
            leftOut += result.cells.add(measurement(entry, samples, place), to: cell)
        }
        result.tell(leftOut: leftOut)
        return result
    }

    private func measurement(
        _ entry: MetricKey, _ cells: [RunCell], _ place: PageInEnvironment
    ) -> CellMeasurement {
        let runs = cells.filter { !$0.samples.isEmpty }.map { RunSamples(run: $0.run, samples: $0.samples) }
        let metric = FrameMetric(rawValue: entry.metric.id)
        return CellMeasurement(
            metric: entry.metric, counting: entry.counting, formula: entry.formula, runs: runs,
            iterations: Dictionary(cells.map { ($0.run, $0.iterations) }, uniquingKeysWith: +),
            coverages: metric?.isFromScrolls == true ? coverages[place] ?? [:] : [:],
            silentIterations: metric?.isDropCount == true ? silent[place] ?? [:] : [:])
    }

    private func named(_ place: IterationTable.Place) -> PageInEnvironment {
        PageInEnvironment(
            page: Page(collector.tables.pages[place.page]),
            environment: collector.tables.contexts.environments[place.environment])
    }
}

extension FrameMetric {
    /// Whether lines can give it without ticks.
    fileprivate var isDropCount: Bool { isFromScrolls && (unit == "frames" || unit == "events") }
}

extension PageMeasurement {
    fileprivate mutating func add(_ names: [String]) {
        guard !Set(names).isSubset(of: tests) else { return }
        tests = Set(tests + names).sorted { $0.precedesInUTF8($1) }
    }
}

extension Diagnostic {
    /// That a run doesn't say fields of its environment; none where it says all.
    /// - Parameter advice: What to do, before the options of the command line that say them.
    static func unknownFields(_ names: Set<String>, of run: String, path: String?, advice: String) -> [Diagnostic] {
        guard !names.isEmpty else { return [] }
        let sorted = names.sorted { $0.precedesInUTF8($1) }
        let flags = sorted.filter(flagged.contains).map { "--" + $0.split(separator: "_").joined(separator: "-") }
        let options = flags.isEmpty ? "it by a rule of map:" : flags.joined(separator: ", ")
        let message = "Run \(run) doesn't say its \(sorted.joined(separator: ", ")): \(advice) \(options)."
        return [Diagnostic(.unknownField, path: path, message)]
    }

    private static let flagged: Set = ["app", "app_version", "build", "device", "max_fps", "os"]
}
