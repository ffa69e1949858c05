import PerfgateJSON

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
