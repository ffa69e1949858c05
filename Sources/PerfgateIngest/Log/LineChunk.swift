import LibC
import PagePerformance
import PerfgateJSON
import PerfgateModel

/// What was found in whole lines of a log: those that were understood, as numbers, and where the others are.
///
/// Names, contexts and metrics have numbers of this chunk alone, so that many chunks can be read at a time. Nothing in it
/// depends on the lines before it.
struct LineChunk {
    /// What a line is.
    enum Content {
        /// To be read by `LogLine`: of another type, or out of the ordinary.
        case other
        case visit(Visit)
        /// Ticks, by their place in `ticks`.
        case ticks(Int)
        /// A scroll that ended, by its place in `scrolls`.
        case scroll(Int)
    }

    /// A line that isn't blank.
    struct Line {
        /// Its number in the chunk, from 1, blank lines counted.
        let number: Int
        /// Its bytes within the block, without a line feed and a carriage return before it.
        let bytes: Range<Int>
        var content = Content.other
        /// The page, the test and the context by their numbers; negative where it names none.
        var page: Int32 = -1, test: Int32 = -1, context: Int32 = -1
        var iteration = 0
    }

    /// A page visit.
    struct Visit {
        let id: ContentHash?
        let seconds: Double
        let ending: VisitEnding
        /// Its values in `samples`.
        let start: Int32, count: Int32
    }

    /// A scroll that ended, with how long it lasted and what its line sums up.
    struct Scroll {
        let number: Int
        let durationMS: Double
        let sums: ScrollSums
    }

    /// The ticks of a line.
    struct Ticks {
        /// Where they are in `times`.
        let timestamps: Range<Int>, targets: Range<Int>
        let duration: UInt64?
        let scroll: Int?
        let segment: Int
        let clock: FrameClock
        /// Whether they are the one of a `frame` line.
        let isSingle: Bool
    }

    /// What a value is of.
    enum MetricName {
        case page(PageMetric, formula: Int32)
        case loadFailures, mainThreadHang
        /// A formula that is only tried, by the number of its name.
        case candidate(Int32)
    }

    var lines: [Line] = []
    /// How many lines there are, blank ones included.
    var lineCount = 0
    /// The values of visits, by the numbers of their metrics.
    var samples = SampleColumns()
    var scrolls: [Scroll] = []
    var ticks: [Ticks] = []
    var times: [UInt64] = []
    var pages = NameList(), tests = NameList(), formulas = NameList(), candidates = NameList()
    var metrics: [MetricName] = []
    /// What lines say of their contexts; the ranges are within the block.
    var contexts: [[LogLine.ContextField]] = []
    /// The keys that nothing reads, with the places in `lines` of the first lines that have them.
    var unknownKeys: [(line: Int, key: String)] = []

    /// Forgets all, and keeps the memory.
    mutating func removeAll() {
        lines.removeAll(keepingCapacity: true)
        lineCount = 0
        // The values of visits are held on to, and their next ones are about as many.
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

/// The names of a chunk, each known by a number.
struct NameList {
    private(set) var names: [JSONText] = []
    private var hashes: [ContentHash] = []
    private var index = HashedIndex()

    /// The number of a name.
    @inline(__always)
    mutating func number(of name: JSONText) -> (number: Int32, isNew: Bool) {
        let hash = ContentHash(of: name.rawBytes)
        let (number, isNew) = index.number(hash: hash.folded) { hashes[$0] == hash }
        if isNew {
            names.append(name)
            hashes.append(hash)
        }
        return (Int32(number), isNew)
    }

    /// Forgets all names, and keeps the memory.
    mutating func removeAll() {
        names.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        index.removeAll()
    }
}

/// Reads the lines of chunks that have the skeletons of lines before them.
struct ChunkReader: ~Copyable {
    /// What stands behind a piece of a skeleton.
    private enum Step {
        case type(LineType)
        case field(LineField)
        /// A value that nothing reads, by the number of its key.
        case unknown(Int)
        case end
    }

    private var line = LogLine()
    /// Where the ticks of the line are in the chunk's times.
    private var timestamps = 0..<0, targets = 0..<0
    private var skeletons = JSONSkeletons<Step>()
    private var unknownKeys: [String] = []
    /// How many lines in a row had to be learned and couldn't.
    private var failures = 0

    private var chunk = LineChunk()
    private var metrics = ChunkMetrics()
    private var contexts = HashedIndex()
    private var contextHashes: [ContentHash] = []
    private var notedKeys: Set<Int> = []

    /// Has met no line yet.
    init() {}

    /// Reads whole lines.
    ///
    /// - Parameters:
    ///   - block: Where they are, with some zeros behind it; it has to outlive the result.
    ///   - result: A chunk that isn't needed any more, and whose memory takes what is read.
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

    /// Where a line ends, in bytes of which the last one ends a line.
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

    /// Learns the skeleton of a line, unless lines before it couldn't be learned; of those only a few are tried.
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
    /// Whether lines of the type are understood in chunks.
    fileprivate var hasChunkContent: Bool {
        switch self {
        case .pps, .frame, .frames, .scroll: true
        case .frameDrop, .screen, .metric, .run, .end, .state, .unknown: false
        }
    }
}

extension LineField {
    /// Whether lines with it are understood in chunks.
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
    /// Reads a line that has a known skeleton, and gives where the next one starts; `nil` for any other line.
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
                // White space within a value may be a line feed, which ends a line all the same.
                guard block[next] == UInt8(ascii: "\n"), Self.lineFeed(in: block, start..<end) == end,
                    add(start..<end, block)
                else { return nil }
                return next + 1
            }
        }
    }

    /// Reads a list of times to where they stay, and gives their places; `nil` for anything else.
    private mutating func readTimes(_ reader: inout JSONReader) -> Range<Int>? {
        let start = chunk.times.count
        do throws(JSONError) { try reader.readUInt64s(into: &chunk.times) } catch { return nil }
        return start..<chunk.times.count
    }

    /// Adds the line that was read; false for one that has to be read in the other way.
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

/// The numbers of the metrics of a chunk, as far as they were met.
private struct ChunkMetrics {
    /// By the number of the formula plus 1.
    private var byFormula: [[VisitMetrics.Numbered]] = []
    /// By the number of the candidate's name.
    private var candidates: [Int32] = []
    private var loadFailures: Int32 = -1, mainThreadHang: Int32 = -1

    /// The number of what a sample is of.
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

    /// The numbers of the metrics of visits by a formula; `nil`: the first.
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
