import PerfgateJSON
import PerfgateModel

/// Reads the lines of one log, and passes each to its stream.
struct LineInterpreter: ~Copyable {
    let path: String
    let collector: LogCollector
    /// Whether all lines so far were blank.
    private(set) var isAtStart = true
    var line = LogLine()
    var namelessLines = 0

    private var stream: LogStream?
    private var unknownTypes: Set<String> = []
    private var isCounted = false
    /// The number of the previous line.
    private var lastLine = 0
    private var repeatedKeyLines = 0
    /// The first measuring line with a key that belongs into `run` lines and is almost its own.
    private var misplacedIterations: Int?
    private var quotedNumberLines = 0

    init(path: String, collector: LogCollector) {
        self.path = path
        self.collector = collector
    }

    /// Takes the next line; the tables are borrowed from the collector.
    mutating func take(_ found: JSONLine, _ tables: inout LogTables) {
        defer { lastLine = found.number }
        guard case .bytes(let bytes) = found.content else { return skipLongLine(found) }
        let start = isAtStart ? JSONReader.byteOrderMarkLength(of: bytes) : 0
        isAtStart = false
        isCounted = false
        do throws(LineError) {
            line.order.lineNumber = found.number
            try line.read(bytes, from: start)
            try dispatch(bytes, found.number, &tables)
        } catch {
            guard found.isTerminated || !error.isSyntax else { return tellCutLine(found.number) }
            let mark = error.isSyntax ? RunLineMark(cut: bytes) : RunLineMark(bytes)
            if mark != .other { close() }
            let stream = open()
            if !isCounted { stream.content.count(bytes) }
            fail(error.message, at: found.number, in: stream)
            // It isn't known whose samples follow, however many unreadable lines are allowed.
            if let fault = mark.fault(atLine: found.number) { stream.faults.append(fault) }
        }
    }

    /// The stream of lines that were read elsewhere.
    mutating func openStream() -> LogStream { open() }

    /// Records that a line was read elsewhere.
    mutating func noteLine(_ number: Int) {
        lastLine = number
        isAtStart = false
    }

    /// Ends the file.
    mutating func finish(isTruncated: Bool) {
        if let stream, isTruncated { stream.faults.append("The file is cut off.") }
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

    private mutating func dispatch(
        _ bytes: UnsafeRawBufferPointer, _ number: Int, _ tables: inout LogTables
    ) throws(LineError) {
        if line.fields.hasDuplicateKey { repeatedKeyLines += 1 }
        if line.hasNumberAsText { quotedNumberLines += 1 }
        guard let type = line.fields.type else { throw .lacks("type") }
        if type == .run { try begin(bytes, number, &tables) }
        let stream = open()
        isCounted = true
        noteIterations(type, number)
        if !stream.isIgnored, type.isMeasurement {
            return try interpret(type, bytes, base: stream.context, &tables, &stream.content)
        }
        stream.content.count(bytes)
        if type == .state, !stream.isIgnored {
            try addState(bytes, base: stream.context, &tables, &stream.content)
        }
        if type == .end { try end(number) }
        if type == .unknown { tellUnknownType(number) }
    }

    private mutating func begin(
        _ bytes: UnsafeRawBufferPointer, _ number: Int, _ tables: inout LogTables
    ) throws(LineError) {
        close()
        guard let id = line.rare.runID else { throw .lacks("run_id") }
        if let problem = line.rare.problemOfCounts { throw problem }
        let context = try self.context(base: ContextTable.empty, bytes, isRunLine: true, &tables)
        stream = LogStream(
            path: path, line: number, runID: id.string, part: line.rare.part?.string, shard: line.rare.shard?.string,
            context: context, expectsEnd: line.rare.expectsEnd)
        stream?.start = line.rare.state()
        stream?.iterations = line.rare.iterations
        stream?.parts = line.rare.parts
        guard let schema = line.rare.schema, schema != 1 else { return }
        let message = "Its schema is \(schema), and this perfgate reads 1: update perfgate."
        tell(.unsupportedVersion, message, at: number)
        stream?.faults.append(message)
        stream?.isIgnored = true
    }

    private mutating func end(_ number: Int) throws(LineError) {
        guard let stream else { return }
        if let id = line.rare.runID, id.string != stream.runID {
            throw .invalid("run_id", "isn't the run that is open")
        }
        if let part = line.rare.part, part.string != stream.part {
            throw .invalid("part", "isn't the part that is open")
        }
        stream.isEnded = true
        let count = stream.content.lineCount
        if let told = line.rare.lines, told != count {
            let message = "The stream has \(count) lines, but its end says \(told): some were lost."
            tell(.wrongLineCount, message, at: number, severity: stream.expectsEnd ? .error : .warning)
            if stream.expectsEnd { stream.faults.append(message) }
        }
        close()
    }

    /// The open stream; lines before any `run` line open an unnamed one.
    private mutating func open() -> LogStream {
        if let stream { return stream }
        let implicit = LogStream(path: path, runID: nil, context: ContextTable.empty)
        stream = implicit
        return implicit
    }

    private mutating func close() {
        if let stream { end(stream) }
        stream = nil
    }

    private func end(_ stream: LogStream) {
        if stream.expectsEnd, !stream.isEnded {
            let message =
                "Its run line announces an end line, which is missing after line \(lastLine), so lines may be lost."
            tell(.missingEnd, message, at: lastLine)
            stream.faults.append(message)
        }
        if let fault = lostRunLine(of: stream) { stream.faults.append(fault) }
        collector.streams.append(stream)
    }

    /// A fault if any of a stream's unreadable lines may be its missing `run` line; `nil` if no unreadable lines are
    /// allowed, so it is bad data anyway, or if the stream is empty.
    private func lostRunLine(of stream: LogStream) -> String? {
        guard stream.runID == nil, collector.options.badLines > 0, stream.faults.isEmpty,
            let first = stream.badLines.first, stream.content.lineCount > stream.badLines.count
        else { return nil }
        return
            "It has no run line, which an unreadable line (the first is line \(first)) may have been: the samples "
            + "have no known run."
    }

    private mutating func skipLongLine(_ found: JSONLine) {
        guard case .tooLong(let count) = found.content else { return }
        isAtStart = false
        fail("The line has \(count) bytes, which is too long, and was skipped.", at: found.number, in: open())
    }

    /// Reports unused keys that look like a known one: a typo that loses a value.
    private func tellMisspeltKeys() {
        if let number = misplacedIterations {
            tell(.misspeltKey, "\"iterations\" belongs into a run line: did you mean \"iteration\"?", at: number)
        }
        for (key, number) in line.order.unknownKeys.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            // A key without the unit at its end, or a slip in a character.
            let withUnit = LineField.keys.filter { $0.hasPrefix(key + "_") }.min()
            guard let nearest = withUnit ?? Suggestion.nearest(to: key, among: LineField.keys) else { continue }
            tell(.misspeltKey, "\"\(key)\" is not a key that perfgate reads: did you mean \"\(nearest)\"?", at: number)
        }
    }

    /// Records a measuring line with the number of a run's iterations, which probably means the line's iteration.
    private mutating func noteIterations(_ type: LineType, _ number: Int) {
        guard type.isMeasurement, line.rare.iterations != nil, misplacedIterations == nil else { return }
        misplacedIterations = number
    }

    private mutating func tellUnknownType(_ number: Int) {
        let name = line.rare.typeName?.string ?? ""
        guard unknownTypes.insert(name).inserted else { return }
        tell(.unknownType, "Lines of the type \"\(name)\" are not known and were left out.", at: number)
    }
}

extension LineInterpreter {
    func context(
        base: Int32, _ bytes: UnsafeRawBufferPointer, isRunLine: Bool = false, _ tables: inout LogTables
    ) throws(LineError) -> Int32 {
        guard !line.context.isEmpty else { return base }
        return try tables.contexts.index(base: base, fields: line.context, line: bytes, isRunLine: isRunLine)
    }

    private func tell(
        _ code: DiagnosticCode, _ message: String, at number: Int?, severity: Diagnostic.Severity? = nil
    ) {
        collector.diagnostics.append(Diagnostic(code, severity: severity, path: path, line: number, message))
    }

    private func tellCutLine(_ number: Int) {
        let message = "The last line is cut, as when an app is killed while it writes; it was left out."
        tell(.cutLastLine, message, at: number)
    }

    private func fail(_ message: String, at number: Int, in stream: LogStream) {
        stream.badLines.append(number)
        tell(.badLine, message, at: number)
    }
}

extension LineInterpreter {
    /// Stores the device's state, if the line meets the conditions of the command line.
    func addState(
        _ bytes: UnsafeRawBufferPointer, base: Int32, _ tables: inout LogTables, _ content: inout StreamContent
    ) throws(LineError) {
        let context = try context(base: base, bytes, &tables)
        guard tables.contexts.entries[Int(context)].isTaken else { return }
        guard line.fields.iteration >= 0 else { throw .invalid("iteration", "is negative") }
        var state = line.rare.state(iteration: line.fields.iteration)
        if case .text(let name) = try field(.thermalState, in: bytes) { state.thermalState = name }
        if case .flag(let isOn) = try field(.lowPowerMode, in: bytes) { state.lowPowerMode = isOn }
        content.add(state)
    }

    /// The line's own value of a context field.
    private func field(_ field: LineField, in bytes: UnsafeRawBufferPointer) throws(LineError) -> FieldValue? {
        guard let found = line.context.first(where: { $0.name == field.contextName }) else { return nil }
        return try ContextTable.value(
            of: UnsafeRawBufferPointer(rebasing: bytes[found.range]), for: Context.names[found.name])
    }
}

extension RareFields {
    /// The problem with the numbers of iterations or parts; `nil`: none.
    fileprivate var problemOfCounts: LineError? {
        let counts = [("iterations", iterations), ("parts", parts)]
        return counts.first { $0.1.map { $0 < 1 } ?? false }.map { .invalid($0.0, "is below 1") }
    }

    /// The line's facts about the device, except conditions of a measurement.
    func state(iteration: Int = 0) -> RunState {
        var state = RunState(iteration: iteration)
        state.cpuPercent = cpuPercent
        state.threads = threads
        state.memoryBytes = memoryBytes
        state.isCharging = isCharging
        return state
    }
}

/// Why a line is unusable.
enum LineError: Error {
    /// It isn't JSON, or the value of a key has the wrong type.
    case syntax(JSONError, key: String?)
    /// It lacks a required field.
    case lacks(String)
    case invalid(String, String)

    /// Whether the line isn't JSON, for example because it is truncated.
    var isSyntax: Bool {
        if case .syntax = self { true } else { false }
    }

    var message: String {
        switch self {
        case .syntax(let error, let key?): "The line's \"\(key)\" can't be read: \(error.kind)."
        case .syntax(let error, nil): "The line can't be read: \(error)."
        case .lacks(let field): "The line has no \"\(field)\", which its type needs."
        case .invalid(let field, let problem): "\"\(field)\" \(problem)."
        }
    }
}

/// Whether an unreadable line is a `run` line: then it isn't known whose samples follow.
enum RunLineMark: Hashable {
    /// It is: its key `type` has the value `run`.
    case runLine
    /// It is truncated before its type, and may be one.
    case perhaps
    /// It is another line.
    case other

    /// Examines a complete line that breaks a rule.
    init(_ bytes: UnsafeRawBufferPointer) {
        self = Self.types(in: bytes).contains { $0.starts(with: "\"run\"".utf8) } ? .runLine : .other
    }

    /// Examines a line that isn't JSON, such as a truncated one.
    init(cut bytes: UnsafeRawBufferPointer) {
        self.init(bytes)
        guard self == .other else { return }
        let types = Self.types(in: bytes)
        let isCut =
            types.isEmpty ? Self.namesRun(bytes) : types.allSatisfy { $0.count > 1 && "\"run\"".utf8.starts(with: $0) }
        if isCut { self = .perhaps }
    }

    /// The fault of a stream that such a line opens; `nil` if it opens none.
    func fault(atLine number: Int) -> String? {
        switch self {
        case .runLine: "Its run line, line \(number), is unreadable."
        case .perhaps: "Line \(number) is unreadable and cut before its type: it may be a run line."
        case .other: nil
        }
    }

    /// The text after each key `type` and its colon, up to the end of the line.
    private static func types(in bytes: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>] {
        var found: [Slice<UnsafeRawBufferPointer>] = []
        var rest = bytes[...]
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            rest = rest[quote...]
            if let value = value(behind: rest) { found.append(value) }
            rest = rest.dropFirst()
        }
        return found
    }

    /// Whether the line contains the key `run_id`, which only `run` and `end` lines have.
    private static func namesRun(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let key = "\"run_id\"".utf8
        return bytes.indices.contains { bytes[$0...].starts(with: key) }
    }

    /// The text after the key and its colon; `nil` if the bytes don't start with them.
    private static func value(
        behind bytes: Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer>? {
        guard bytes.starts(with: "\"type\"".utf8) else { return nil }
        let rest = bytes.dropFirst(6).drop(while: isBlank)
        guard rest.first == UInt8(ascii: ":") else { return nil }
        return rest.dropFirst().drop(while: isBlank)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
