import LibC
import PagePerformance
import PerfgateJSON
import PerfgateModel

/// Reads lines into chunks: by the skeletons of earlier lines, and those that match none by their JSON.
struct ChunkReader: LineReader, ~Copyable {
    /// What follows a piece of a skeleton.
    private enum Step {
        case type(LogLineType)
        case field(LogKey)
        case unknown(Int)
        case end
    }

    /// The most unknown keys of a chunk that are remembered; a log's first ones are enough.
    static let mostUnknownKeys = 64

    private let known: KnownMetrics
    private var line = LogLine()
    private var skeletons = JSONSkeletons<Step>()
    private var unknownKeys: [String] = []
    /// Whether the chunk has noted each of them; machines write the same ones in each line.
    private var areNoted: [Bool] = []
    /// The number of consecutive lines that couldn't be learned.
    private var failures = 0
    private var chunk = LineChunk()
    private var metrics = ChunkMetrics()
    private var contexts = HashedIndex()
    private var contextHashes: [ContentHash] = []
    private var notedKeys: Set<String> = []

    init(_ known: KnownMetrics) { self.known = known }

    static var emptyChunk: LineChunk { LineChunk() }

    mutating func read(_ block: UnsafeRawBufferPointer, _ whole: Range<Int>, into result: inout LineChunk) {
        begin(&result)
        var start = whole.lowerBound
        while start < whole.upperBound {
            chunk.lineCount += 1
            if let end = readShaped(block, from: start) {
                start = end
                continue
            }
            let next = Self.lineFeed(in: block, start..<whole.upperBound)
            if let text = JSONLines.text(of: UnsafeRawBufferPointer(rebasing: block[start..<next])) {
                readWhole(text, at: start)
            }
            start = next + 1
        }
        end(&result)
    }

    /// Reads a single line from an offset; its bytes must outlive the result.
    mutating func read(line bytes: UnsafeRawBufferPointer, from offset: Int, into result: inout LineChunk) {
        begin(&result)
        chunk.lineCount = 1
        readWhole(bytes, at: 0, from: offset)
        end(&result)
    }

    /// The end of a line, in bytes that end with a line end.
    private static func lineFeed(in block: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        let rest = UnsafeRawBufferPointer(rebasing: block[range])
        guard let base = rest.baseAddress, let found = memchr(base, 0x0A, rest.count) else { return range.upperBound }
        return range.lowerBound + (UnsafeRawPointer(found) - base)
    }

    private mutating func begin(_ result: inout LineChunk) {
        swap(&chunk, &result)
        chunk.removeAll()
        swap(&chunk.times, &line.times)
        line.keepTimes()
        metrics = ChunkMetrics(&chunk)
        contexts = HashedIndex()
        contextHashes = []
        notedKeys = []
        areNoted = Array(repeating: false, count: unknownKeys.count)
    }

    private mutating func end(_ result: inout LineChunk) {
        swap(&chunk.times, &line.times)
        swap(&chunk, &result)
    }

    private mutating func note(_ key: String) {
        guard notedKeys.count < Self.mostUnknownKeys, !LogKey.ignored.contains(key), notedKeys.insert(key).inserted
        else { return }
        chunk.unknownKeys.append((chunk.lines.count, key))
    }

    /// Reads a line by its JSON, and learns its skeleton; after repeated failures only a few lines are tried.
    private mutating func readWhole(_ text: UnsafeRawBufferPointer, at start: Int, from offset: Int = 0) {
        let bytes = start..<(start + text.count)
        do throws(LineError) {
            defer { for key in line.unknownKeys { note(key) } }
            try line.read(text, from: offset)
        } catch {
            let content = problem(error)
            return chunk.lines.append(
                LineChunk.Line(
                    number: chunk.lineCount, bytes: bytes, type: nil, content: content,
                    quirks: error.isSyntax ? [] : quirks))
        }
        add(bytes, text, at: start)
        if !line.fields.hasDuplicateKey, failures < 32 || chunk.lineCount & 0xFF == 0 { learn(text) }
    }

    private mutating func learn(_ text: UnsafeRawBufferPointer) {
        let known = unknownKeys.count
        let isLearned = skeletons.learn(text, end: .end) { key, value in
            switch LogKey(key) {
            case .unknown:
                unknownKeys.append(key.string)
                areNoted.append(false)
                return (.unknown(unknownKeys.count - 1), false)
            case .type:
                var value = value
                guard let type = (try? value.readText()).map(LogLineType.init), type != .unknown else { return nil }
                return (.type(type), true)
            case let key: return (.field(key), false)
            }
        }
        failures = isLearned ? 0 : failures + 1
        if !isLearned {
            unknownKeys.removeLast(unknownKeys.count - known)
            areNoted.removeLast(areNoted.count - known)
        }
    }

    /// Reads a line with a known skeleton and returns the start of the next one; `nil` for any other line.
    @inline(__always) private mutating func readShaped(_ block: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var reader = JSONReader(membersIn: block, from: start)
        var piece = -1
        line.reset()
        while true {
            guard let next = skeletons.next(after: piece, &reader) else { return nil }
            piece = next
            switch skeletons.meaning(of: piece) {
            case .type(let type): line.fields.type = type
            case .field(let key):
                do throws(JSONError) { try line.readValue(of: key, &reader) } catch { return nil }
            case .unknown(let key):
                do throws(JSONError) { try reader.skipValue() } catch { return nil }
                if !areNoted[key] { note(unknownKeys[key]) }
                areNoted[key] = true
            case .end:
                let end = reader.offset
                let next = block[end] == UInt8(ascii: "\r") ? end + 1 : end
                // White space within a value may be a line feed, which still ends a line.
                guard block[next] == UInt8(ascii: "\n"), Self.lineFeed(in: block, start..<end) == end else {
                    return nil
                }
                add(start..<end, block, at: 0)
                return next + 1
            }
        }
    }

    /// Adds the parsed line: its bytes within the block, and the text that it was read from, at an offset in the block.
    @inline(__always) private mutating func add(_ bytes: Range<Int>, _ text: UnsafeRawBufferPointer, at offset: Int) {
        guard let type = line.fields.type else { return }
        let problem = type.isMeasurement ? line.problem(as: type, known) : nil
        var found = LineChunk.Line(
            number: chunk.lineCount, bytes: bytes, type: type,
            content: problem.map { self.problem($0) } ?? content(type),
            quirks: quirks)
        if let page = line.fields.page { found.page = chunk.pages.number(of: page).number }
        if let test = line.fields.test { found.test = chunk.tests.number(of: test).number }
        if !line.context.isEmpty { found.context = context(text, at: offset) }
        found.iteration = line.fields.iteration
        chunk.lines.append(found)
        line.keepTimes()
    }

    @inline(__always) private var quirks: LineChunk.Quirks {
        var quirks: LineChunk.Quirks = line.fields.hasDuplicateKey ? .duplicateKey : []
        if line.hasNumberAsText { quirks.insert(.numberAsText) }
        if line.rare.iterations != nil, line.fields.type?.isMeasurement ?? false { quirks.insert(.iterations) }
        return quirks
    }

    private mutating func problem(_ error: LineError) -> LineChunk.Content {
        chunk.problems.append(error)
        return .problem(chunk.problems.count - 1)
    }

    @inline(__always) private mutating func content(_ type: LogLineType) -> LineChunk.Content {
        switch type {
        case .visit: return .visit(Self.visit(line, &chunk, &metrics))
        case .frames: return ticks(line.fields.timestamps ?? 0..<0, line.fields.targets)
        case .frame: return ticks(place(of: line.fields.timestamp), place(of: line.fields.target), isSingle: true)
        case .scroll:
            chunk.scrolls.append(line.scroll)
            return .scroll(chunk.scrolls.count - 1)
        case .frameDrop:
            return .drop(
                LineChunk.Drop(
                    scroll: line.fields.scroll ?? 0, frames: line.rare.framesDropped ?? 0,
                    cumulativeEvents: line.rare.cumulativeEvents, counting: line.rare.counting))
        case .screen: return .points(screen())
        case .metric: return .points(values())
        case .run, .end, .state, .unknown:
            chunk.others.append(line.rare)
            return .other(chunk.others.count - 1)
        }
    }

    private mutating func context(_ text: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        var hash = ContentHash()
        for field in line.context { hash.feed(field, text) }
        let (number, isNew) = contexts.number(hash: hash.folded) { contextHashes[$0] == hash }
        if isNew {
            contextHashes.append(hash)
            let fields = line.context.map {
                LogLine.ContextField(
                    key: $0.key, range: ($0.range.lowerBound + offset)..<($0.range.upperBound + offset))
            }
            chunk.contexts.append(fields)
        }
        return Int32(number)
    }

    private mutating func place(of time: UInt64?) -> Range<Int> {
        if let time { line.times.append(time) }
        return (line.times.count - (time == nil ? 0 : 1))..<line.times.count
    }

    private mutating func ticks(
        _ timestamps: Range<Int>, _ targets: Range<Int>, isSingle: Bool = false
    ) -> LineChunk.Content {
        chunk.ticks.append(
            LineChunk.Ticks(
                timestamps: timestamps, targets: targets, duration: line.fields.duration,
                scroll: line.fields.scroll, segment: line.fields.segment,
                clock: line.rare.isOtherClock ? .other : .vsync, isSingle: isSingle))
        return .ticks(chunk.ticks.count - 1)
    }

    private mutating func screen() -> LineChunk.Points {
        let (start, duration) = (chunk.samples.count, line.fields.durationMS ?? 0)
        let values = line.rare.screenValues(duration: duration)
        let numbers = metrics.numbers(ofScreens: line.rare, &chunk)
        for (number, value) in zip(numbers, values) where value != nil { chunk.samples.append(number, value ?? 0) }
        return LineChunk.Points(
            start: Int32(start), count: Int32(chunk.samples.count - start), seconds: duration / 1_000)
    }

    /// Adds the values of a metric; NaN for none.
    private mutating func values() -> LineChunk.Points {
        let start = chunk.samples.count
        let (number, conversion) = metrics.number(of: line.rare, formula: line.fields.formula, known, &chunk)
        for value in line.values { chunk.samples.append(number, conversion.convert(value)) }
        if line.values.isEmpty { chunk.samples.append(number, .nan) }
        return LineChunk.Points(start: Int32(start), count: Int32(chunk.samples.count - start), seconds: 0)
    }

    /// Adds the samples of the line's visit.
    @inline(__always) private static func visit(
        _ line: borrowing LogLine, _ chunk: inout LineChunk, _ metrics: inout ChunkMetrics
    ) -> LineChunk.Visit {
        let start = chunk.samples.count
        let visit = line.pageVisit
        let ending = VisitEnding(
            visit, saysOutcome: line.visit.saysOutcome, isCheckpoint: line.rare.isCheckpoint,
            isInactive: line.rare.isInactive)
        for (metric, number) in metrics.numbers(formula: line.fields.formula, &chunk) where visit.measures(metric) {
            chunk.samples.append(number, visit.sample(of: metric) ?? .nan)
        }
        if let failure = ending.failure { chunk.samples.append(metrics.loadFailures, failure) }
        if let hang = line.visit.mainThreadHang { chunk.samples.append(metrics.mainThreadHang, hang) }
        for candidate in line.candidates {
            chunk.samples.append(metrics.number(ofCandidate: candidate.name, &chunk), candidate.value)
        }
        return LineChunk.Visit(
            id: line.visitIdentity, seconds: (line.fields.durationMS ?? 0) / 1_000, ending: ending,
            start: Int32(start), count: Int32(chunk.samples.count - start))
    }
}
