import LibC
import PagePerformance
import PerfgateJSON
import PerfgateModel

/// The content of complete lines of a log: parsed lines as numbers, and the positions of the others.
///
/// Names, contexts and metrics have numbers local to the chunk, so many chunks can be read in parallel. Nothing in it
/// depends on earlier lines.
struct LineChunk {
    enum Content {
        /// A line for `LogLine`: of another type, or unusual.
        case other
        case visit(Visit)
        /// Ticks, by their index in `ticks`.
        case ticks(Int)
        /// An ended scroll, by its index in `scrolls`.
        case scroll(Int)
    }

    /// A line that isn't blank.
    struct Line {
        /// Its number in the chunk, from 1, including blank lines.
        let number: Int
        /// Its bytes within the block, without a line feed and a preceding carriage return.
        let bytes: Range<Int>
        var content = Content.other
        /// The page, test and context numbers; negative if absent.
        var page: Int32 = -1, test: Int32 = -1, context: Int32 = -1
        var iteration = 0
    }

    struct Visit {
        let id: ContentHash?
        let seconds: Double
        let ending: VisitEnding
        /// Its values in `samples`.
        let start: Int32, count: Int32
    }

    /// An ended scroll, with its duration and sums.
    struct Scroll {
        let number: Int
        let durationMS: Double
        let sums: ScrollSums
    }

    struct Ticks {
        /// Their ranges in `times`.
        let timestamps: Range<Int>, targets: Range<Int>
        let duration: UInt64?
        let scroll: Int?
        let segment: Int
        let clock: FrameClock
        /// Whether they are the single tick of a `frame` line.
        let isSingle: Bool
    }

    enum MetricName {
        case page(PageMetric, formula: Int32)
        case loadFailures, mainThreadHang
        case candidate(Int32)
    }

    var lines: [Line] = []
    /// The number of lines, including blank ones.
    var lineCount = 0
    /// The values of visits, by the numbers of their metrics.
    var samples = SampleColumns()
    var scrolls: [Scroll] = []
    var ticks: [Ticks] = []
    var times: [UInt64] = []
    var pages = NameList(), tests = NameList(), formulas = NameList(), candidates = NameList()
    var metrics: [MetricName] = []
    /// The context fields of lines; ranges are within the block.
    var contexts: [[LogLine.ContextField]] = []
    /// Unused keys, with the index in `lines` of the first line that has them.
    var unknownKeys: [(line: Int, key: String)] = []

    /// Clears everything and keeps the memory.
    mutating func removeAll() {
        lines.removeAll(keepingCapacity: true)
        lineCount = 0
        // The values of visits are retained elsewhere; the next chunk has about as many.
        let count = samples.count
        samples = SampleColumns()
        samples.reserve(count + count / 16)
        scrolls.removeAll(keepingCapacity: true)
        ticks.removeAll(keepingCapacity: true)
        times.removeAll(keepingCapacity: true)
        pages.removeAll()
        tests.removeAll()
        formulas.removeAll()
        candidates.removeAll()
        metrics.removeAll(keepingCapacity: true)
        contexts.removeAll(keepingCapacity: true)
        unknownKeys.removeAll()
    }
}

/// Reads chunk lines that match the skeletons of earlier lines.
struct ChunkReader: ~Copyable {
    /// What follows a piece of a skeleton.
    private enum Step {
        case type(LineType)
        case field(LineField)
        /// An unused value, by the number of its key.
        case unknown(Int)
        case end
    }

    private var line = LogLine()
    /// The ranges of the line's ticks in the chunk's times.
    private var timestamps = 0..<0, targets = 0..<0
    private var skeletons = JSONSkeletons<Step>()
    private var unknownKeys: [String] = []
    /// The number of consecutive lines that couldn't be learned.
    private var failures = 0

    private var chunk = LineChunk()
    private var metrics = ChunkMetrics()
    private var contexts = HashedIndex()
    private var contextHashes: [ContentHash] = []
    private var notedKeys: Set<Int> = []

    /// Starts without lines.
    init() {}

    /// Reads complete lines.
    ///
    /// - Parameters:
    ///   - block: The memory of the lines, followed by some zeros; it must outlive the result.
    ///   - result: An unused chunk, whose memory is reused.
    mutating func read(_ block: UnsafeRawBufferPointer, _ whole: Range<Int>, into result: inout LineChunk) {
        begin()
        swap(&chunk, &result)
        defer { swap(&chunk, &result) }
        chunk.removeAll()
        var start = whole.lowerBound
        while start < whole.upperBound {
            chunk.lineCount += 1
            if let end = readShaped(block, from: start) {
                start = end
                continue
            }
            let next = Self.lineFeed(in: block, start..<whole.upperBound)
            if let text = JSONLines.text(of: UnsafeRawBufferPointer(rebasing: block[start..<next])) {
                chunk.lines.append(LineChunk.Line(number: chunk.lineCount, bytes: start..<(start + text.count)))
                learn(text)
            }
            start = next + 1
        }
    }

    /// The end of a line, in bytes that end with a line end.
    private static func lineFeed(in block: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        let rest = UnsafeRawBufferPointer(rebasing: block[range])
        guard let base = rest.baseAddress, let found = memchr(base, 0x0A, rest.count) else { return range.upperBound }
        return range.lowerBound + (UnsafeRawPointer(found) - base)
    }

    private mutating func begin() {
        metrics = ChunkMetrics()
        contexts = HashedIndex()
        contextHashes = []
        notedKeys = []
    }

    /// Learns the skeleton of a line; after repeated failures only a few lines are tried.
    private mutating func learn(_ text: UnsafeRawBufferPointer) {
        guard failures < 32 || chunk.lineCount & 0xFF == 0 else { return }
        var seen = JSONFieldSet()
        let known = unknownKeys.count
        let isLearned = skeletons.learn(text, end: .end) { key, value in
            let field = LineField(key)
            if field != .unknown, !seen.insert(Int(field.rawValue)) { return nil }
            switch field {
            case .unknown:
                unknownKeys.append(key.string)
                return (.unknown(unknownKeys.count - 1), false)
            case .type:
                var value = value
                guard let name = try? value.readText(), LineType(name).hasChunkContent else { return nil }
                return (.type(LineType(name)), true)
            case _ where field.isOfChunk: return (.field(field), false)
            default: return nil
            }
        }
        failures = isLearned ? 0 : failures + 1
        if !isLearned { unknownKeys.removeLast(unknownKeys.count - known) }
    }
}

extension LineType {
    /// Whether chunks support lines of the type.
    fileprivate var hasChunkContent: Bool {
        switch self {
        case .pps, .frame, .frames, .scroll: true
        case .frameDrop, .screen, .metric, .run, .end, .state, .unknown: false
        }
    }
}

extension LineField {
    /// Whether chunks support lines with the key.
    fileprivate var isOfChunk: Bool {
        switch self {
        case .page, .iteration, .scroll, .segment, .timestamp, .target, .duration, .visitID, .outcome, .ttfl, .ttil,
            .threadHang, .mainThreadHang, .additionalLoads, .richContent, .durationMS, .candidates, .formula,
            .timestamps, .targets, .test, .clock, .hitchMS, .frames, .framesMS, .isCheckpoint, .app, .appVersion,
            .build, .commit, .device, .deviceID, .simulator, .os, .maxRate,
            .lowPowerMode, .thermalState, .network, .startedAt, .pair:
            true
        case .type, .framesDropped, .cumulativeEvents, .counting, .runID, .part, .parts, .shard, .iterations, .schema,
            .expectsEnd, .lines, .frameCount, .firstFPS, .minFPS, .maxFPS, .hangMS, .hangThreshold, .metric, .unit,
            .better,
            .values, .cpuPercent, .threads, .memory, .isCharging, .unknown:
            false
        }
    }
}

extension ChunkReader {
    /// Reads a line with a known skeleton and returns the start of the next one; `nil` for any other line.
    @inline(__always)
    private mutating func readShaped(_ block: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var reader = JSONReader(membersIn: block, from: start)
        var piece = -1
        line.reset()
        (timestamps, targets) = (0..<0, 0..<0)
        while true {
            guard let next = skeletons.next(after: piece, &reader) else { return nil }
            piece = next
            switch skeletons.meaning(of: piece) {
            case .type(let type): line.fields.type = type
            case .field(.timestamps):
                guard let range = readTimes(&reader) else { return nil }
                timestamps = range
                line.fields.hasTimestamps = true
            case .field(.targets):
                guard let range = readTimes(&reader) else { return nil }
                targets = range
            case .field(let field):
                do throws(JSONError) { try line.readValue(of: field, &reader) } catch { return nil }
            case .unknown(let key):
                do throws(JSONError) { try reader.skipValue() } catch { return nil }
                if notedKeys.insert(key).inserted { chunk.unknownKeys.append((chunk.lines.count, unknownKeys[key])) }
            case .end:
                let end = reader.offset
                let next = block[end] == UInt8(ascii: "\r") ? end + 1 : end
                // White space within a value may be a line feed, which still ends a line.
                guard block[next] == UInt8(ascii: "\n"), Self.lineFeed(in: block, start..<end) == end,
                    add(start..<end, block)
                else { return nil }
                return next + 1
            }
        }
    }

    /// Reads a list of times into its final place and returns the range; `nil` for anything else.
    private mutating func readTimes(_ reader: inout JSONReader) -> Range<Int>? {
        let start = chunk.times.count
        do throws(JSONError) { try reader.readUInt64s(into: &chunk.times) } catch { return nil }
        return start..<chunk.times.count
    }

    /// Adds the parsed line; false for a line that must be read by `LogLine`.
    @inline(__always)
    private mutating func add(_ bytes: Range<Int>, _ block: UnsafeRawBufferPointer) -> Bool {
        guard let type = line.fields.type, let page = line.fields.page, line.fields.iteration >= 0,
            !line.hasNumberAsText, line.problem(as: type) == nil, targets.isEmpty || targets.count == timestamps.count
        else { return false }
        var found = LineChunk.Line(number: chunk.lineCount, bytes: bytes)
        switch type {
        case .pps: found.content = .visit(Self.visit(line, &chunk, &metrics))
        case .frames: found.content = ticks()
        case .frame:
            timestamps = place(of: line.fields.timestamp)
            targets = place(of: line.fields.target)
            found.content = ticks(isSingle: true)
        case .scroll:
            found.content = .scroll(chunk.scrolls.count)
            chunk.scrolls.append(line.scroll)
        case .frameDrop, .screen, .metric, .run, .end, .state, .unknown: return false
        }
        found.page = chunk.pages.number(of: page).number
        found.test = line.fields.test.map { chunk.tests.number(of: $0).number } ?? -1
        if !line.context.isEmpty { found.context = context(block) }
        found.iteration = line.fields.iteration
        chunk.lines.append(found)
        return true
    }

    private mutating func context(_ block: UnsafeRawBufferPointer) -> Int32 {
        var hash = ContentHash()
        for field in line.context { hash.feed(field, block) }
        let (number, isNew) = contexts.number(hash: hash.folded) { contextHashes[$0] == hash }
        if isNew {
            contextHashes.append(hash)
            chunk.contexts.append(line.context)
        }
        return Int32(number)
    }

    private mutating func place(of time: UInt64?) -> Range<Int> {
        if let time { chunk.times.append(time) }
        return (chunk.times.count - (time == nil ? 0 : 1))..<chunk.times.count
    }

    private mutating func ticks(isSingle: Bool = false) -> LineChunk.Content {
        chunk.ticks.append(
            LineChunk.Ticks(
                timestamps: timestamps, targets: targets, duration: line.fields.duration,
                scroll: line.fields.scroll, segment: line.fields.segment,
                clock: line.rare.isOtherClock ? .other : .vsync,
                isSingle: isSingle))
        return .ticks(chunk.ticks.count - 1)
    }

    /// Adds the samples of a visit.
    @inline(__always)
    private static func visit(
        _ line: borrowing LogLine, _ chunk: inout LineChunk, _ metrics: inout ChunkMetrics
    ) -> LineChunk.Visit {
        let start = chunk.samples.count
        let ending = line.forEachSample(of: metrics.numbers(formula: line.fields.formula, &chunk)) { name, value in
            chunk.samples.append(metrics.number(of: name, &chunk), value)
        }
        return LineChunk.Visit(
            id: line.visitIdentity, seconds: (line.fields.durationMS ?? 0) / 1_000, ending: ending,
            start: Int32(start), count: Int32(chunk.samples.count - start))
    }
}

/// The known numbers of a chunk's metrics.
private struct ChunkMetrics {
    /// By the number of the formula plus 1.
    private var byFormula: [[VisitMetrics.Numbered]] = []
    /// By the number of the candidate's name.
    private var candidates: [Int32] = []
    private var loadFailures: Int32 = -1, mainThreadHang: Int32 = -1

    @inline(__always)
    mutating func number(of name: LogLine.SampleName, _ chunk: inout LineChunk) -> Int32 {
        switch name {
        case .page(let number): return number
        case .loadFailures:
            if loadFailures < 0 { loadFailures = Self.add(.loadFailures, to: &chunk) }
            return loadFailures
        case .mainThreadHang:
            if mainThreadHang < 0 { mainThreadHang = Self.add(.mainThreadHang, to: &chunk) }
            return mainThreadHang
        case .candidate(let name):
            let (number, isNew) = chunk.candidates.number(of: name)
            if isNew { candidates.append(Self.add(.candidate(number), to: &chunk)) }
            return candidates[Int(number)]
        }
    }

    /// The numbers of a formula's visit metrics; `nil`: the first formula.
    @inline(__always)
    mutating func numbers(formula: JSONText?, _ chunk: inout LineChunk) -> [VisitMetrics.Numbered] {
        let number = formula.map { chunk.formulas.number(of: $0).number } ?? -1
        let index = Int(number) + 1
        if index < byFormula.count, !byFormula[index].isEmpty { return byFormula[index] }
        while byFormula.count <= index { byFormula.append([]) }
        byFormula[index] = PageMetric.allCases.map { ($0, Self.add(.page($0, formula: number), to: &chunk)) }
        return byFormula[index]
    }

    private static func add(_ metric: LineChunk.MetricName, to chunk: inout LineChunk) -> Int32 {
        chunk.metrics.append(metric)
        return Int32(chunk.metrics.count - 1)
    }
}
