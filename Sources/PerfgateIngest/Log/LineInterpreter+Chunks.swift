import PagePerformance
import PerfgateJSON
import PerfgateModel

/// Maps a chunk's numbers to those of all logs, each looked up on first use.
struct ChunkNumbers {
    fileprivate var pages: [Int32], tests: [Int32]
    /// The contexts, based on the open stream's.
    fileprivate var contexts: [Int32]
    /// The block in the open stream's samples with the chunk's samples; negative before its first visit.
    fileprivate var block: Int32 = -1
    fileprivate var stream: LogStream?

    fileprivate init(_ chunk: LineChunk) {
        pages = Array(repeating: -1, count: chunk.pages.names.count)
        tests = Array(repeating: -1, count: chunk.tests.names.count)
        contexts = Array(repeating: -1, count: chunk.contexts.count)
    }

    /// Clears the mappings that depend on the stream.
    fileprivate mutating func turn(to stream: LogStream) {
        guard stream !== self.stream else { return }
        self.stream = stream
        block = -1
        for index in contexts.indices { contexts[index] = -1 }
    }

    /// The number of a line's page; `nil` if its name is blank.
    @inline(__always)
    fileprivate mutating func page(
        _ found: LineChunk.Line, of chunk: borrowing LineChunk, _ tables: inout LogTables
    ) -> Int32? {
        let place = Int(found.page)
        if pages[place] < 0 { pages[place] = tables.pages.index(of: chunk.pages.names[place]) }
        return tables.pages.isBlank(pages[place]) ? nil : pages[place]
    }

    /// The number of a line's test; `nil` if it has none.
    @inline(__always)
    fileprivate mutating func test(
        _ found: LineChunk.Line, of chunk: borrowing LineChunk, _ tables: inout LogTables
    ) -> Int32? {
        guard found.test >= 0 else { return nil }
        let place = Int(found.test)
        if tests[place] < 0 { tests[place] = tables.tests.index(of: chunk.tests.names[place]) }
        return tests[place]
    }
}

extension LineChunk.Line {
    /// Whether it must be read by `LogLine`.
    fileprivate var isOther: Bool {
        if case .other = content { true } else { false }
    }
}

extension LineInterpreter {
    /// Takes the lines of a chunk, whose bytes are in a block, after a number of other lines.
    mutating func take(
        _ chunk: inout LineChunk, _ block: UnsafeRawBufferPointer, after count: Int, _ tables: inout LogTables
    ) {
        chunk.samples.renumber(by: chunk.metrics.map { Self.number(of: $0, chunk, &tables) })
        var numbers = ChunkNumbers(chunk)
        var keys = chunk.unknownKeys[...]
        var place = 0
        while place < chunk.lines.count {
            let end = chunk.lines[place...].firstIndex(where: \.isOther) ?? chunk.lines.count
            repeat {
                place = takeRead(place..<end, of: chunk, block, after: count, &numbers, &tables)
                while let key = keys.first, key.line < place {
                    line.order.note(key.key, in: count + chunk.lines[key.line].number)
                    keys.removeFirst()
                }
                guard place < chunk.lines.count else { return }
                let found = chunk.lines[place]
                let bytes = UnsafeRawBufferPointer(rebasing: block[found.bytes])
                take(JSONLine(number: count + found.number, content: .bytes(bytes), isTerminated: true), &tables)
                place += 1
            } while place < end
        }
    }

    /// Takes parsed lines; returns the index of the first one, if any, that must be read by `LogLine`, without
    /// changing anything for it.
    private mutating func takeRead(
        _ places: Range<Int>, of chunk: borrowing LineChunk, _ block: UnsafeRawBufferPointer, after count: Int,
        _ numbers: inout ChunkNumbers, _ tables: inout LogTables
    ) -> Int {
        guard !places.isEmpty else { return places.lowerBound }
        let stream = openStream()
        guard !stream.isIgnored else { return places.lowerBound }
        numbers.turn(to: stream)
        var visits: [VisitTable.Visit] = []
        defer { stream.content.visits.add(visits) }
        for place in places {
            let found = chunk.lines[place]
            guard let context = context(found, of: chunk, on: stream.context, block, &numbers, &tables) else {
                return place
            }
            noteLine(count + found.number)
            stream.content.count(UnsafeRawBufferPointer(rebasing: block[found.bytes]))
            tables.hasMeasurement = true
            let entry = tables.contexts.entries[Int(context)]
            guard entry.isTaken else {
                stream.content.hasLeftOut = true
                continue
            }
            tables.hasTakenMeasurement = true
            guard let page = numbers.page(found, of: chunk, &tables) else {
                namelessLines += 1
                continue
            }
            let key = IterationTable.Key(page: page, environment: entry.environment, iteration: found.iteration)
            let test = numbers.test(found, of: chunk, &tables)
            Self.add(found, of: chunk, key, test: test, &numbers, &visits, &stream.content)
        }
        return places.upperBound
    }

    @inline(__always)
    private static func add(
        _ found: LineChunk.Line, of chunk: borrowing LineChunk, _ key: IterationTable.Key, test: Int32?,
        _ numbers: inout ChunkNumbers, _ visits: inout [VisitTable.Visit], _ content: inout StreamContent
    ) {
        let iteration = content.iteration(key, test: test)
        switch found.content {
        case .visit(let visit):
            if numbers.block < 0 { numbers.block = content.visits.samples.adopt(chunk.samples) }
            visits.append(
                VisitTable.Visit(
                    id: visit.id, iteration: iteration,
                    place: SampleBlocks.Place(block: numbers.block, start: visit.start), count: visit.count,
                    seconds: visit.seconds, ending: visit.ending))
        case .ticks(let place): add(chunk.ticks[place], chunk.times, iteration, &content)
        case .scroll(let place): content.end(chunk.scrolls[place], of: iteration)
        case .other: break
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

    /// The number of a line's context; `nil` if it is invalid.
    @inline(__always)
    private func context(
        _ found: LineChunk.Line, of chunk: borrowing LineChunk, on base: Int32, _ block: UnsafeRawBufferPointer,
        _ numbers: inout ChunkNumbers, _ tables: inout LogTables
    ) -> Int32? {
        guard found.context >= 0 else { return base }
        let place = Int(found.context)
        if numbers.contexts[place] < 0 {
            do throws(LineError) {
                numbers.contexts[place] = try tables.contexts.index(
                    base: base, fields: chunk.contexts[place], line: block, isRunLine: false)
            } catch {
                return nil
            }
        }
        return numbers.contexts[place]
    }

    private static func number(
        of metric: LineChunk.MetricName, _ chunk: borrowing LineChunk, _ tables: inout LogTables
    ) -> Int32 {
        switch metric {
        case .page(let metric, let formula):
            let name = formula < 0 ? nil : chunk.formulas.names[Int(formula)]
            return tables.visitMetrics(formula: name).first { $0.metric == metric }?.number ?? -1
        case .loadFailures: return tables.loadFailures()
        case .mainThreadHang: return tables.mainThreadHang()
        case .candidate(let name): return tables.candidate(chunk.candidates.names[Int(name)])
        }
    }
}
