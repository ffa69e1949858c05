import PagePerformance
import PerfgateModel

struct StreamContent {
    /// The number of lines that aren't blank.
    private(set) var lineCount = 0
    private(set) var hash = ContentHash()
    /// The device states; of equal neighbours the first.
    private(set) var states: [RunState] = []
    /// Whether measuring lines were excluded by the conditions of the command line.
    var hasLeftOut = false
    var convertedDrops = 0
    /// The iterations of pages; their numbers index the lists below.
    private(set) var iterations = IterationTable()
    private(set) var places = NumberedList<IterationTable.Place>()
    /// The duration of each iteration's scrolls and screens, without visits.
    private(set) var seconds: [Double] = []
    private(set) var tests: [TestSet] = []
    var ticks = TickTable()
    var visits = VisitTable()
    /// The values of lines that aren't visits.
    var points = PointTable()

    mutating func count(_ bytes: UnsafeRawBufferPointer) {
        lineCount += 1
        hash.feed(bytes)
    }

    mutating func add(_ state: RunState) { if states.last != state { states.append(state) } }

    mutating func iteration(_ key: IterationTable.Key, test: Int32?) -> Int32 {
        let (number, isNew) = iterations.number(of: key)
        if isNew {
            ticks.addIteration(place: places.number(of: key.place))
            seconds.append(0)
            tests.append(TestSet())
        }
        if let test { tests[Int(number)].insert(test) }
        return number
    }

    /// Adds what a line measures of an iteration.
    @inline(__always) mutating func add(
        _ found: LineChunk.Line, of chunk: borrowing LineChunk, _ iteration: Int32, _ numbers: inout ChunkNumbers
    ) {
        switch found.content {
        case .visit(let visit): numbers.add(visit, iteration)
        case .ticks(let place): add(chunk.ticks[place], chunk.times, iteration)
        case .scroll(let place):
            let scroll = chunk.scrolls[place]
            ticks.add(to: TickTable.ScrollKey(iteration: iteration, number: scroll.number)) {
                $0.end(duration: scroll.durationMS, scroll.sums)
            }
            seconds[Int(iteration)] += scroll.durationMS / 1_000
        case .drop(let drop):
            let isConverted = drop.counting == .published && drop.frames > 0
            if isConverted { convertedDrops += 1 }
            let frames = isConverted ? drop.frames - 1 : drop.frames
            ticks.add(to: TickTable.ScrollKey(iteration: iteration, number: drop.scroll)) {
                $0.add(drop: frames, cumulativeEvents: drop.cumulativeEvents)
            }
        case .points(let found):
            seconds[Int(iteration)] += found.seconds
            points.append(iteration, found.range, of: chunk.samples)
        case .other, .problem: break
        }
    }

    private mutating func add(_ line: LineChunk.Ticks, _ times: [UInt64], _ iteration: Int32) {
        let key = TickTable.SegmentKey(iteration: iteration, scroll: line.scroll, segment: line.segment)
        let duration = line.duration.map(Nanoseconds.init)
        guard line.isSingle else {
            return ticks.add(
                times[line.timestamps], targets: times[line.targets], duration: duration, clock: line.clock, to: key)
        }
        let tick = FrameTick(
            timestamp: Nanoseconds(times[line.timestamps.lowerBound]),
            target: times[line.targets].first.map(Nanoseconds.init), duration: duration)
        ticks.add(tick, clock: line.clock, to: key)
    }

    /// Clears the visits and values after they were moved out.
    mutating func dropValues() {
        visits = VisitTable()
        points = PointTable()
    }
}

/// Maps a chunk's numbers to those of all logs, each looked up on first use.
struct ChunkNumbers {
    private var pages: [Int32], tests: [Int32]
    /// The contexts, based on the open stream's.
    private var contexts: [Int32]
    private var stream: LogStream?
    /// The open stream's visits in the chunk, with places in the chunk's samples.
    private var visits: [VisitTable.Visit] = []

    init(_ chunk: LineChunk) {
        pages = Array(repeating: -1, count: chunk.pages.names.count)
        tests = Array(repeating: -1, count: chunk.tests.names.count)
        contexts = Array(repeating: -1, count: chunk.contexts.count)
    }

    /// Hands the visits to their stream, with the chunk's samples, and clears the mappings that depend on it.
    @inline(__always) mutating func turn(to stream: LogStream?, of chunk: borrowing LineChunk) {
        guard stream !== self.stream else { return }
        self.stream?.content.visits.add(visits, of: chunk.samples)
        visits.removeAll(keepingCapacity: true)
        self.stream = stream
        forgetContexts()
    }

    /// The open stream has another context.
    mutating func forgetContexts() { for index in contexts.indices { contexts[index] = -1 } }

    /// Adds a visit of the open stream.
    @inline(__always) mutating func add(_ visit: LineChunk.Visit, _ iteration: Int32) {
        visits.append(
            VisitTable.Visit(
                id: visit.id, iteration: iteration, place: SampleBlocks.Place(block: 0, start: visit.start),
                count: visit.count, ending: visit.ending, seconds: visit.seconds))
    }

    @inline(__always) mutating func context(
        _ found: LineChunk.Line, of chunk: borrowing LineChunk, on base: Int32, _ block: UnsafeRawBufferPointer,
        _ tables: inout LogTables
    ) throws(LineError) -> Int32 {
        guard found.context >= 0 else { return base }
        let place = Int(found.context)
        if contexts[place] < 0 {
            contexts[place] = try tables.contexts.index(
                base: base, fields: chunk.contexts[place], line: block, isRunLine: false)
        }
        return contexts[place]
    }

    /// The number of a line's page; `nil` if its name is blank.
    @inline(__always)
    mutating func page(_ found: LineChunk.Line, of chunk: borrowing LineChunk, _ tables: inout LogTables) -> Int32? {
        let place = Int(found.page)
        if pages[place] < 0 { pages[place] = tables.pages.index(of: chunk.pages.names[place]) }
        return tables.pages.isBlank(pages[place]) ? nil : pages[place]
    }

    @inline(__always)
    mutating func test(_ found: LineChunk.Line, of chunk: borrowing LineChunk, _ tables: inout LogTables) -> Int32? {
        guard found.test >= 0 else { return nil }
        let place = Int(found.test)
        if tests[place] < 0 { tests[place] = tables.tests.index(of: chunk.tests.names[place]) }
        return tests[place]
    }
}

/// Values that lines of a stream give directly, with their iterations.
struct PointTable {
    private(set) var iterations: [Int32] = []
    var samples = SampleColumns()

    /// Adds some of other values; NaN means that a metric was measured without a sample.
    mutating func append(_ iteration: Int32, _ range: Range<Int>, of others: SampleColumns) {
        iterations.append(contentsOf: repeatElement(iteration, count: range.count))
        samples.append(range, of: others)
    }
}

struct StreamIdentity: Hashable, Comparable {
    let run: String, shard: String, part: String

    static func < (lhs: StreamIdentity, rhs: StreamIdentity) -> Bool {
        if lhs.run != rhs.run { return lhs.run.precedesInUTF8(rhs.run) }
        if lhs.shard != rhs.shard { return NaturalOrder.precedes(lhs.shard, rhs.shard) }
        return NaturalOrder.precedes(lhs.part, rhs.part)
    }
}

extension LogStream {
    var identity: StreamIdentity {
        StreamIdentity(run: runID ?? "implicit-\(content.hash.text)", shard: facts.shard ?? "", part: facts.part ?? "")
    }

    /// The streams by identity: equal content counts once, different content is an error.
    static func distinct(_ streams: [LogStream]) -> ([LogStream], [Diagnostic]) {
        var distinct: [LogStream] = []
        var diagnostics: [Diagnostic] = []
        let groups = Dictionary(
            grouping: streams.filter { $0.content.lineCount > 0 || !$0.badLines.isEmpty }, by: \.identity)
        for (identity, group) in groups.sorted(by: { $0.key < $1.key }) {
            let ordered = group.sorted { $0.facts.path.precedesInUTF8($1.facts.path) }
            for stream in ordered.dropFirst() {
                diagnostics.append(stream.repetition(of: ordered[0], as: identity.run))
            }
            distinct.append(ordered[0])
        }
        return (distinct, diagnostics)
    }

    /// A diagnostic about another stream with this one's identity; other content is a fault of that stream.
    private func repetition(of first: LogStream, as run: String) -> Diagnostic {
        let (path, firstPath) = (facts.path, first.facts.path)
        if content.hash == first.content.hash, content.lineCount == first.content.lineCount {
            let message = "It is the same stream as \(firstPath), and was counted once."
            return Diagnostic(.repeatedStream, path: path, message)
        }
        let conflict = { (path: String) in
            "Run \(run) has the same part in \(path) with other content. Give each launch a part of its own."
        }
        first.facts.faults.append(conflict(path))
        return Diagnostic(.conflictingStream, path: path, conflict(firstPath))
    }
}

/// A few tests by number; adjacent lines usually have the same one.
struct TestSet {
    private(set) var numbers: Set<Int32> = []
    private var last: Int32 = -1

    @inline(__always) mutating func insert(_ test: Int32) {
        guard test != last else { return }
        last = test
        numbers.insert(test)
    }

    mutating func formUnion(_ other: TestSet) { numbers.formUnion(other.numbers) }
}

/// The natural order: `launch-2` before `launch-10`.
enum NaturalOrder {
    /// Whether one text sorts before the other: digits by number, everything else by bytes.
    static func precedes(_ lhs: String, _ rhs: String) -> Bool {
        var (left, right) = (lhs.utf8[...], rhs.utf8[...])
        while let l = left.first, let r = right.first {
            if l.isDigit, r.isDigit {
                let (first, second) = (takeNumber(&left), takeNumber(&right))
                if first.count != second.count { return first.count < second.count }
                if !first.elementsEqual(second) { return first.lexicographicallyPrecedes(second) }
            } else {
                if l != r { return l < r }
                left.removeFirst()
                right.removeFirst()
            }
        }
        return left.isEmpty ? !right.isEmpty || lhs.precedesInUTF8(rhs) : false
    }

    /// Removes the digits at the start, without leading zeros.
    private static func takeNumber(_ text: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = text.prefix(while: \.isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }
}
