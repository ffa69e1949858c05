import PagePerformance
import PerfgateIngest
import PerfgateJSON
import PerfgateModel
import PerfgateStats

/// Reads files of events one after the other; each gives separate numbers.
struct FieldReader: ~Copyable {
    private(set) var names: FieldNames
    private let base: Int32, candidate: Int32
    private let arms: PreparedArms?
    /// The first and the last day to use.
    private let first: Int32, last: Int32
    /// The days that an event can have.
    private let possible: ClosedRange<Int32>
    /// The counted files by number of lines, with which a file that grew begins.
    var known: [Int: Set<FieldSource>] = [:]
    private let conditions: [(column: LogKey, tag: Int32, value: Int32)]
    private let strata: SIMD8<Int32>
    /// The keys of the app's own dimensions by which events are counted, by their places.
    private let tags: [(place: Int, key: Int32)]
    private let readers: ChunkReaders<FieldLineReader>
    /// Reads lines that cross blocks, each into its own chunk.
    private var single: FieldLineReader
    private var crossing = FieldChunk()
    /// The keys found in rows without a type.
    private var met: Set<String> = []

    private var content: FieldContent
    /// The facts of the last `run` line; of no run before it and after its end.
    private var run = EventFacts()
    private var isInRun = false
    private var pending = PendingVisits()
    private var isAtStart = true
    private var lineNumber = 0
    private let hitchRatio: Int, droppedFrames: Int

    init(_ options: FieldOptions) {
        var names = FieldNames(options.mapping)
        base = options.pair.map { names.number(of: $0.base) } ?? -1
        candidate = options.pair.map { names.number(of: $0.candidate) } ?? -1
        arms = options.pair.flatMap { PreparedArms($0, &names) }
        conditions = options.conditions.map {
            ($0.column, names.number(ofTag: $0.tag ?? ""), names.number(of: $0.value))
        }
        first = Int32(options.since?.number ?? 0)
        last = options.until.map { Int32($0.number) } ?? .max
        possible = options.today.map { Int32($0.possible.lowerBound)...Int32($0.possible.upperBound) } ?? 0...(.max)
        strata = FieldStratum.mask(options.mapping.strata)
        tags = zip(FieldStratum.places(of: options.tags), options.tags).map { place, stratum in
            (place, names.number(ofTag: stratum.tag ?? ""))
        }
        hitchRatio = names.metric(names.number(of: FrameMetric.hitchRatio.rawValue))
        droppedFrames = names.metric(names.number(of: FrameMetric.droppedFramesTotal.rawValue))
        let (mapping, table) = (options.mapping, names.numbers.table)
        readers = ChunkReaders { FieldLineReader(mapping, table) }
        single = FieldLineReader(mapping, table)
        content = FieldContent(PairTally(base: base, candidate: candidate))
        self.names = names
    }

    /// Diagnostics about configured column names that no row had: often a typo that loses a metric.
    func unusedColumns(_ mapping: FieldMapping) -> [Diagnostic] {
        let met = met.union(single.met)
        return LogKey.columns.compactMap { column in
            guard case .name(let name)?? = mapping.columns[column], !met.contains(name) else { return nil }
            return Diagnostic(
                .unusedSetting,
                "No row has \"\(name)\", which field.columns names for \(column.rawValue): correct the name, remove the days "
                    + "of these files from the folder `days`, since a file counts once, and roll them up again. Lines with "
                    + "a type use the log's own keys.")
        }
    }

    var emptyPair: PairTally { PairTally(base: base, candidate: candidate) }

    /// Reads a file; `advance` gets the number of bytes read so far.
    mutating func read(_ path: String, advance: (Int) -> Void) throws(IngestError) -> FieldContent {
        // An abandoned file must not affect the next one.
        (run, isInRun, isAtStart, pending) = (EventFacts(), false, true, PendingVisits())
        content = FieldContent(emptyPair)
        var (queue, lines) = (LineQueue(readers), JSONLines())
        var (isFirst, isParquet) = (true, false)
        var stream = try ByteStream(path: path)
        while try stream.nextBlock({ block in
            isParquet = isFirst && block.bytes.starts(with: "PAR1".utf8)
            isFirst = false
            if !isParquet { queue.append(block) { take($0, &lines) } }
        }), !isParquet { advance(stream.readCount) }
        if isParquet { throw .refused(reason: Self.parquet) }
        queue.finish { take($0, &lines) }
        close()
        var result = FieldContent(emptyPair)
        swap(&result, &content)
        return result
    }

    /// The advice for Parquet, by which `FieldRollUp` reports the first of many files.
    static let parquet = """
        It is a Parquet file. Let an engine count its events: perfgate field rollup --via 'duckdb -csv' --dialect duckdb \
        --table-sql "SELECT * FROM read_parquet('FILES')"
        """

    private mutating func take(_ piece: LineQueue<FieldLineReader>.Piece, _ lines: inout JSONLines) {
        switch piece {
        case .crossing(let line): lines.give(line) { take($0) }
        case .lines(let reading):
            reading.finish { chunk in
                for index in chunk.lines.indices { take(index, of: chunk, reading.block.bytes, after: lines.count) }
                lines.skip(chunk.lineCount)
                met.formUnion(chunk.met)
            }
        }
    }

    /// Takes a line outside of a chunk.
    private mutating func take(_ found: JSONLine) {
        guard case .bytes(let bytes) = found.content else { return refuse(found.number, "it is too long") }
        crossing.removeAll()
        single.read(
            found.number, bytes, at: 0, from: isAtStart ? JSONReader.byteOrderMarkLength(of: bytes) : 0, into: &crossing
        )
        isAtStart = false
        take(0, of: crossing, bytes, after: 0)
    }

    private mutating func take(_ index: Int, of chunk: FieldChunk, _ block: UnsafeRawBufferPointer, after before: Int) {
        let (line, number) = (chunk.lines[index], before + chunk.lines[index].number)
        let bytes = UnsafeRawBufferPointer(rebasing: block[line.bytes])
        if isAtStart, JSONReader.byteOrderMarkLength(of: bytes) > 0 {
            return take(JSONLine(number: number, content: .bytes(bytes), isTerminated: true))
        }
        isAtStart = false
        if content.beginning == nil, let sources = known[content.lineCount] {
            let own = FieldSource.text(content.hash)
            content.beginning = sources.first { $0.hash == own }.map { ($0, number) }
        }
        content.lineCount += 1
        content.hash.feed(bytes)
        lineNumber = number
        if case .problem(let problem)? = line.content { return refuse(number, problem) }
        let (start, width) = (index * FieldMetric.all.count, FieldMetric.all.count)
        let quanta = chunk.quanta[start..<start + width]
        switch line.type {
        case nil, .screen: if let event = event(line) { count(quanta, event) }
        case .visit: countVisit(line, quanta)
        case .metric: countValues(of: line)
        case .frames: countFrames(of: line)
        case .run:
            close()
            (run, isInRun) = (line.facts, true)
        case .end: close()
        case .state: if let tags = line.facts.tags { run.tags = tags }
        case .scroll: break
        case .frame, .frameDrop, .unknown: content.omissions.add(.type)
        }
    }

    private mutating func refuse(_ number: Int, _ problem: String) {
        content.omissions.add(.unreadable)
        if content.firstUnreadable == nil { content.firstUnreadable = (number, problem) }
    }

    private mutating func close() {
        countPending()
        (run, isInRun) = (EventFacts(), false)
    }
}

extension FieldReader {
    /// Where the line counts, and whose it is; `nil` if it doesn't count, which is recorded.
    private mutating func event(_ line: FieldLine) -> FieldEvent? {
        let facts = line.facts
        guard let day = facts.day ?? facts.startDay ?? run.startDay ?? run.day else {
            return omit(.day, Omissions.noDay)
        }
        guard first <= day, day <= last else { return omit(.otherDay, Omissions.noDay) }
        guard possible ~= day else {
            if content.firstImpossible == nil { content.firstImpossible = lineNumber }
            return omit(.impossibleDay, Omissions.noDay)
        }
        guard line.page > FieldNames.empty else { return omit(.page, day) }
        let release = Self.known(facts.release, run.release)
        guard release != FieldNames.empty else { return omit(.release, day) }
        let (app, os) = (Self.known(facts.app, run.app), Self.known(facts.os, run.os))
        let (device, network) = (Self.known(facts.device, run.device), Self.known(facts.network, run.network))
        let lowPower = facts.lowPower ?? run.lowPower
        let tags = facts.tags ?? run.tags ?? [:]
        for condition in conditions {
            let value =
                switch condition.column {
                case .app: app
                case .appVersion: release
                case .page: line.page
                case .os: os
                case .device: device
                case .network: network
                case .tags: tags[condition.tag] ?? FieldNames.empty
                default: FieldNames.flag(lowPower)
                }
            if value != condition.value { return omit(.condition, Omissions.noDay) }
        }
        if line.invalidCount > 0 { content.omissions.add(.value, day: day, count: Int(line.invalidCount)) }
        let strata = names.strata(os: os, device: device, network: network, lowPower: lowPower)
        let place = FieldPlace(
            app: app, page: line.page, release: release, day: day, strata: SIMD8(lowHalf: strata, highHalf: .zero))
        return FieldEvent(place: place, user: facts.user ?? run.user, tags: tags)
    }

    private mutating func omit(_ reason: FieldOmission, _ day: Int32) -> FieldEvent? {
        content.omissions.add(reason, day: day)
        return nil
    }

    private static func known(_ own: Int32, _ inherited: Int32) -> Int32 {
        own >= 0 ? own : max(inherited, FieldNames.empty)
    }

    /// Counts a visit; of visits with the same identifier in a run only the last counts, as in the gate.
    private mutating func countVisit(_ line: FieldLine, _ quanta: ArraySlice<Int>) {
        guard let event = event(line) else { return }
        if line.isContinued { return content.omissions.add(.continued, day: event.place.day) }
        if line.isInactive, !line.isCheckpoint { content.omissions.add(.inactive, day: event.place.day) }
        // Outside of a run the last line of a visit isn't known.
        if line.isCheckpoint, !isInRun { return content.omissions.add(.checkpoint, day: event.place.day) }
        guard let visit = line.visit, isInRun else { return count(quanta, event) }
        pending.keep(event, Array(quanta), visit)
        if pending.isFull { countPending() }
    }

    private mutating func countPending() { for (event, quanta) in pending.take() { count(quanta[...], event) } }

    /// Counts an event with the quanta of its metrics; negative if absent.
    private mutating func count(_ quanta: ArraySlice<Int>, _ event: FieldEvent) {
        let number = begin(event)
        if !event.tags.isEmpty { content.tags.add(event.tags, day: event.place.day) }
        var isEmpty = true
        for (metric, quantum) in quanta.enumerated() where quantum >= 0 {
            isEmpty = false
            content.tally.add(quantum, metric: metric, toPlace: number)
            content.pair.add(quantum, metric: metric)
        }
        if isEmpty { content.omissions.add(.empty, day: event.place.day) }
    }

    /// Counts an event, whose values follow; returns the number of its place.
    private mutating func begin(_ event: FieldEvent) -> Int {
        var plain = event.place
        plain.strata &= strata
        for tag in self.tags { plain.strata[tag.place] = event.tags[tag.key] ?? FieldNames.empty }
        let number = content.tally.number(of: plain)
        content.tally.add(toPlace: number)
        content.pair.begin(arms?.place(event.place, event.tags) ?? event.place, user: event.user)
        return number
    }

    private mutating func countValues(of line: FieldLine) {
        guard case .metric(let name, let unit, let values)? = line.content, name >= 0 else {
            return refuse(lineNumber, "the line has no \"metric\", which its type needs")
        }
        let index = names.metric(name)
        let (metric, scale) = (names.metrics[index].metric, names.metrics[index].scale)
        let conversion = UnitConversion(from: unit ?? metric.unit.symbol)
        guard metric.unit == Unit("") || conversion.unit == metric.unit else {
            return refuse(lineNumber, "\(metric.id) is in \(metric.unit), and the line's unit doesn't convert to it")
        }
        guard let event = event(line) else { return }
        let number = begin(event)
        if values.isEmpty { content.omissions.add(.empty, day: event.place.day) }
        for value in values {
            add(Quantum.of(conversion.convert(value), scale: scale), metric: index, number, event)
        }
    }

    /// Counts the ticks of a scroll segment.
    private mutating func countFrames(of line: FieldLine) {
        guard case .frames(let ratio, let dropped)? = line.content, let event = event(line) else { return }
        let number = begin(event)
        if ratio == nil { content.omissions.add(.empty, day: event.place.day) }
        for case (let metric, let value?) in [(hitchRatio, ratio), (droppedFrames, dropped.map(Double.init))] {
            add(Quantum.of(value), metric: metric, number, event)
        }
    }

    private mutating func add(_ quantum: Int?, metric: Int, _ number: Int, _ event: FieldEvent) {
        guard let quantum else { return content.omissions.add(.value, day: event.place.day) }
        content.tally.add(quantum, metric: metric, toPlace: number)
        content.pair.add(quantum, metric: metric)
    }
}

/// Where an event counts, and whose it is.
private struct FieldEvent {
    /// The place by all strata.
    let place: FieldPlace
    let user: ContentHash?
    let tags: [Int32: Int32]
}

/// The visits of the current run: a later line with the same identifier replaces an earlier one.
private struct PendingVisits {
    typealias Visit = (event: FieldEvent, quanta: [Int])

    private struct Key: Hashable { let id: ContentHash, page: Int32 }

    private var visits: [Visit] = []
    private var numbers: [Key: Int] = [:]

    /// More visits than an app launch has; beyond that, all are counted to limit memory.
    private static let most = 4_096

    var isFull: Bool { visits.count >= Self.most }

    mutating func keep(_ event: FieldEvent, _ quanta: [Int], _ id: ContentHash) {
        let key = Key(id: id, page: event.place.page)
        if let number = numbers[key] { return visits[number] = (event, quanta) }
        numbers[key] = visits.count
        visits.append((event, quanta))
    }

    mutating func take() -> [Visit] {
        guard !visits.isEmpty else { return [] }
        defer { (visits, numbers) = ([], [:]) }
        return visits
    }
}

extension FieldStratum {
    /// All bits of the used strata, no bits of others.
    static func mask(_ strata: [FieldStratum]) -> SIMD8<Int32> {
        var mask = SIMD8<Int32>.zero
        for (index, stratum) in allCases.enumerated() where strata.contains(stratum) { mask[index] = -1 }
        return mask
    }
}
