import PagePerformance
import PerfgateJSON
import PerfgateModel

/// The content of complete lines of a log, as numbers. Names, contexts and metrics have numbers local to the chunk, so
/// chunks are read in parallel, independent of others.
struct LineChunk {
    enum Content {
        case problem(Int)
        case visit(Visit)
        case ticks(Int)
        case scroll(Int)
        case drop(Drop)
        case points(Points)
        /// A line of a type that measures nothing, by its index in `others`.
        case other(Int)
    }

    /// What is unusual in a readable line.
    struct Quirks: OptionSet {
        let rawValue: UInt8
        static let duplicateKey = Quirks(rawValue: 1), numberAsText = Quirks(rawValue: 2)
        /// A measurement with the number of a run's iterations.
        static let iterations = Quirks(rawValue: 4)
    }

    /// A line that isn't blank.
    struct Line {
        /// Its number in the chunk, from 1, including blank lines.
        let number: Int
        /// Its bytes within the block, without a line feed and a preceding carriage return.
        let bytes: Range<Int>
        /// `nil` for a line that can't be read.
        let type: LogLineType?
        var content: Content
        var quirks: Quirks = []
        /// The page, test and context numbers; negative if absent.
        var page: Int32 = -1, test: Int32 = -1, context: Int32 = -1
        var iteration = 0
    }

    struct Visit {
        let id: ContentHash?
        let seconds: Double
        let ending: VisitEnding
        let start: Int32, count: Int32
    }

    struct Scroll {
        let number: Int
        let durationMS: Double
        let sums: ScrollSums
    }

    struct Drop {
        let scroll: Int, frames: Int, cumulativeEvents: Int
        let counting: Counting
    }

    /// The values of a screen or a metric.
    struct Points {
        let start: Int32, count: Int32
        /// The duration of the screen; 0 for a metric.
        let seconds: Double

        var range: Range<Int> { Int(start)..<Int(start + count) }
    }

    struct Ticks {
        let timestamps: Range<Int>, targets: Range<Int>
        let duration: UInt64?
        let scroll: Int?
        let segment: Int
        let clock: FrameClock
        let isSingle: Bool
    }

    var lines: [Line] = []
    /// The number of lines, including blank ones.
    var lineCount = 0
    /// The values of visits, screens and metrics, by the numbers of their metrics.
    var samples = SampleColumns()
    var scrolls: [Scroll] = []
    var ticks: [Ticks] = []
    var others: [RareFields] = []
    var problems: [LineError] = []
    var times: [UInt64] = []
    var pages = NameList(), tests = NameList()
    /// The metrics, with their kinds if they are visit metrics.
    var metrics: [(key: MetricKey, kind: PageMetric?)] = []
    /// The context fields of lines; ranges are within the block.
    var contexts: [[LogLine.ContextField]] = []
    /// Unknown keys, with the index in `lines` of the first line that has them.
    var unknownKeys: [(line: Int, key: String)] = []

    func fields(of line: Line) -> [LogLine.ContextField] { line.context < 0 ? [] : contexts[Int(line.context)] }

    mutating func add(_ key: MetricKey, kind: PageMetric? = nil) -> Int32 {
        metrics.append((key, kind))
        return Int32(metrics.count - 1)
    }

    /// Clears everything and keeps the memory.
    mutating func removeAll() {
        lines.removeAll(keepingCapacity: true)
        lineCount = 0
        // The values of visits are retained elsewhere, so their memory is replaced; the next chunk has about as many.
        let count = samples.count
        samples.removeAll()
        samples.reserve(count + count / 16)
        scrolls.removeAll(keepingCapacity: true)
        ticks.removeAll(keepingCapacity: true)
        others.removeAll(keepingCapacity: true)
        problems.removeAll(keepingCapacity: true)
        times.removeAll(keepingCapacity: true)
        pages.removeAll()
        tests.removeAll()
        metrics.removeAll(keepingCapacity: true)
        contexts.removeAll(keepingCapacity: true)
        unknownKeys.removeAll()
    }
}

/// The numbers of a chunk's metrics.
struct ChunkMetrics {
    private(set) var loadFailures: Int32 = -1, mainThreadHang: Int32 = -1
    private var formulas = NameList()
    /// The visit metrics by the number of their formula plus 1; the first ones are those of lines without a formula.
    private var byFormula: [[(metric: PageMetric, number: Int32)]] = []
    private var candidateNames = NameList()
    private var candidates: [Int32] = []
    /// By their counting and threshold of hangs.
    private var screens: [ScreenKind: [Int32]] = [:]
    private var custom: [ContentHash: (Int32, UnitConversion)] = [:]

    private struct ScreenKind: Hashable {
        let counting: Counting
        let hangThreshold: Double?
    }

    init() {}

    init(_ chunk: inout LineChunk) {
        loadFailures = chunk.add(MetricKey(metric: .loadFailures))
        mainThreadHang = chunk.add(MetricKey(metric: .mainThreadHang))
    }

    mutating func number(ofCandidate key: JSONText, _ chunk: inout LineChunk) -> Int32 {
        let (number, isNew) = candidateNames.number(of: key)
        if isNew {
            let key = Self.composed(key)
            let name = key.hasSuffix("_ms") ? String(key.dropLast(3)) : key
            candidates.append(
                chunk.add(MetricKey(metric: Metric(id: "candidates.\(name)", unit: .milliseconds, better: .lower))))
        }
        return candidates[Int(number)]
    }

    /// The numbers of a formula's visit metrics; `nil`: the first formula.
    @inline(__always) mutating func numbers(
        formula: JSONText?, _ chunk: inout LineChunk
    ) -> [(metric: PageMetric, number: Int32)] {
        let index = formula.map { Int(formulas.number(of: $0).number) + 1 } ?? 0
        if index < byFormula.count, !byFormula[index].isEmpty { return byFormula[index] }
        while byFormula.count <= index { byFormula.append([]) }
        let name = Self.name(of: formula)
        byFormula[index] = PageMetric.allCases.map { metric in
            (metric, chunk.add(MetricKey(metric: Metric(metric), formula: name), kind: metric))
        }
        return byFormula[index]
    }

    /// The name of a formula, the first one if a line has none.
    private static func name(of formula: JSONText?) -> String { formula.map(composed) ?? "1" }

    /// A name in Unicode's composed form: texts that look equal are equal.
    private static func composed(_ name: JSONText) -> String { name.string.precomposedStringWithCanonicalMapping }

    /// The numbers of the metrics of screens, in the order of `screenMetrics`.
    mutating func numbers(ofScreens line: RareFields, _ chunk: inout LineChunk) -> [Int32] {
        let kind = ScreenKind(counting: line.counting, hangThreshold: line.hangThreshold)
        if let known = screens[kind] { return known }
        // Hangs with another threshold are different, like another formula.
        let hangs = kind.hangThreshold.map { "hang_threshold_ms=\(Int(exactly: $0).map(String.init) ?? "\($0)")" }
        let numbers = RareFields.screenMetrics.map { metric in
            let formula = metric == .hangRate ? hangs ?? "1" : "1"
            return chunk.add(MetricKey(metric: Metric(metric), counting: line.counting, formula: formula))
        }
        screens[kind] = numbers
        return numbers
    }

    /// The number of a `metric` line's metric, and the conversion of its values.
    mutating func number(
        of line: RareFields, formula: JSONText?, _ known: KnownMetrics, _ chunk: inout LineChunk
    ) -> (number: Int32, conversion: UnitConversion) {
        var hash = ContentHash()
        for text in [line.metric, line.unit, line.better, formula] {
            hash.feed(text?.rawBytes ?? UnsafeRawBufferPointer(start: nil, count: 0))
        }
        withUnsafeBytes(of: (line.counting, formula == nil)) { hash.feed($0) }
        if let known = custom[hash] { return known }
        let id = line.metric?.string ?? ""
        let conversion = UnitConversion(from: line.unit?.string ?? "")
        let better = line.better.flatMap { Better(rawValue: $0.string) } ?? known.facts(of: id)?.better ?? .lower
        let metric = Metric(id: id, unit: conversion.unit, better: better)
        let number = chunk.add(MetricKey(metric: metric, counting: line.counting, formula: Self.name(of: formula)))
        custom[hash] = (number, conversion)
        return (number, conversion)
    }
}
