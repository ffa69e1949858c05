import PagePerformance
import PerfgateModel

/// Assembles the streams of all logs: streams to runs, and the content of iterations to samples.
struct LogAssembly {
    let collector: LogCollector

    /// The measurements; streams may be in any order, and their values are moved out.
    func measurements() -> Measurements {
        let (streams, diagnostics) = LogStream.distinct(collector.streams)
        var builder = MeasurementBuilder(collector: collector)
        let runs = Dictionary(grouping: streams, by: \.identity.run)
        for (run, streams) in runs.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            let shards = Dictionary(grouping: streams, by: \.identity.shard)
            for (_, streams) in shards.sorted(by: { NaturalOrder.precedes($0.key, $1.key) }) {
                var assembly = ShardAssembly(run: run, streams: streams, collector: collector)
                assembly.add(to: &builder)
            }
            builder.add(self.run(run, streams))
        }
        var measurements = builder.measurements()
        measurements.diagnostics += collector.diagnostics.diagnostics + diagnostics + streams.compactMap(\.conversion)
        if let diagnostic = nothingSelected { measurements.diagnostics.append(diagnostic) }
        measurements.diagnostics.sort()
        return measurements
    }

    private func run(_ id: String, _ streams: [LogStream]) -> Run {
        let ordered = streams.sorted { $0.identity < $1.identity }
        let bad = ordered.reduce(0) { $0 + $1.badLines.count }
        let streams = ordered.map { stream($0, areBadLinesFaults: bad > collector.options.badLines) }
        return Run(id: id, context: streams.first?.context ?? Context(), streams: streams)
    }

    private func stream(_ stream: LogStream, areBadLinesFaults: Bool) -> Run.Stream {
        var result = stream.facts
        result.context = collector.tables.contexts.contexts[Int(stream.context)]
        if areBadLinesFaults { result.faults = stream.unreadableLines + result.faults }
        let context = collector.tables.contexts.entries[Int(stream.context)]
        if stream.isSilent, context.isTaken {
            result.silentEnvironment = collector.tables.contexts.environments[context.environment]
        }
        result.states = stream.content.states
        return result
    }

    /// A diagnostic if there are lines, but none meets the conditions of the command line; else `nil`.
    private var nothingSelected: Diagnostic? {
        guard collector.tables.hasMeasurement, !collector.tables.hasTakenMeasurement else { return nil }
        let wanted = collector.options.conditions.map { "\($0.field)=\($0.value)" }.joined(separator: ", ")
        let found = collector.options.conditions.map { condition in
            let values = Set(collector.tables.contexts.contexts.compactMap { $0.text(condition.field) })
            let list = values.sorted { $0.precedesInUTF8($1) }.joined(separator: ", ")
            return "\(condition.field): \(list.isEmpty ? "unknown" : list)"
        }
        return Diagnostic(
            .nothingSelected,
            "No line has \(wanted) (--where), so nothing was used. The logs have \(found.joined(separator: "; ")).")
    }
}

extension LogStream {
    /// Whether a `run` line opens it and none of its lines measures a page.
    fileprivate var isSilent: Bool {
        runID != nil && !isIgnored && !content.hasLeftOut && content.iterations.keys.isEmpty
    }

    /// A diagnostic about converted counts of dropped frames; `nil` without any.
    fileprivate var conversion: Diagnostic? {
        guard content.convertedDrops > 0 else { return nil }
        let message =
            "Frame drops of a recorder that logs a drop of n frames as n + 1 (the counting `published`): "
            + "\(content.convertedDrops). One was subtracted from each."
        return Diagnostic(.convertedCounting, path: facts.path, message)
    }

    /// The unreadable lines as a fault; empty without any.
    fileprivate var unreadableLines: [String] {
        guard let first = badLines.first else { return [] }
        return [
            badLines.count == 1
                ? "Line \(first) can't be read." : "\(badLines.count) lines can't be read, the first is line \(first)."
        ]
    }
}

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
        pages[place, default: PageMeasurement()].add(names, iteration, key.iteration, run)
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
            let page = collector.tables.pages[key.place.page]
            let message = "\(metric) of \(page) has a value that is too large to be a number. It was left out: "
            diagnostics.append(Diagnostic(.valueNotFinite, message + "check what writes the log."))
        }
        Self.add(values, run, to: &cells[key, default: []])
    }

    private static func add(_ values: GroupedValues.Cell, _ run: String, to cells: inout [RunCell]) {
        if cells.last?.run != run { cells.append(RunCell(run: run)) }
        cells[cells.count - 1].add(values)
    }

    func measurements() -> Measurements {
        let decomposed = collector.tables.pages.decomposed.map { name in
            Diagnostic(
                .decomposedName,
                "The page \(name.text) is written in decomposed Unicode (NFD). It counts as the same page as its composed "
                    + "form (NFC).")
        }
        let told = diagnostics + remarks.diagnostics(pages: collector.tables.pages) + decomposed
        var result = Measurements(runs: runs, pages: pages, diagnostics: told)
        result.traces = traces.traces.reduce(into: [:]) { $0[named($1.key)] = $1.value }
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

    private func measurement(_ entry: MetricKey, _ cells: [RunCell], _ place: PageInEnvironment) -> CellMeasurement {
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
    fileprivate mutating func add(_ names: [String], _ iteration: ShardIteration, _ number: Int, _ run: String) {
        seconds += iteration.seconds
        measured[run, default: [:]].merge([number: iteration.measuredCounts], uniquingKeysWith: +)
        if !Set(names).isSubset(of: tests) { tests = Set(tests + names).sorted { $0.precedesInUTF8($1) } }
    }
}

extension Diagnostic {
    /// That a run doesn't say fields of its environment; none if it says all.
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

/// The common state of all logs of a call: their names and streams.
final class LogCollector {
    let options: IngestOptions
    /// The names; a reader owns them while it processes a chunk.
    var tables: LogTables
    private(set) var streams: [LogStream] = []
    var diagnostics = DiagnosticLog()
    let readers: ChunkReaders<ChunkReader>

    init(options: IngestOptions) {
        self.options = options
        tables = LogTables(options: options)
        readers = ChunkReaders { [known = options.known] in ChunkReader(known) }
    }

    func add(_ stream: LogStream) { streams.append(stream) }
}

/// One stream of lines: a launch of the app, or a shard, of a run.
final class LogStream {
    /// What its lines say of it, except its context and its states.
    var facts: Run.Stream
    let runID: String?
    var context: Int32
    let expectsEnd: Bool
    var isEnded = false
    /// Whether its lines have an unsupported version.
    var isIgnored = false
    var badLines: [Int] = []
    var content = StreamContent()

    init(_ facts: Run.Stream, runID: String? = nil, context: Int32 = ContextTable.empty, expectsEnd: Bool = false) {
        (self.facts, self.runID, self.context, self.expectsEnd) = (facts, runID, context, expectsEnd)
    }
}
