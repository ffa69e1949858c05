import PagePerformance
import PerfgateJSON
import PerfgateModel

/// Reads the lines of one log, and passes each to its stream.
struct LineInterpreter: ~Copyable {
    let path: String
    let collector: LogCollector
    /// Whether all lines so far were blank.
    private(set) var isAtStart = true
    private var namelessLines = 0

    private var stream: LogStream?
    private var unknownKeys: [String: Int] = [:]
    private var unknownTypes: Set<String> = []
    /// Reads lines that cross chunks, into its own chunk.
    private var reader: ChunkReader
    private var single = LineChunk()
    private var lastLine = 0, repeatedKeyLines = 0
    /// The first measuring line with a key that belongs into `run` lines and is almost its own.
    private var misplacedIterations: Int?
    private var quotedNumberLines = 0

    init(path: String, collector: LogCollector) {
        (self.path, self.collector) = (path, collector)
        reader = ChunkReader(collector.options.known)
    }

    /// Takes a line outside of a chunk; the tables are borrowed from the collector.
    mutating func take(_ found: JSONLine, _ tables: inout LogTables) {
        let bytes: UnsafeRawBufferPointer
        switch found.content {
        case .bytes(let content): bytes = content
        case .tooLong(let count):
            isAtStart = false
            let message = "The line has \(count) bytes, which is too long, and was skipped."
            return fail(message, at: found.number, in: open())
        }
        var chunk = LineChunk()
        swap(&chunk, &single)
        reader.read(line: bytes, from: isAtStart ? JSONReader.byteOrderMarkLength(of: bytes) : 0, into: &chunk)
        isAtStart = false
        take(&chunk, bytes, after: found.number - 1, isTerminated: found.isTerminated, &tables)
        swap(&chunk, &single)
    }

    /// Takes the lines of a chunk, whose bytes are in a block, after a number of other lines.
    mutating func take(
        _ chunk: inout LineChunk, _ block: UnsafeRawBufferPointer, after count: Int, isTerminated: Bool = true,
        _ tables: inout LogTables
    ) {
        for (line, key) in chunk.unknownKeys where unknownKeys.count < ChunkReader.mostUnknownKeys {
            let number = count + chunk.lines[line].number
            // A first line behind a byte order mark comes after its chunk.
            unknownKeys[key] = min(unknownKeys[key] ?? number, number)
        }
        chunk.samples.renumber(by: chunk.metrics.map { tables.number(of: $0.key, kind: $0.kind) })
        var numbers = ChunkNumbers(chunk)
        for found in chunk.lines {
            let bytes = UnsafeRawBufferPointer(rebasing: block[found.bytes])
            let number = count + found.number
            if isAtStart, found.type == nil, JSONReader.byteOrderMarkLength(of: bytes) > 0 {
                take(JSONLine(number: number, content: .bytes(bytes), isTerminated: true), &tables)
                continue
            }
            isAtStart = false
            var isCounted = false
            do throws(LineError) {
                try take(found, of: chunk, block, bytes, number, &numbers, &isCounted, &tables)
            } catch {
                refuse(error, number, bytes, isCounted: isCounted, isTerminated: isTerminated)
            }
            lastLine = number
        }
        numbers.turn(to: nil, of: chunk)
    }

    private mutating func refuse(
        _ error: LineError, _ number: Int, _ bytes: UnsafeRawBufferPointer, isCounted: Bool, isTerminated: Bool
    ) {
        guard isTerminated || !error.isSyntax else {
            let message = "The last line is cut, as when an app is killed while it writes; it was left out."
            return tell(.cutLastLine, message, at: number)
        }
        let mark = error.isSyntax ? RunLineMark(cut: bytes) : RunLineMark(bytes)
        if mark != .other { close() }
        let stream = open()
        if !isCounted { stream.content.count(bytes) }
        fail(error.message, at: number, in: stream)
        // It isn't known whose samples follow, however many unreadable lines are allowed.
        if let fault = mark.fault(atLine: number) { stream.facts.faults.append(fault) }
    }

    mutating func finish(isTruncated: Bool) {
        if let stream, isTruncated { stream.facts.faults.append("The file is cut off.") }
        close()
        if namelessLines > 0 {
            tell(.pageWithoutName, "\(namelessLines) lines name no page and were left out.", at: nil)
        }
        if repeatedKeyLines > 0 {
            tell(.duplicateKey, "\(repeatedKeyLines) lines have a key twice; the last one was taken.", at: nil)
        }
        if quotedNumberLines > 0 {
            tell(
                .numberAsText,
                "Lines with a number in quotes: \(quotedNumberLines). It was read as the number: write it without "
                    + "quotes.", at: nil)
        }
        tellMisspeltKeys()
    }

    @inline(__always) private mutating func take(
        _ found: LineChunk.Line, of chunk: borrowing LineChunk, _ block: UnsafeRawBufferPointer,
        _ bytes: UnsafeRawBufferPointer, _ number: Int, _ numbers: inout ChunkNumbers, _ isCounted: inout Bool,
        _ tables: inout LogTables
    ) throws(LineError) {
        if !found.quirks.isEmpty { note(found.quirks, number) }
        guard let type = found.type else {
            if case .problem(let index) = found.content { throw chunk.problems[index] }
            return
        }
        if type == .run { try begin(found, chunk, block, number, &tables) }
        let stream = open()
        isCounted = true
        stream.content.count(bytes)
        if type == .unknown, case .other(let index) = found.content { tellUnknownType(chunk.others[index], number) }
        if type == .end, case .other(let index) = found.content { try end(chunk.others[index], number) }
        guard !stream.isIgnored, type.isMeasurement || type == .state else { return }
        numbers.turn(to: stream, of: chunk)
        let context = try numbers.context(found, of: chunk, on: stream.context, block, &tables)
        let entry = tables.contexts.entries[Int(context)]
        if type == .state {
            if entry.isTaken { try addState(found, chunk, block, &stream.content) }
            try retag(found, chunk, block, stream, &numbers, &tables)
            return
        }
        tables.hasMeasurement = true
        guard entry.isTaken else {
            stream.content.hasLeftOut = true
            return
        }
        tables.hasTakenMeasurement = true
        guard let page = page(found, of: chunk, &numbers, &tables) else { return namelessLines += 1 }
        if case .problem(let index) = found.content { throw chunk.problems[index] }
        let place = IterationTable.Place(page: page, environment: entry.environment)
        let key = IterationTable.Key(place: place, iteration: found.iteration)
        let test = numbers.test(found, of: chunk, &tables)
        let iteration = stream.content.iteration(key, test: test)
        stream.content.add(found, of: chunk, iteration, &numbers)
    }

    /// The number of a line's page, or of the default one; `nil` if its name is blank, or if there is none.
    @inline(__always) private func page(
        _ found: LineChunk.Line, of chunk: borrowing LineChunk, _ numbers: inout ChunkNumbers, _ tables: inout LogTables
    ) -> Int32? {
        if found.page >= 0 { return numbers.page(found, of: chunk, &tables) }
        guard var name = collector.options.defaultPage else { return nil }
        return name.withUTF8 { tables.pages.index(of: UnsafeRawBufferPointer($0)) }
    }

    private mutating func note(_ quirks: LineChunk.Quirks, _ number: Int) {
        if quirks.contains(.duplicateKey) { repeatedKeyLines += 1 }
        if quirks.contains(.numberAsText) { quotedNumberLines += 1 }
        if quirks.contains(.iterations), misplacedIterations == nil { misplacedIterations = number }
    }

    private mutating func begin(
        _ found: LineChunk.Line, _ chunk: borrowing LineChunk, _ block: UnsafeRawBufferPointer, _ number: Int,
        _ tables: inout LogTables
    ) throws(LineError) {
        close()
        guard case .other(let index) = found.content else { return }
        let run = chunk.others[index]
        guard let id = run.runID else { throw .lacks("run_id") }
        for (name, count) in [("iterations", run.iterations), ("parts", run.parts)] {
            if let count, count < 1 { throw .invalid(name, "is below 1") }
        }
        let fields = chunk.fields(of: found)
        let context =
            try fields.isEmpty
            ? ContextTable.empty
            : tables.contexts.index(base: ContextTable.empty, fields: fields, line: block, isRunLine: true)
        var facts = Run.Stream(part: run.part?.string, shard: run.shard?.string, path: path, line: number)
        (facts.iterations, facts.parts, facts.start) = (run.iterations, run.parts, run.state)
        let stream = LogStream(facts, runID: id.string, context: context, expectsEnd: run.expectsEnd)
        self.stream = stream
        guard let schema = run.schema, schema != 1 else { return }
        let message = "Its schema is \(schema), and this perfgate reads 1: update perfgate."
        tell(.unsupportedVersion, message, at: number)
        stream.facts.faults.append(message)
        stream.isIgnored = true
    }

    private mutating func end(_ end: RareFields, _ number: Int) throws(LineError) {
        guard let stream else { return }
        if let id = end.runID, id.string != stream.runID {
            throw .invalid("run_id", "names another run than the run line before it")
        }
        if let part = end.part, part.string != stream.facts.part {
            throw .invalid("part", "names another part than the run line before it")
        }
        stream.isEnded = true
        let count = stream.content.lineCount
        if let told = end.lines, told != count {
            let message = "The stream has \(count) lines, but its end says \(told): some were lost."
            tell(.wrongLineCount, message, at: number, severity: stream.expectsEnd ? .error : .warning)
            if stream.expectsEnd { stream.facts.faults.append(message) }
        }
        close()
    }

    /// The open stream; lines before any `run` line open an unnamed one.
    private mutating func open() -> LogStream {
        if let stream { return stream }
        let implicit = LogStream(Run.Stream(path: path))
        stream = implicit
        return implicit
    }

    /// Hands the open stream over, with its last faults.
    private mutating func close() {
        guard let stream else { return }
        self.stream = nil
        if stream.expectsEnd, !stream.isEnded {
            let message =
                "Its run line promises an end line, and the log stops at line \(lastLine) without one: the app was probably "
                + "killed, and lines may be missing."
            tell(.missingEnd, message, at: lastLine)
            stream.facts.faults.append(message)
        }
        if let fault = lostRunLine(of: stream) { stream.facts.faults.append(fault) }
        collector.add(stream)
    }

    /// A fault if any of a stream's unreadable lines may be its missing `run` line; `nil` if no unreadable lines are
    /// allowed, so it is bad data anyway, or if the stream is empty.
    private func lostRunLine(of stream: LogStream) -> String? {
        guard stream.runID == nil, collector.options.badLines > 0, stream.facts.faults.isEmpty,
            let first = stream.badLines.first, stream.content.lineCount > stream.badLines.count
        else { return nil }
        return
            "It has no run line, which an unreadable line (the first is line \(first)) may have been: the samples "
            + "have no known run."
    }

    /// Reports unused keys that look like a known one: a typo that loses a value.
    private func tellMisspeltKeys() {
        if let number = misplacedIterations {
            tell(.misspeltKey, "\"iterations\" belongs into a run line: did you mean \"iteration\"?", at: number)
        }
        for (key, number) in unknownKeys.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            // A key without the unit at its end, or a slip in a character.
            let withUnit = LogKey.suggestions.filter { $0.hasPrefix(key + "_") }.min()
            guard let nearest = withUnit ?? Suggestion.nearest(to: key, among: LogKey.suggestions) else { continue }
            tell(.misspeltKey, "\"\(key)\" is not a key that perfgate reads: did you mean \"\(nearest)\"?", at: number)
        }
    }

    private mutating func tellUnknownType(_ line: RareFields, _ number: Int) {
        let name = line.typeName?.string ?? ""
        guard unknownTypes.insert(name).inserted else { return }
        tell(.unknownType, "Lines of the type \"\(name)\" are not known and were left out.", at: number)
    }

    private func tell(
        _ code: DiagnosticCode, _ message: String, at number: Int?, severity: Diagnostic.Severity? = nil
    ) {
        collector.diagnostics.append(Diagnostic(code, severity: severity, path: path, line: number, message))
    }

    private func fail(_ message: String, at number: Int, in stream: LogStream) {
        stream.badLines.append(number)
        tell(.badLine, message, at: number)
    }

    /// The app's own dimensions of a state line hold for all later lines of the stream.
    private func retag(
        _ found: LineChunk.Line, _ chunk: borrowing LineChunk, _ block: UnsafeRawBufferPointer, _ stream: LogStream,
        _ numbers: inout ChunkNumbers, _ tables: inout LogTables
    ) throws(LineError) {
        let fields = chunk.fields(of: found).filter { $0.key == .tags }
        guard !fields.isEmpty else { return }
        stream.context = try tables.contexts.index(base: stream.context, fields: fields, line: block, isRunLine: false)
        numbers.forgetContexts()
    }

    /// Stores the device's state, with the line's own thermal state and power mode.
    private func addState(
        _ found: LineChunk.Line, _ chunk: borrowing LineChunk, _ block: UnsafeRawBufferPointer,
        _ content: inout StreamContent
    ) throws(LineError) {
        guard found.iteration >= 0 else { throw .invalid("iteration", "is negative") }
        guard case .other(let index) = found.content else { return }
        var state = chunk.others[index].state
        state.iteration = found.iteration
        for field in chunk.fields(of: found) where field.key != .tags {
            switch (field.key, try ContextTable.value(of: field, in: block)) {
            case (.thermalState, .text(let name)?): state.thermalState = name
            case (.lowPowerMode, .flag(let isOn)?): state.lowPowerMode = isOn
            default: break
            }
        }
        content.add(state)
    }
}
