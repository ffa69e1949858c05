import PagePerformance
import PerfgateModel

/// The content of complete lines of a log, as numbers.
///
/// Names, contexts and metrics have numbers local to the chunk, so chunks are read in parallel, independent of others.
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

    /// Adds a metric and returns its number.
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
