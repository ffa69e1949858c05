import PagePerformance

/// Maps a chunk's numbers to those of all logs, each looked up on first use.
struct ChunkNumbers {
    private var pages: [Int32], tests: [Int32]
    /// The contexts, based on the open stream's.
    private var contexts: [Int32]
    /// The place of the chunk's samples in the open stream's; `nil` before its first visit.
    private var samples: SampleBlocks.Place?
    private var stream: LogStream?
    private var visits: [VisitTable.Visit] = []

    init(_ chunk: LineChunk) {
        pages = Array(repeating: -1, count: chunk.pages.names.count)
        tests = Array(repeating: -1, count: chunk.tests.names.count)
        contexts = Array(repeating: -1, count: chunk.contexts.count)
    }

    /// Hands the visits to their stream, and clears the mappings that depend on it.
    @inline(__always)
    mutating func turn(to stream: LogStream?) {
        guard stream !== self.stream else { return }
        self.stream?.content.visits.add(visits)
        visits.removeAll(keepingCapacity: true)
        self.stream = stream
        samples = nil
        forgetContexts()
    }

    /// The open stream has another context.
    mutating func forgetContexts() { for index in contexts.indices { contexts[index] = -1 } }

    /// Adds a visit of the open stream, whose content is given.
    @inline(__always)
    fileprivate mutating func add(
        _ visit: LineChunk.Visit, of chunk: borrowing LineChunk, _ iteration: Int32, _ content: inout StreamContent
    ) {
        let start = samples ?? content.visits.samples.adopt(chunk.samples)
        samples = start
        visits.append(
            VisitTable.Visit(
                id: visit.id, iteration: iteration,
                place: SampleBlocks.Place(block: start.block, start: start.start + visit.start), count: visit.count,
                ending: visit.ending, seconds: visit.seconds))
    }

    @inline(__always)
    mutating func context(
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

extension LineInterpreter {
    @inline(__always)
    static func add(
        _ found: LineChunk.Line, of chunk: borrowing LineChunk, _ iteration: Int32, _ numbers: inout ChunkNumbers,
        _ content: inout StreamContent
    ) {
        switch found.content {
        case .visit(let visit): numbers.add(visit, of: chunk, iteration, &content)
        case .ticks(let place): add(chunk.ticks[place], chunk.times, iteration, &content)
        case .scroll(let place): content.end(chunk.scrolls[place], of: iteration)
        case .drop(let drop):
            let isConverted = drop.counting == .published && drop.frames > 0
            if isConverted { content.convertedDrops += 1 }
            content.ticks.add(
                drop: isConverted ? drop.frames - 1 : drop.frames, cumulativeEvents: drop.cumulativeEvents,
                to: TickTable.ScrollKey(iteration: iteration, number: drop.scroll))
        case .points(let points):
            content.add(seconds: points.seconds, to: iteration)
            content.points.append(iteration, points.range, of: chunk.samples)
        case .other, .problem: break
        }
    }

    private static func add(
        _ ticks: LineChunk.Ticks, _ times: [UInt64], _ iteration: Int32, _ content: inout StreamContent
    ) {
        let key = TickTable.SegmentKey(iteration: iteration, scroll: ticks.scroll, segment: ticks.segment)
        let duration = ticks.duration.map(Nanoseconds.init)
        guard ticks.isSingle else {
            return content.ticks.add(
                times[ticks.timestamps], targets: times[ticks.targets], duration: duration, clock: ticks.clock, to: key)
        }
        let tick = FrameTick(
            timestamp: Nanoseconds(times[ticks.timestamps.lowerBound]),
            target: times[ticks.targets].first.map(Nanoseconds.init), duration: duration)
        content.ticks.add(tick, clock: ticks.clock, to: key)
    }
}
