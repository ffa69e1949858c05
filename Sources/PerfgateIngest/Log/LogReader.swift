import Dispatch
import Foundation
import PerfgateJSON
import PerfgateModel
import Synchronization

/// Reads one perfgate log from chunks. Complete lines are read on all cores, one chunk at a time, and processed in
/// order; a line that crosses chunks is read in turn. The result doesn't depend on which chunk is ready first.
final class LogReader {
    private enum Piece {
        case crossing(JSONLineCutter.Crossing)
        case lines(ChunkReading)

        /// Whether it can be processed without waiting.
        var isReady: Bool { if case .lines(let reading) = self { reading.isReady } else { true } }
    }

    /// The number of chunks read ahead, which limits memory: enough that no core waits for the consumer.
    private static let mostAhead = 2 * min(ProcessInfo.processInfo.activeProcessorCount, 16) + 2

    private let collector: LogCollector
    private var cutter = JSONLineCutter()
    private var pieces: [Piece] = []
    private var lines = JSONLines()
    private var interpreter: LineInterpreter

    init(path: String, collector: LogCollector) {
        self.collector = collector
        interpreter = LineInterpreter(path: path, collector: collector)
    }

    /// Whether there was any line that isn't blank; valid at the end of the file.
    var hasLines: Bool { !interpreter.isAtStart }

    func read(_ chunk: UnsafeRawBufferPointer) { read(ByteBlock(copying: chunk)) }

    /// Takes the next bytes and retains them as long as necessary.
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

    func finish(isTruncated: Bool = false) {
        if let last = cutter.finish() { pieces.append(.crossing(last)) }
        while !pieces.isEmpty { takeFirst() }
        interpreter.finish(isTruncated: isTruncated)
    }

    private func takeFirst() {
        // Passed once per chunk: otherwise exclusive access would be checked for every line.
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
            reading.readers.recycle(chunk)
        }
    }
}

/// The reading of one chunk, by whichever comes first: another core, or the consumer.
private final class ChunkReading: @unchecked Sendable {
    /// Smaller chunks are read directly instead of on another core.
    private static let least = 1 << 16

    let block: ByteBlock
    private let whole: Range<Int>
    let readers: ChunkReaders
    private let isTaken = Atomic(false)
    private let isDone = Atomic(false)
    private let done = DispatchSemaphore(value: 0)
    private var result = LineChunk()

    init(_ block: ByteBlock, _ whole: Range<Int>, _ readers: ChunkReaders) {
        (self.block, self.whole, self.readers) = (block, whole, readers)
    }

    var isReady: Bool { isDone.load(ordering: .acquiring) }

    /// Starts reading on another core, if there is one.
    func begin() {
        guard whole.count >= Self.least, ProcessInfo.processInfo.activeProcessorCount > 1 else { return }
        DispatchQueue.global(qos: .userInitiated).async { self.read() }
    }

    func finish() -> LineChunk {
        read()
        if !isReady { done.wait() }
        var chunk = LineChunk()
        swap(&chunk, &result)
        return chunk
    }

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

/// Idle readers, each with its learned lines, and the memory of processed chunks.
final class ChunkReaders: Sendable {
    /// A reader that can be stored in a list.
    private final class Box: @unchecked Sendable {
        var reader: ChunkReader
        init(_ known: KnownMetrics) { reader = ChunkReader(known) }
    }

    private struct Idle: Sendable {
        var boxes: [Box] = []
        nonisolated(unsafe) var chunks: [LineChunk] = []
    }

    private let idle = Mutex(Idle())
    private let known: KnownMetrics

    init(_ known: KnownMetrics) { self.known = known }

    /// Lends a reader, and a chunk to overwrite, to a closure; the chunk has no other owner, so its memory is reused.
    func lend(_ body: (inout ChunkReader, inout LineChunk) -> Void) {
        let box = idle.withLock { $0.boxes.popLast() } ?? Box(known)
        var chunk = idle.withLock { $0.chunks.popLast() } ?? LineChunk()
        body(&box.reader, &chunk)
        idle.withLock { $0.boxes.append(box) }
    }

    /// Takes a chunk whose memory may be reused.
    func recycle(_ chunk: consuming LineChunk) {
        let chunk = chunk
        idle.withLock { $0.chunks.append(chunk) }
    }
}

/// The common state of all logs of a call: their names and streams.
final class LogCollector {
    let options: IngestOptions
    /// The names; a reader owns them while it processes a chunk.
    var tables: LogTables
    private(set) var streams: [LogStream] = []
    var diagnostics = DiagnosticLog()
    fileprivate let readers: ChunkReaders

    init(options: IngestOptions) {
        self.options = options
        tables = LogTables(options: options)
        readers = ChunkReaders(options.known)
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
