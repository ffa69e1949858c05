import PagePerformance
import PerfgateJSON
import PerfgateModel

/// Reads one perfgate log: splits it into lines, and gives each to the stream that it belongs to.
final class LogReader {
    let path: String
    let collector: LogCollector

    var line = LogLine()
    private(set) var stream: LogStream?
    private var lines = JSONLines()
    private var isAtStart = true
    private var unknownTypes: Set<String> = []
    private var isCounted = false
    private var namelessLines = 0
    private var repeatedKeyLines = 0

    init(path: String, collector: LogCollector) {
        self.path = path
        self.collector = collector
    }

    /// Whether any line that isn't blank was there.
    var hasLines: Bool { !isAtStart }

    func read(_ chunk: UnsafeRawBufferPointer) {
        lines.append(chunk) { take($0) }
    }

    /// Says that the file is at its end.
    func finish(isTruncated: Bool = false) {
        lines.finish { take($0) }
        if let stream, isTruncated { stream.faults.append("The file is cut.") }
        close()
        tellCounts()
    }

    private func take(_ found: JSONLine) {
        guard case .bytes(let bytes) = found.content else {
            return fail("The line is longer than \(lines.limit) bytes and was skipped.", at: found.number, in: open())
        }
        let start = isAtStart ? JSONReader.byteOrderMarkLength(of: bytes) : 0
        isAtStart = false
        isCounted = false
        do throws(LineError) {
            try line.read(bytes, from: start)
            try dispatch(bytes, found.number)
        } catch {
            guard found.isTerminated || !error.isSyntax else { return tell(.cutLastLine, cut, at: found.number) }
            let stream = open()
            if !isCounted { count(bytes, in: stream) }
            fail(error.message, at: found.number, in: stream)
        }
    }

    private var cut: String { "The last line is cut, as when an app is killed while it writes; it was left out." }

    private func dispatch(_ bytes: UnsafeRawBufferPointer, _ number: Int) throws(LineError) {
        if line.hasDuplicateKey { repeatedKeyLines += 1 }
        guard let type = line.type else { throw .lacks("type") }
        if type == .run { try begin(bytes, number) }
        let stream = open()
        count(bytes, in: stream)
        switch type {
        case .run: break
        case .end: try end(number)
        case .unknown: tellUnknownType(number)
        default: try interpret(type, bytes, number, in: stream)
        }
    }

    private func count(_ bytes: UnsafeRawBufferPointer, in stream: LogStream) {
        isCounted = true
        stream.lineCount += 1
        stream.hash.feed(bytes)
    }

    private func begin(_ bytes: UnsafeRawBufferPointer, _ number: Int) throws(LineError) {
        close()
        guard let id = line.runID else { throw .lacks("run_id") }
        let context = try self.context(base: ContextTable.empty, bytes, isRunLine: true)
        stream = LogStream(
            path: path, runID: id.string, part: line.part?.string, shard: line.shard?.string, context: context,
            expectsEnd: line.expectsEnd)
        guard let schema = line.schema, schema != 1 else { return }
        let message = "Its schema is \(schema), and this perfgate reads 1: update perfgate."
        tell(.unsupportedVersion, message, at: number)
        stream?.faults.append(message)
        stream?.isIgnored = true
    }

    private func end(_ number: Int) throws(LineError) {
        guard let stream else { return }
        if let id = line.runID, id.string != stream.runID {
            throw .invalid("run_id", "ends another run than the one that is open")
        }
        stream.isEnded = true
        if let told = line.lines, told != stream.lineCount {
            let message = "The stream has \(stream.lineCount) lines, and its end says \(told): some were lost."
            tell(.wrongLineCount, message, at: number, severity: stream.expectsEnd ? .error : .warning)
            if stream.expectsEnd { stream.faults.append(message) }
        }
        close()
    }

    /// The open stream; lines before any `run` line open one without a name.
    private func open() -> LogStream {
        if let stream { return stream }
        let implicit = LogStream(path: path, runID: nil, context: collector.emptyContext)
        stream = implicit
        return implicit
    }

    private func close() {
        guard let stream else { return }
        if stream.expectsEnd, !stream.isEnded {
            let message = "It promised an end and has none, so lines may be lost."
            tell(.missingEnd, message, at: nil)
            stream.faults.append(message)
        }
        collector.streams.append(stream)
        self.stream = nil
    }
}

extension LogReader {
    /// The number of the context of the line.
    func context(
        base: Int32, _ bytes: UnsafeRawBufferPointer, isRunLine: Bool = false
    ) throws(LineError) -> Int32 {
        do throws(JSONError) {
            return try collector.contexts.index(
                base: base, fields: line.context, line: bytes, isRunLine: isRunLine)
        } catch {
            throw .syntax(error)
        }
    }

    func tell(_ code: DiagnosticCode, _ message: String, at number: Int?, severity: Diagnostic.Severity? = nil) {
        collector.diagnostics.append(Diagnostic(code, severity: severity, path: path, line: number, message))
    }

    private func fail(_ message: String, at number: Int, in stream: LogStream) {
        stream.badLines.append(number)
        tell(.badLine, message, at: number)
    }

    /// Counts a line whose page has no name.
    func dropNamelessLine() {
        namelessLines += 1
    }

    private func tellUnknownType(_ number: Int) {
        let name = line.typeName?.string ?? ""
        guard unknownTypes.insert(name).inserted else { return }
        tell(.unknownType, "Lines of the type \"\(name)\" are not known and were left out.", at: number)
    }

    private func tellCounts() {
        if namelessLines > 0 {
            tell(.pageWithoutName, "\(namelessLines) lines name no page and were left out.", at: nil)
        }
        if repeatedKeyLines > 0 {
            tell(.duplicateKey, "\(repeatedKeyLines) lines have a key twice; the last one was taken.", at: nil)
        }
    }
}
