import PagePerformance
import PerfgateIngest
import PerfgateJSON
import PerfgateModel

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
                longest = max(longest, Int64(time * 1e6))
                if kind != .visit {
                    windows.append(PageWindow(page: page, kind: kind, start: start, end: start + Int64(time * 1e6)))
                }
            }
            windows.append(PageWindow(page: page, kind: .visit, start: start, end: start + longest))
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
