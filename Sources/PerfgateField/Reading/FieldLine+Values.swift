import PagePerformance
import PerfgateJSON
import PerfgateModel
import PerfgateStats

/// Values of unusual form: lists of times, numbers in quotes, numeric names.
extension FieldLineReader {
    /// Reads a value that failed to parse in the usual form, or throws that error.
    mutating func readOdd(_ key: LogKey, _ reader: inout JSONReader, or error: JSONError) throws(JSONError) {
        switch error.kind {
        case .mismatch(_, .null): try reader.skipValue()
        case .mismatch(.number, .array) where key.takesList: try readTimes(of: key, &reader)
        case .mismatch(.number, .string) where key.isMeasurement: readQuoted(key, try reader.readText())
        case .mismatch(.number, _) where key.isMeasurement, .numberOutOfRange where key.isMeasurement:
            try reader.skipValue()
            refuse(key)
        case .mismatch(.string, .number) where key == .at:
            line.facts.day = EventDay.of(milliseconds: try reader.readDouble())
        case .mismatch(.string, .number) where key == .startedAt:
            line.facts.startDay = EventDay.of(milliseconds: try reader.readDouble())
        case .mismatch(.string, .number): try take(reader.readNumberText(), for: key, or: error)
        case .mismatch(.string, .bool): try take(reader.readBool() ? "true" : "false", for: key, or: error)
        case .mismatch(.bool, .string) where key == .lowPowerMode:
            line.facts.lowPower = Self.flag(try reader.readString())
        case .mismatch(.bool, .number) where key == .lowPowerMode:
            line.facts.lowPower = Self.flag(try reader.readNumberText())
        default: throw error
        }
    }

    private mutating func take(_ text: String, for key: LogKey, or error: JSONError) throws(JSONError) {
        switch key {
        case .app: line.facts.app = names.number(of: text)
        case .appVersion: line.facts.release = names.number(of: text)
        case .page: line.page = names.number(of: text)
        case .os: line.facts.os = names.number(of: text)
        case .device: line.facts.device = names.number(of: text)
        case .network: line.facts.network = names.number(of: text)
        case .user: line.facts.user = Array(text.utf8).withUnsafeBytes(Self.identity)
        case .outcome: unknownOutcome = text
        case .tags where tag != FieldNames.empty: take(names.number(of: text), forTag: tag)
        default: throw error
        }
    }

    private static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    private mutating func refuse(_ key: LogKey) {
        numbers[key.number] = Self.invalid
        line.invalidCount += 1
    }

    private mutating func readQuoted(_ key: LogKey, _ text: JSONText) {
        do throws(JSONError) {
            var reader = JSONReader(text.rawBytes)
            let value = try reader.readDouble()
            try reader.finish()
            numbers[key.number] = quantum(value, scale: FieldMetric.Formula.scale(of: key))
        } catch {
            refuse(key)
        }
    }

    /// Reads a list of times; stores the sum of their quanta, and if requested their number.
    private mutating func readTimes(of key: LogKey, _ reader: inout JSONReader) throws(JSONError) {
        var sum = QuantumSum()
        try reader.enterArray()
        while try reader.nextElement() { sum.add(try reader.readDouble()) }
        keep(sum, key)
    }

    mutating func readRichContent(_ reader: inout JSONReader) throws(JSONError) {
        var sum = QuantumSum()
        try reader.enterArray()
        while try reader.nextElement() {
            var (time, isLoaded): (Double?, Bool) = (nil, true)
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key {
                case "ms" where try reader.peekKind() != .null: time = try reader.readDouble()
                case "outcome" where try reader.peekKind() != .null:
                    let word = try reader.readText()
                    isLoaded = word == "loaded"
                    if !isLoaded, !(word == "hidden" || word == "error") { unknownOutcome = word.string }
                default: try reader.skipValue()
                }
            }
            if isLoaded { sum.add(time ?? .nan) }
        }
        keep(sum, .richContentLoads)
    }

    private mutating func keep(_ sum: QuantumSum, _ key: LogKey) {
        guard sum.isSound else { return refuse(key) }
        numbers[key.number] = sum.quanta
        if let count = key.countKey { numbers[count.number] = sum.count }
    }

    mutating func readTicks(_ key: LogKey, _ reader: inout JSONReader) throws(JSONError) {
        switch key {
        case .timestamps:
            ticks.timestamps = []
            try reader.readUInt64s(into: &ticks.timestamps)
        case .targets:
            ticks.targets = []
            try reader.readUInt64s(into: &ticks.targets)
        case .duration: ticks.duration = try reader.readUInt64()
        case .clock: ticks.isOtherClock = try reader.readText() == "other"
        default:
            _ = try reader.readInt()
            ticks.hasScroll = true
        }
    }
}

/// The sum of a list's quanta; invalid if any entry is invalid.
private struct QuantumSum {
    var quanta = 0, count = 0
    var isSound = true

    mutating func add(_ time: Double) {
        count += 1
        if let quantum = Quantum.of(time) { quanta += quantum } else { isSound = false }
    }
}

extension LogKey {
    /// Whether it may have a list of times instead of their sum.
    fileprivate var takesList: Bool { [.scrollThreadHang, .additionalLoads, .richContentLoads].contains(self) }

    var countKey: LogKey? {
        switch self {
        case .additionalLoads: .additionalLoadCount
        case .richContentLoads: .richContentCount
        default: nil
        }
    }
}

/// A metric's formula for a line's measurements.
struct PreparedFormula {
    private let formula: FieldMetric.Formula
    private let isOfLoads: Bool
    /// The largest numerator.
    private let most: Int

    init(_ metric: FieldMetric) {
        (formula, isOfLoads) = (metric.formula, metric.isOfLoads)
        most =
            if case .ratio(_, _, let factor) = formula { FieldMetric.Formula.mostNumerator(factor: factor) } else {
                .max >> 2
            }
    }

    /// The quantum from a line's numbers; negative if absent.
    func quantum(of numbers: UnsafeMutablePointer<Int>, isLoaded: Bool?) -> Int {
        if isOfLoads, isLoaded == false { return FieldLineReader.absent }
        switch formula {
        case .value(let column): return min(numbers[column.number], Quantum.most)
        case .mean(let sum, let count): return quotient(numbers[sum.number], numbers[count.number], factor: 1)
        case .ratio(let part, let whole, let factor):
            return quotient(numbers[part.number], numbers[whole.number], factor: factor)
        case .failure: return isLoaded.map { $0 ? 0 : 1_000 } ?? FieldLineReader.absent
        }
    }

    private func quotient(_ part: Int, _ whole: Int, factor: Int) -> Int {
        guard part >= 0, whole > 0 else { return FieldLineReader.absent }
        return Quantum.ratio(min(part, most), per: whole, factor: factor) ?? FieldLineReader.absent
    }
}

extension FieldLineReader.TickLists {
    /// The frames of a scroll segment, by the recorder's arithmetic.
    var content: FieldLine.Content {
        var segment = FrameSegment(clock: isOtherClock ? .other : .vsync)
        var scroll = ScrollFrames()
        let duration = duration.map(Nanoseconds.init)
        for (index, timestamp) in timestamps.enumerated() {
            let target = targets.count == timestamps.count ? Nanoseconds(targets[index]) : nil
            let tick = FrameTick(timestamp: Nanoseconds(timestamp), target: target, duration: duration)
            scroll.add(segment.advance(to: tick))
        }
        var frames = IterationScrolls()
        frames.add(scroll)
        return .frames(hitchRatio: frames.hitchRatio, dropped: frames.droppedFramesTotal)
    }
}

extension JSONText {
    @inline(__always) func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard isEscaped else { return body(rawBytes) }
        var decoded: [UInt8] = []
        appendDecoded(to: &decoded)
        return decoded.withUnsafeBytes(body)
    }
}

/// The UTC day of an event since 1970-01-01, from its `at`.
enum EventDay {
    /// The last day, 9999-12-31.
    private static let last = 2_932_896
    private static let secondsADay = 86_400

    /// The day of milliseconds since 1970; `nil` before 1970 and after 9999.
    static func of(milliseconds: Double) -> Int32? {
        let day = (milliseconds / 86_400_000).rounded(.down)
        return (0...Double(last)).contains(day) ? Int32(day) : nil
    }

    /// The day of an ISO 8601 time: a date, optionally with a time to the minute or finer, and an offset; the default
    /// is UTC. `nil` for any other text, before 1970 and after 9999.
    static func of(text bytes: UnsafeRawBufferPointer) -> Int32? {
        var scanner = TimeScanner(bytes, isStrict: false)
        guard let (seconds, _) = scanner.scan(), (0..<(last + 1) * secondsADay).contains(seconds) else { return nil }
        return Int32(seconds / secondsADay)
    }
}
