import PagePerformance
import PerfgateIngest
import PerfgateJSON
import PerfgateModel
import PerfgateStats

extension PageInterval {
    package init(ofMetric id: String) {
        switch id {
        case PageMetric.ttfl.rawValue: self = .firstLayout
        case PageMetric.ttil.rawValue: self = .load
        default: self = FrameMetric(rawValue: id)?.isFromScrolls ?? false ? .scroll : .visit
        }
    }
}

/// An interval of a recording in which a page was visited, loaded or scrolled.
package struct PageWindow: Sendable, Hashable, Comparable {
    package let page: String
    package let kind: PageInterval
    /// Its start and its exclusive end, in ns on the recording's clock; the end isn't before the start.
    package let start, end: Int64

    package static func < (lhs: PageWindow, rhs: PageWindow) -> Bool {
        (lhs.start, lhs.end, lhs.kind.rawValue, lhs.page) < (rhs.start, rhs.end, rhs.kind.rawValue, rhs.page)
    }
}

package enum StackUnit: String, Sendable, Hashable {
    case milliseconds = "ms"
    /// Millions of processor cycles.
    case megacycles = "Mcycles"
}

/// One recording of a process: what its main thread did.
package struct Recording: Sendable {
    package struct Sample: Sendable, Hashable {
        /// When it was taken, in ns on the recording's clock.
        var time: Int64 = 0
        /// What it stands for, in the recording's unit; above 0.
        let weight: Double
        /// Its stack in the table; −1 without frames.
        let stack: Int32
    }

    /// The file that it was read from, or the first of them.
    package let path: String
    package var unit = StackUnit.milliseconds
    package var samples: [Sample] = []
    /// How many samples those are, if one of them stands for several; `nil`: each for one.
    var sampleCount: Double?
    package var windows: [PageWindow] = []
    /// The interval of the recording in ns on its clock; `nil`: from the first sample to the last.
    package var bounds: Range<Int64>?
    /// What a file without times is about as a whole; `nil` for one with times.
    package var whole: WholeRecording?
    /// The conditions: those of the run's log, or of the trace.
    package var context = Context()
}

/// A recording that is one cut, without times.
package struct WholeRecording: Sendable, Hashable {
    package var page: String
    /// The interval that was cut; `nil`: any that is asked for.
    package var kind: PageInterval?
    /// The number of visits, or of scrolls; above 0.
    package var visits: Int
}

/// The samples of a recording in all windows of one kind on one page.
package struct ProfileCut: Sendable {
    /// The time of each stack, by its number in the table; above 0.
    package private(set) var weights: [Int32: Double] = [:]
    /// The number of windows; above 0.
    package let visits: Int
    package private(set) var sampleCount = 0
    /// The sum of all weights, samples without a stack included.
    package private(set) var total = 0.0
    package let unit: StackUnit
    package let context: Context

    /// Cuts a recording; `nil` without a window.
    package init?(_ recording: Recording, page: String, kind: PageInterval) {
        (unit, context) = (recording.unit, recording.context)
        if let whole = recording.whole {
            guard whole.page.hasSameUTF8(as: page), whole.kind == nil || whole.kind == kind else { return nil }
            visits = whole.visits
            for sample in recording.samples { add(sample) }
            sampleCount = recording.sampleCount.map { Int($0.rounded()) } ?? sampleCount
            return
        }
        let samples = recording.samples.sorted { $0.time < $1.time }
        let bounds = recording.bounds ?? (samples.first?.time ?? 0)..<(samples.last.map { $0.time + 1 } ?? 0)
        // A window that the recording's start or end cuts isn't a visit.
        let windows = recording.windows.filter {
            $0.kind == kind && $0.page.hasSameUTF8(as: page) && $0.start >= bounds.lowerBound
                && $0.end <= bounds.upperBound
        }
        guard !windows.isEmpty else { return nil }
        visits = windows.count
        for window in windows {
            var place = samples.indices.bisected { samples[$0].time >= window.start }
            while place < samples.count, samples[place].time < window.end {
                add(samples[place])
                place += 1
            }
        }
    }

    private mutating func add(_ sample: Recording.Sample) {
        weights[sample.stack, default: 0] += sample.weight
        total += sample.weight
        sampleCount += 1
    }

    /// The time of one sample divided by the visits.
    var unitPerVisit: Double { total / Double(max(1, sampleCount)) / Double(visits) }
}

/// The visits in the log of a profiled run, with their times on the recorder's clock.
struct LoggedVisits {
    /// The run's conditions; `nil` before its line.
    private(set) var context: Context?
    /// Each visit by its identity; a later line replaces a checkpoint.
    private var visits: [String: [PageWindow]] = [:]
    /// The measured intervals of each visit, whether it says when it began or not.
    private var timed: [String: Set<PageInterval>] = [:]

    /// The windows of all visits that say when they began, sorted by time.
    var windows: [PageWindow] { visits.values.joined().sorted() }

    /// Whether an interval of a visit counts. The load of a visit that ended without content doesn't, nor its first
    /// layout without one; an unknown visit's do.
    func shows(_ kind: PageInterval, ofVisit id: String?) -> Bool {
        guard kind == .load || kind == .firstLayout, let known = id.flatMap({ timed[$0] }) else { return true }
        return known.contains(kind)
    }

    mutating func read(_ path: String) throws(IngestError) {
        try ProfileLines.read(path) { line, number throws(IngestError) in
            guard line.contains(UInt8(ascii: "{")) else { return }
            do throws(JSONDocumentError) {
                try read(JSONDocument(line).root)
            } catch {
                throw .malformed(line: number, problem: "\(error.path): \(error.problem)")
            }
        }
    }

    private mutating func read(_ line: JSONNode) throws(JSONDocumentError) {
        switch try line.optional("type")?.string() {
        case "run":
            var context = Context()
            for name in Context.names { context[name] = try line.optional(name).map(Self.value) }
            self.context = context
        case "pps":
            if let id = try line.optional("visit_id")?.string() {
                timed[id] = []
                if try line.optional("ttil_ms") != nil { timed[id]?.insert(.load) }
                if try line.optional("ttfl_ms") != nil { timed[id]?.insert(.firstLayout) }
            }
            guard let page = try line.optional("page")?.string(), let start = try line.optional("start_ns")?.int64(),
                start >= 0, start < 1 << 60
            else { return }
            var windows: [PageWindow] = []
            var longest: Int64 = 0
            for (key, kind) in [("ttfl_ms", PageInterval.firstLayout), ("ttil_ms", .load), ("duration_ms", .visit)] {
                guard let time = try line.optional(key)?.double(), time >= 0, time < 1e9 else { continue }
                let nanoseconds = Int64(time * 1e6)
                longest = max(longest, nanoseconds)
                if kind == .visit { continue }
                windows.append(PageWindow(page: page, kind: kind, start: start, end: start + nanoseconds))
            }
            if longest > 0 { windows.append(PageWindow(page: page, kind: .visit, start: start, end: start + longest)) }
            let part = try line.optional("part")?.string() ?? ""
            let id = try line.optional("visit_id")?.string() ?? "\(start)"
            visits["\(part) \(id)"] = windows
        default: break
        }
    }

    private static func value(_ node: JSONNode) throws(JSONDocumentError) -> FieldValue {
        switch node.value.kind {
        case .number: .number(try node.double())
        case .bool: .flag(try node.bool())
        default: .text(try node.string())
        }
    }
}

/// Where code lies in a binary: the build's identity, as `7D0F6A4E-…` in capitals, and the distance from the start in bytes.
package struct CodeAddress: Hashable, Sendable {
    package let uuid: String
    package let offset: UInt64
}

extension CodeAddress {
    /// From numbers such as `0x1047a4a5c`; `nil` without any of them.
    init?(uuid: String?, at address: String?, from start: String?) {
        let numbers = [address, start].compactMap { $0 }.filter { $0.hasPrefix("0x") }
            .compactMap { UInt64($0.dropFirst(2), radix: 16) }
        guard let uuid, numbers.count == 2, numbers[0] >= numbers[1] else { return nil }
        self.init(uuid: uuid.uppercased(), offset: numbers[0] - numbers[1])
    }
}

package struct CodeSymbol: Sendable {
    let name: String
    /// Where it is defined; `nil` if unknown.
    let file: String?, line: Int?

    package init(name: String, file: String?, line: Int?) { (self.name, self.file, self.line) = (name, file, line) }
}
