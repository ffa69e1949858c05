import PagePerformance
import PerfgateJSON
import PerfgateModel

/// Reads one perfgate log, whose bytes come in chunks.
final class LogReader {
    private let collector: LogCollector
    private var lines = JSONLines()
    private var interpreter: LineInterpreter

    init(path: String, collector: LogCollector) {
        self.collector = collector
        interpreter = LineInterpreter(path: path, collector: collector)
    }

    /// Whether any line that isn't blank was there.
    var hasLines: Bool { !interpreter.isAtStart }

    /// Takes the next bytes.
    func read(_ chunk: UnsafeRawBufferPointer) {
        // Passed once a chunk: the exclusive access to each of them would otherwise be checked with every line.
        Self.read(chunk, &lines, &interpreter, &collector.tables)
    }

    /// Says that the file is at its end.
    func finish(isTruncated: Bool = false) {
        Self.finish(&lines, &interpreter, &collector.tables)
        interpreter.finish(isTruncated: isTruncated)
    }

    private static func read(
        _ chunk: UnsafeRawBufferPointer, _ lines: inout JSONLines, _ interpreter: inout LineInterpreter,
        _ tables: inout LogTables
    ) {
        lines.append(chunk) { interpreter.take($0, &tables) }
    }

    private static func finish(
        _ lines: inout JSONLines, _ interpreter: inout LineInterpreter, _ tables: inout LogTables
    ) {
        lines.finish { interpreter.take($0, &tables) }
    }
}

/// What all logs of one call have in common: the names they use, and the streams they hold.
final class LogCollector {
    let options: IngestOptions
    /// The names; a reader holds them for itself while it takes a chunk.
    var tables: LogTables
    var streams: [LogStream] = []
    var diagnostics = DiagnosticLog()

    init(options: IngestOptions) {
        self.options = options
        tables = LogTables(options: options)
    }
}

/// What one stream of lines says: a launch of the app, or a shard, of a run.
final class LogStream {
    let path: String
    /// The line that opens it, from 1; `nil` where none does.
    let line: Int?
    let runID: String?
    let part: String?
    let shard: String?
    let context: Int32
    let expectsEnd: Bool
    /// How many iterations the line that opens it says the run has.
    var iterations: Int?
    /// How many parts that line says the shard has.
    var parts: Int?

    /// What the line that opens it says of the device beside the context.
    var start = RunState()
    var isEnded = false
    /// Whether its lines are of a version that can't be read.
    var isIgnored = false
    var badLines: [Int] = []
    var faults: [String] = []

    /// What its lines measure.
    var content = StreamContent()

    init(
        path: String, line: Int? = nil, runID: String?, part: String? = nil, shard: String? = nil, context: Int32,
        expectsEnd: Bool = false
    ) {
        self.path = path
        self.line = line
        self.runID = runID
        self.part = part
        self.shard = shard
        self.context = context
        self.expectsEnd = expectsEnd
    }
}

/// The names that lines of all logs use, each known by a number.
struct LogTables: ~Copyable {
    var pages = ByteInterner()
    var tests = ByteInterner()
    var formulas = ByteInterner()
    var contexts: ContextTable
    var metrics = MetricTable()
    /// Whether there was a line that measures something.
    var hasMeasurement = false
    /// Whether one of them met the conditions of the command line.
    var hasTakenMeasurement = false
    private var visitMetrics = VisitMetrics()

    init(options: IngestOptions) {
        contexts = ContextTable(options: options)
    }

    /// The metrics of visits by the formula that a line names; `nil`: the first.
    mutating func visitMetrics(formula: JSONText?) -> [VisitMetrics.Numbered] {
        let number = formula.map { formulas.index(of: $0) }
        return visitMetrics.numbers(formula: number, formulas, &metrics)
    }

    /// The metric of the main thread's hangs.
    mutating func mainThreadHang() -> Int32 { visitMetrics.mainThreadHang(&metrics) }

    /// The metric of visits that ended without loading their page.
    mutating func loadFailures() -> Int32 { visitMetrics.loadFailures(&metrics) }

    /// The metric of a formula that is only tried.
    mutating func candidate(_ name: JSONText) -> Int32 { visitMetrics.candidate(name, &metrics) }

    /// Which metric of visits each metric is, by its number; shorter than the list of metrics where the rest is none.
    var pageMetrics: [PageMetric?] { visitMetrics.kinds }

    /// Which metric of frames a metric is; `nil` for one that ticks don't give.
    func frameMetric(_ metric: Int32) -> FrameMetric? {
        FrameMetric(rawValue: metrics[metric].metric.id)
    }
}

/// The metrics of samples, each known by a number.
struct MetricTable: ~Copyable {
    /// A metric with how its values came about.
    struct Key: Hashable {
        let metric: Metric
        let counting: Counting
        let formula: String
    }

    private(set) var keys: [Key] = []
    private var indices: [Key: Int32] = [:]

    /// The number of a metric.
    mutating func index(_ metric: Metric, counting: Counting = .exact, formula: String = "1") -> Int32 {
        let key = Key(metric: metric, counting: counting, formula: formula)
        if let index = indices[key] { return index }
        let index = Int32(keys.count)
        keys.append(key)
        indices[key] = index
        return index
    }

    subscript(_ index: Int32) -> Key { keys[Int(index)] }
}
