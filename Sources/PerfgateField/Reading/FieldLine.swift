import PagePerformance
import PerfgateIngest
import PerfgateJSON
import PerfgateStats

/// The meaning of keys, in lines of the perfgate log and in flat rows, whose keys the team may rename.
struct FieldKeys {
    private static let ofLog = named([
        .type, .startedAt, .visitID, .checkpoint, .continued, .inactive, .tags, .richContent, .moreAdditionalLoads,
        .moreRichContent, .metric, .unit, .values, .timestamps, .targets, .duration, .scroll, .clock,
    ])
    private static let standard = ofLog.merging(named(LogKey.columns)) { $1 }

    private static func named(_ keys: [LogKey]) -> [String: LogKey] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0.rawValue, $0) })
    }

    private let mapped: [String: LogKey]
    /// The keys of flat rows with the app's own dimensions, and their numbers as names.
    private var tags: [String: Int32] = [:]
    /// Whether a key has the same meaning in lines with and without a type.
    let isUniform: Bool

    init(_ mapping: FieldMapping, _ names: inout NameNumbers) {
        mapped = LogKey.columns.reduce(into: Self.ofLog) { keys, column in
            if case .name(let name) = mapping.source(of: column) { keys[name] = column }
        }
        for case .name(let key) in mapping.tags.values where mapped[key] == nil { tags[key] = names.number(of: key) }
        isUniform = mapped == Self.standard && tags.isEmpty
    }

    func key(_ key: JSONKey, isTyped: Bool) -> Key {
        let name = key.string
        if !isTyped, let tag = tags[name] { return (.tags, tag) }
        return ((isTyped ? Self.standard : mapped)[name] ?? .unknown, FieldNames.empty)
    }

    /// A key, and the number of the dimension whose value it is; `FieldNames.empty` for other keys.
    typealias Key = (key: LogKey, tag: Int32)
}

/// The facts of an event beside its measurements. The lines after a `run` line inherit them.
struct EventFacts {
    /// The names' numbers; negative if absent.
    var app: Int32 = -1, release: Int32 = -1, os: Int32 = -1, device: Int32 = -1, network: Int32 = -1
    var lowPower: Bool?
    /// The UTC days of `at` and `started_at`; `nil` if absent or unreadable.
    var day: Int32?, startDay: Int32?
    var user: ContentHash?
    /// The app's own dimensions, as numbers of names and values; `nil` if absent.
    var tags: [Int32: Int32]?
}

/// What a line says, before it is counted.
struct FieldLine {
    /// What only some lines have.
    indirect enum Content {
        /// The number of the metric's name; negative if absent.
        case metric(Int32, unit: String?, [Double])
        case frames(hitchRatio: Double?, dropped: Int?)
        /// Why the line can't be read.
        case problem(String)
    }

    /// Its number, from 1, including blank lines, and its bytes in the block.
    var number = 0, bytes = 0..<0
    /// The line's type; `nil` for a flat row.
    var type: LogLineType?
    var facts = EventFacts()
    /// The number of the page's name; negative if absent.
    var page: Int32 = -1
    var visit: ContentHash?
    /// Whether a later line of the same visit replaces it, whether an earlier part of the log counts the visit, and
    /// whether the app was inactive when the page began or loaded.
    var isCheckpoint = false, isContinued = false, isInactive = false
    /// The number of invalid measurements.
    var invalidCount: Int32 = 0
    var content: Content?
}

/// The lines of a chunk.
struct FieldChunk {
    var lines: [FieldLine] = []
    /// The quanta of each line's metrics, one after the other; negative if absent.
    var quanta: [Int] = []
    /// The number of lines, including blank ones.
    var lineCount = 0
    /// The keys that its reader found in rows without a type.
    var met: Set<String> = []

    /// Clears everything and keeps the memory.
    mutating func removeAll() {
        lines.removeAll(keepingCapacity: true)
        quanta.removeAll(keepingCapacity: true)
    }
}

/// Parses lines, one after the other, into memory that all of them use.
struct FieldLineReader: LineReader, ~Copyable {
    static let absent = -1
    /// The value of an invalid measurement: negative, too large, or not a number.
    static let invalid = -2
    static var emptyChunk: FieldChunk { FieldChunk() }

    var names: NameNumbers
    private let formulas = FieldMetric.all.map(PreparedFormula.init)
    var line = FieldLine()
    /// The sums of the loads after those that are listed, by the key of the sum.
    private var more: [(key: LogKey, sum: Int, count: Int)] = []
    /// Whether the page loaded; `nil` if the line has no outcome.
    private var isLoaded: Bool?
    /// A visit's or an image's outcome that isn't one of the log's words.
    var unknownOutcome: String?
    /// The measurements' quanta, indexed by the numbers of their keys.
    let numbers = UnsafeMutablePointer<Int>.allocate(capacity: FieldLineReader.keyCount)
    private static let keyCount = LogKey.allCases.count, measured = LogKey.measurements.map(\.number)

    /// Of a `metric` line.
    private var metric: Int32 = -1, unit: String?, values: [Double] = []
    var ticks = TickLists()
    private var hasTicks = false

    struct TickLists {
        var timestamps: [UInt64] = [], targets: [UInt64] = []
        var duration: UInt64?
        var hasScroll = false, isOtherClock = false
    }

    /// The keys found in rows without a type.
    private(set) var met: Set<String> = []
    private let keys: FieldKeys
    private var order: JSONKeyOrder<FieldKeys.Key>
    /// The dimension whose value comes next, if that is what the key says.
    private(set) var tag = FieldNames.empty

    init(_ mapping: FieldMapping, _ names: NameTable) {
        self.names = NameNumbers(names)
        keys = FieldKeys(mapping, &self.names)
        order = JSONKeyOrder(shapes: LogLineType.allCases.count + 1, filler: (.unknown, FieldNames.empty))
        numbers.initialize(repeating: Self.absent, count: Self.keyCount)
    }

    deinit { numbers.deallocate() }

    mutating func read(_ block: UnsafeRawBufferPointer, _ whole: Range<Int>, into chunk: inout FieldChunk) {
        chunk.removeAll()
        var lines = JSONLines()
        lines.append(UnsafeRawBufferPointer(rebasing: block[whole])) { found in
            guard case .bytes(let bytes) = found.content, let start = block.baseAddress else { return }
            read(found.number, bytes, at: bytes.baseAddress.map { $0 - start } ?? 0, into: &chunk)
        }
        (chunk.lineCount, chunk.met) = (lines.count, met)
    }

    /// Reads a line, whose bytes are at a place in a block, from an offset.
    mutating func read(
        _ number: Int, _ bytes: UnsafeRawBufferPointer, at place: Int, from offset: Int = 0,
        into chunk: inout FieldChunk
    ) {
        do throws(JSONError) {
            try read(bytes, from: offset)
            if let word = unknownOutcome, [nil, .screen, .visit].contains(line.type) {
                let known = "a visit is loaded, error or abandoned, an image loaded, hidden or error"
                line.content = .problem("the outcome \"\(word)\" isn't known: \(known)")
            } else if line.type == .metric {
                line.content = .metric(metric, unit: unit, values)
            } else if line.type == .frames, ticks.hasScroll {
                line.content = ticks.content
            }
        } catch {
            line.content = .problem("\(error)")
        }
        (line.number, line.bytes) = (number, place..<place + bytes.count)
        chunk.lines.append(line)
        for formula in formulas { chunk.quanta.append(formula.quantum(of: numbers, isLoaded: isLoaded)) }
    }

    /// Parses a line; unknown parts are validated and skipped.
    /// - Parameter known: The line's type, if known.
    private mutating func read(
        _ bytes: UnsafeRawBufferPointer, from offset: Int, as known: LogLineType? = nil
    ) throws(JSONError) {
        reset()
        line.type = known
        var reader = JSONReader(bytes, from: offset)
        try reader.enterObject()
        order.begin(shape: known.map { $0.number + 1 } ?? 0)
        var isFirst = true
        while let key = try next(&reader) {
            let bookmark = reader
            do throws(JSONError) { try readValue(of: key, &reader) } catch {
                reader = bookmark
                try readOdd(key, &reader, or: error)
            }
            if key == .type, known == nil, let type = line.type {
                // Keys before the type were read as a flat row's and may mean something else.
                guard isFirst || keys.isUniform else { return try read(bytes, from: offset, as: type) }
                order.begin(shape: type.number + 1)
            }
            isFirst = false
        }
        try reader.finish()
        addMore()
        if line.isInactive { forgetLoads() }
    }

    private mutating func reset() {
        (line, isLoaded) = (FieldLine(), nil)
        for number in Self.measured { numbers[number] = Self.absent }
        if unknownOutcome != nil { unknownOutcome = nil }
        if !more.isEmpty { more = [] }
        if metric >= 0 || unit != nil || !values.isEmpty { (metric, unit, values) = (-1, nil, []) }
        if hasTicks { (ticks, hasTicks) = (TickLists(), false) }
    }

    @inline(__always) private mutating func next(_ reader: inout JSONReader) throws(JSONError) -> LogKey? {
        if let known = order.take(&reader) {
            tag = known.tag
            return known.key
        }
        guard let found = try reader.nextKey() else { return nil }
        if line.type == nil { met.insert(found.string) }
        let known = keys.key(found, isTyped: line.type != nil)
        order.learn(found, known)
        tag = known.tag
        return known.key
    }

    @inline(__always) private mutating func readValue(of key: LogKey, _ reader: inout JSONReader) throws(JSONError) {
        switch key {
        case .at: line.facts.day = try reader.readText().withBytes(EventDay.of(text:))
        case .app: line.facts.app = names.number(of: try reader.readName())
        case .appVersion: line.facts.release = names.number(of: try reader.readName())
        case .page: line.page = names.number(of: try reader.readName())
        case .os: line.facts.os = names.number(of: try reader.readName())
        case .device: line.facts.device = names.number(of: try reader.readName())
        case .network: line.facts.network = names.number(of: try reader.readName())
        case .lowPowerMode: line.facts.lowPower = try reader.readBool()
        case .user: line.facts.user = try reader.readText().withBytes(Self.identity)
        case .outcome: takeOutcome(try reader.readText())
        case .ttfl, .ttil, .scrollThreadHang, .additionalLoads, .richContentLoads, .hitch, .hang, .durationMS:
            numbers[key.number] = quantum(try reader.readDouble(), scale: 1_000)
        case .additionalLoadCount, .richContentCount, .frameCount:
            numbers[key.number] = quantum(try reader.readDouble(), scale: 1)
        case .type: line.type = LogLineType(try reader.readText())
        case .startedAt: line.facts.startDay = try reader.readText().withBytes(EventDay.of(text:))
        case .visitID: line.visit = try reader.readText().withBytes(Self.identity)
        case .checkpoint: line.isCheckpoint = try reader.readBool()
        case .continued: line.isContinued = try reader.readBool()
        case .inactive: line.isInactive = try reader.readBool()
        case .tags where tag != FieldNames.empty: take(names.number(of: try reader.readName()), forTag: tag)
        case .tags: try readTags(&reader)
        case .richContent: try readRichContent(&reader)
        case .moreAdditionalLoads: try readMore(.additionalLoads, &reader)
        case .moreRichContent: try readMore(.richContentLoads, &reader)
        case .metric: metric = names.number(of: try reader.readName())
        case .unit: unit = try reader.readString()
        case .values:
            try reader.enterArray()
            while try reader.nextElement() { values.append(try reader.readDouble()) }
        case .timestamps, .targets, .duration, .scroll, .clock:
            hasTicks = true
            try readTicks(key, &reader)
        default: try reader.skipValue()
        }
    }

    private mutating func takeOutcome(_ word: JSONText) {
        switch word {
        case "loaded": isLoaded = true
        case "error", "abandoned": isLoaded = false
        default: unknownOutcome = word.string
        }
    }

    private mutating func readMore(_ key: LogKey, _ reader: inout JSONReader) throws(JSONError) {
        var (sum, count) = (0.0, 0)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "ms": sum = try reader.readDouble()
            case "count": count = try reader.readInt()
            default: try reader.skipValue()
            }
        }
        more.append((key, quantum(sum, scale: 1_000), count))
    }

    /// Adds the sums of further loads to those of the listed ones, whichever came first.
    private mutating func addMore() {
        for (key, sum, count) in more {
            guard let counts = key.countKey, numbers[key.number] >= 0, numbers[counts.number] >= 0 else { continue }
            let (total, overflows) = numbers[counts.number].addingReportingOverflow(count)
            if sum >= 0, count >= 0, !overflows {
                numbers[key.number] += sum
                numbers[counts.number] = total
            } else {
                numbers[key.number] = Self.invalid
            }
        }
    }

    /// Users don't wait for the page of an inactive app.
    private mutating func forgetLoads() {
        isLoaded = nil
        for key in LogKey.loads { numbers[key.number] = Self.absent }
    }

    private mutating func readTags(_ reader: inout JSONReader) throws(JSONError) {
        var found = line.facts.tags ?? [:]
        try reader.enterObject()
        while let key = try reader.nextKey() {
            let name = names.number(of: key.text)
            found[name] = names.number(of: try reader.readName())
        }
        line.facts.tags = found
    }

    mutating func take(_ value: Int32, forTag tag: Int32) {
        line.facts.tags = (line.facts.tags ?? [:]).merging([tag: value]) { $1 }
    }

    @inline(__always) mutating func quantum(_ value: Double, scale: Double) -> Int {
        if let quantum = Quantum.of(value, scale: scale) { return quantum }
        line.invalidCount += 1
        return Self.invalid
    }

    static func identity(_ bytes: UnsafeRawBufferPointer) -> ContentHash? {
        bytes.isEmpty ? nil : ContentHash(of: bytes)
    }
}
