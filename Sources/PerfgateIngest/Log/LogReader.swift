import Dispatch
import Foundation
import PagePerformance
import PerfgateJSON
import PerfgateModel
import Synchronization

/// Reads one perfgate log, whose bytes come in chunks.
///
/// Whole lines are read on all cores, a chunk at a time, and taken in their order; a line that crosses chunks is read when
/// it is its turn. What comes out doesn't depend on which chunk is ready first.
final class LogReader {
    /// What waits for its turn.
    private enum Piece {
        case crossing(JSONLineCutter.Crossing)
        case lines(ChunkReading)

        /// Whether its turn won't make anyone wait.
        var isReady: Bool {
            switch self {
            case .crossing: true
            case .lines(let reading): reading.isReady
            }
        }
    }

    /// How many chunks are read ahead, so that memory stays bounded.
    private static let mostAhead = min(ProcessInfo.processInfo.activeProcessorCount, 16) + 1

    private let collector: LogCollector
    private var cutter = JSONLineCutter()
    private var pieces: [Piece] = []
    private var lines = JSONLines()
    private var interpreter: LineInterpreter

    init(path: String, collector: LogCollector) {
        self.collector = collector
        interpreter = LineInterpreter(path: path, collector: collector)
    }

    /// Whether any line that isn't blank was there, once the file is at its end.
    var hasLines: Bool { !interpreter.isAtStart }

    /// Takes the next bytes.
    func read(_ chunk: UnsafeRawBufferPointer) { read(ByteBlock(copying: chunk)) }

    /// Takes the next bytes, and holds on to them as long as it needs them.
    func read(_ block: ByteBlock) {
        let (crossing, whole) = cutter.cut(block.bytes)
        if let crossing { pieces.append(.crossing(crossing)) }
        if !whole.isEmpty {
            let reading = ChunkReading(block, whole, collector.readers)
            reading.begin()
            pieces.append(.lines(reading))
        }
        while pieces.count > 2 * Self.mostAhead || pieces.first?.isReady == true { takeFirst() }
    }

    /// Says that the file is at its end.
    func finish(isTruncated: Bool = false) {
        if let last = cutter.finish() { pieces.append(.crossing(last)) }
        while !pieces.isEmpty { takeFirst() }
        interpreter.finish(isTruncated: isTruncated)
    }

    private func takeFirst() {
        // Passed once a chunk: the exclusive access to each of them would otherwise be checked with every line.
        Self.take(pieces.removeFirst(), &lines, &interpreter, &collector.tables)
    }

    private static func take(
        _ piece: Piece, _ lines: inout JSONLines, _ interpreter: inout LineInterpreter, _ tables: inout LogTables
    ) {
        switch piece {
        case .crossing(let line): lines.give(line) { interpreter.take($0, &tables) }
        case .lines(let reading):
            var chunk = reading.finish()
            interpreter.take(&chunk, reading.block.bytes, after: lines.count, &tables)
            lines.skip(chunk.lineCount)
            reading.recycle(chunk)
        }
    }
}

/// The reading of one chunk, by whoever comes first: another core, or the one that needs it.
private final class ChunkReading: @unchecked Sendable {
    /// Fewer bytes than these are read sooner than another core is asked.
    private static let least = 1 << 16

    let block: ByteBlock
    private let whole: Range<Int>
    private let readers: ChunkReaders
    private let isTaken = Atomic(false)
    private let isDone = Atomic(false)
    private let done = DispatchSemaphore(value: 0)
    private var result = LineChunk()

    init(_ block: ByteBlock, _ whole: Range<Int>, _ readers: ChunkReaders) {
        self.block = block
        self.whole = whole
        self.readers = readers
    }

    var isReady: Bool { isDone.load(ordering: .acquiring) }

    /// Asks another core to read it, where there is one.
    func begin() {
        guard whole.count >= Self.least, ProcessInfo.processInfo.activeProcessorCount > 1 else { return }
        DispatchQueue.global(qos: .userInitiated).async { self.read() }
    }

    /// What was read; waits for it.
    func finish() -> LineChunk {
        read()
        if !isReady { done.wait() }
        var chunk = LineChunk()
        swap(&chunk, &result)
        return chunk
    }

    /// Gives a chunk back that isn't needed any more.
    func recycle(_ chunk: LineChunk) { readers.recycle(chunk) }

    private func read() {
        guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        readers.lend { reader, chunk in
            reader.read(block.padded, whole, into: &chunk)
            swap(&result, &chunk)
        }
        isDone.store(true, ordering: .releasing)
        done.signal()
    }
}

/// Readers that no chunk uses at the moment, each with what it has learned of lines, and the memory of chunks that were
/// taken.
final class ChunkReaders: Sendable {
    /// A reader, where it can be kept in a list.
    private final class Box: @unchecked Sendable {
        var reader = ChunkReader()
    }

    private struct Idle: Sendable {
        var boxes: [Box] = []
        nonisolated(unsafe) var chunks: [LineChunk] = []
    }

    private let idle = Mutex(Idle())

    /// Lends a reader, and a chunk that may be overwritten, to a closure; no one else holds the chunk, so that its memory
    /// is used again.
    func lend(_ body: (inout ChunkReader, inout LineChunk) -> Void) {
        let box = idle.withLock { $0.boxes.popLast() } ?? Box()
        var chunk = idle.withLock { $0.chunks.popLast() } ?? LineChunk()
        body(&box.reader, &chunk)
        idle.withLock { $0.boxes.append(box) }
    }

    /// Takes a chunk whose memory may be used again.
    func recycle(_ chunk: consuming LineChunk) {
        let chunk = chunk
        idle.withLock { $0.chunks.append(chunk) }
    }
}

/// What all logs of one call have in common: the names they use, and the streams they hold.
final class LogCollector {
    let options: IngestOptions
    /// The names; a reader holds them for itself while it takes a chunk.
    var tables: LogTables
    var streams: [LogStream] = []
    var diagnostics = DiagnosticLog()
    /// What reads chunks of all logs.
    fileprivate let readers = ChunkReaders()

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
