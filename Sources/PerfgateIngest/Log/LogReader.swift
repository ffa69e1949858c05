import Dispatch
import Foundation
import PerfgateJSON
import Synchronization

/// Reads the whole lines of chunks, each faster for what it learned from the ones before.
package protocol LineReader: ~Copyable, SendableMetatype {
    /// The content of a chunk's lines; a new one is empty.
    associatedtype Chunk
    static var emptyChunk: Chunk { get }

    /// Reads complete lines into a chunk that was used before, whose memory is reused.
    /// - Parameter block: The memory of the lines, followed by some zeros; it must outlive the result.
    mutating func read(_ block: UnsafeRawBufferPointer, _ whole: Range<Int>, into result: inout Chunk)
}

/// The lines of one input from blocks. Complete lines are read on all cores, one chunk at a time, and passed on in
/// order; so is a line that crosses chunks, unread. The result doesn't depend on which chunk is ready first.
package struct LineQueue<Reader: LineReader & ~Copyable> {
    package enum Piece {
        case crossing(JSONLineCutter.Crossing)
        case lines(ChunkReading<Reader>)

        /// Whether it can be processed without waiting.
        fileprivate var isReady: Bool { if case .lines(let reading) = self { reading.isReady } else { true } }
    }

    private let readers: ChunkReaders<Reader>
    private var cutter = JSONLineCutter()
    private var pieces: [Piece] = []
    /// The number of chunks read ahead, which limits memory: enough that no core waits for the consumer.
    private let mostAhead = 2 * min(ProcessInfo.processInfo.activeProcessorCount, 16) + 2

    package init(_ readers: ChunkReaders<Reader>) { self.readers = readers }

    /// Takes the next bytes and retains them as long as necessary; passes on what is ready.
    package mutating func append(_ block: ByteBlock, _ take: (Piece) -> Void) {
        let (crossing, whole) = cutter.cut(block.bytes)
        if let crossing { pieces.append(.crossing(crossing)) }
        if !whole.isEmpty {
            let reading = ChunkReading(block, whole, readers)
            reading.begin()
            pieces.append(.lines(reading))
        }
        while pieces.count > 2 * mostAhead || pieces.first?.isReady == true { take(pieces.removeFirst()) }
    }

    package mutating func finish(_ take: (Piece) -> Void) {
        if let last = cutter.finish() { pieces.append(.crossing(last)) }
        while !pieces.isEmpty { take(pieces.removeFirst()) }
    }
}

/// The reading of one chunk, by whichever comes first: another core, or the consumer.
package final class ChunkReading<Reader: LineReader & ~Copyable>: @unchecked Sendable {
    package let block: ByteBlock
    private let whole: Range<Int>
    private let readers: ChunkReaders<Reader>
    private let isTaken = Atomic(false)
    private let isDone = Atomic(false)
    private let done = DispatchSemaphore(value: 0)
    private var result = Reader.emptyChunk

    fileprivate init(_ block: ByteBlock, _ whole: Range<Int>, _ readers: ChunkReaders<Reader>) {
        (self.block, self.whole, self.readers) = (block, whole, readers)
    }

    fileprivate var isReady: Bool { isDone.load(ordering: .acquiring) }

    /// Starts reading on another core, if there is one; a small chunk is read by the consumer.
    fileprivate func begin() {
        guard whole.count >= 1 << 16, ProcessInfo.processInfo.activeProcessorCount > 1 else { return }
        DispatchQueue.global(qos: .userInitiated).async { self.read() }
    }

    /// Passes the lines on once they are read; afterwards their memory is reused.
    package func finish(_ body: (inout Reader.Chunk) -> Void) {
        read()
        if !isReady { done.wait() }
        var chunk = Reader.emptyChunk
        swap(&chunk, &result)
        body(&chunk)
        readers.recycle(chunk)
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
package final class ChunkReaders<Reader: LineReader & ~Copyable>: Sendable {
    /// A reader that can be stored in a list.
    private final class Box: @unchecked Sendable {
        var reader: Reader
        init(_ reader: consuming Reader) { self.reader = reader }
    }

    private struct Idle: Sendable {
        var boxes: [Box] = []
        nonisolated(unsafe) var chunks: [Reader.Chunk] = []
    }

    private let idle = Mutex(Idle())
    private let make: @Sendable () -> Reader

    package init(_ make: @escaping @Sendable () -> Reader) { self.make = make }

    /// Lends a reader, and a chunk to overwrite, to a closure; the chunk has no other owner, so its memory is reused.
    fileprivate func lend(_ body: (inout Reader, inout Reader.Chunk) -> Void) {
        let box = idle.withLock { $0.boxes.popLast() } ?? Box(make())
        var chunk = idle.withLock { $0.chunks.popLast() } ?? Reader.emptyChunk
        body(&box.reader, &chunk)
        idle.withLock { $0.boxes.append(box) }
    }

    /// Takes a chunk whose memory may be reused.
    fileprivate func recycle(_ chunk: consuming Reader.Chunk) {
        let chunk = chunk
        idle.withLock { $0.chunks.append(chunk) }
    }
}

/// Reads one perfgate log from blocks.
final class LogReader {
    private let collector: LogCollector
    private var queue: LineQueue<ChunkReader>
    private var lines = JSONLines()
    private var interpreter: LineInterpreter

    init(path: String, collector: LogCollector) {
        self.collector = collector
        queue = LineQueue(collector.readers)
        interpreter = LineInterpreter(path: path, collector: collector)
    }

    /// Whether there was any line that isn't blank; valid at the end of the file.
    var hasLines: Bool { !interpreter.isAtStart }

    func read(_ chunk: UnsafeRawBufferPointer) { read(ByteBlock(copying: chunk)) }

    /// Takes the next bytes and retains them as long as necessary.
    func read(_ block: ByteBlock) {
        // Passed once per chunk: otherwise exclusive access would be checked for every line.
        queue.append(block) { Self.take($0, &lines, &interpreter, &collector.tables) }
    }

    func finish(isTruncated: Bool = false) {
        queue.finish { Self.take($0, &lines, &interpreter, &collector.tables) }
        interpreter.finish(isTruncated: isTruncated)
    }

    private static func take(
        _ piece: LineQueue<ChunkReader>.Piece, _ lines: inout JSONLines, _ interpreter: inout LineInterpreter,
        _ tables: inout LogTables
    ) {
        switch piece {
        case .crossing(let line): lines.give(line) { interpreter.take($0, &tables) }
        case .lines(let reading):
            reading.finish { chunk in
                interpreter.take(&chunk, reading.block.bytes, after: lines.count, &tables)
                lines.skip(chunk.lineCount)
            }
        }
    }
}
