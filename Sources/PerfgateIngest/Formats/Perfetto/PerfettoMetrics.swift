import PerfgateJSON
import PerfgateModel

struct PerfettoMetrics {
    /// The supported metrics, with the field of their records.
    private static let fields = [
        ("android_frame_timeline_metric", "process"), ("android_jank_cuj", "cuj"), ("android_startup", "startup"),
    ]
    static let names = Set(fields.map(\.0))

    private(set) var cells = PerfettoCells()
    private(set) var tally: RecordTally

    init(_ root: PerfettoMessage, path: String) {
        tally = RecordTally(path: path, noun: "processes, interactions and starts")
        for (metric, field) in Self.fields {
            do throws(UnusedRecord) {
                for message in try root.messages(metric) {
                    for record in try message.messages(field) { read(record, field) }
                }
            } catch {
                tally.count(error)
            }
        }
    }

    private mutating func read(_ record: PerfettoMessage, _ field: String) {
        do throws(UnusedRecord) {
            switch field {
            case "process": try process(record)
            case "cuj": try interaction(record)
            default: try start(record)
            }
            tally.countRead()
        } catch {
            tally.count(error, line: record.line)
        }
    }

    /// Reads the frames of a process.
    private mutating func process(_ record: PerfettoMessage) throws(UnusedRecord) {
        guard let name = try record.message("process")?.text("name") else { throw .skipped("they name no process") }
        guard !name.hasPrefix("/") else { throw .skipped("they are the display's") }
        var values = try frames(record)
        guard !values.isEmpty else { throw .skipped("they have no frames") }
        let janks = try record.messages("jank_types")
        // Older versions of the metric have no types; newer versions have at least an entry `None`.
        var counts = janks.isEmpty ? [:] : Dictionary(uniqueKeysWithValues: PerfettoJank.types.map { ($0, 0.0) })
        for jank in janks {
            guard let type = try jank.text("type"), type != "None", type != "Unspecified" else { continue }
            counts[type] = try jank.number("total_count") ?? 0
        }
        values += counts.sorted { $0.key.precedesInUTF8($1.key) }.map { (PerfettoJank.metric(of: $0), $1) }
        cells.add(values, of: name, page: name, subject: name)
    }

    /// Reads the frames of an interaction that the app marked, from the frame timeline if it was recorded.
    private mutating func interaction(_ record: PerfettoMessage) throws(UnusedRecord) {
        guard let name = try record.text("name") else { throw .skipped("they have no name") }
        let process = try record.message("process")?.text("name") ?? ""
        for kind in ["timeline_metrics", "trace_metrics", "counter_metrics"] {
            guard let counts = try record.message(kind) else { continue }
            let values = try frames(counts)
            guard !values.isEmpty else { continue }
            return cells.add(values, of: process, page: name, subject: process.isEmpty ? name : "\(process)/\(name)")
        }
        throw .skipped("they have no frames")
    }

    /// Reads a start of an app. The kinds of start are separate pages because their times differ greatly: after a
    /// kill (cold), of a stopped activity (warm) and of a running activity (hot).
    private mutating func start(_ record: PerfettoMessage) throws(UnusedRecord) {
        guard let app = try record.text("package_name") else { throw .skipped("they name no app") }
        var values: [(metric: Metric, value: Double)] = []
        for (field, metric) in [("to_first_frame", Metric.launch), ("report_fully_drawn", .timeToFullDisplay)] {
            if let time = try record.message(field)?.number("dur_ns") { values.append((metric, time / 1e6)) }
        }
        guard !values.isEmpty else { throw .skipped("they showed no frame") }
        cells.add(values, of: app, page: app, subject: app, variant: try record.text("startup_type"))
    }

    /// The counts and times of frames; none without a frame.
    private func frames(_ record: PerfettoMessage) throws(UnusedRecord) -> [(metric: Metric, value: Double)] {
        guard let total = try record.number("total_frames"), total > 0 else { return [] }
        var values = [(metric: Metric.frameCount, value: total)]
        for (metric, _) in PerfettoJank.counts {
            if let count = try record.number(metric.id) { values.append((metric, count)) }
        }
        for ending in Quantile.reported.map(\.ending) + ["max"] {
            // Older versions, and the longest frame in all versions, have only nanoseconds.
            var time = try record.number("frame_dur_ms_\(ending)")
            if time == nil { time = try record.number("frame_dur_\(ending)").map { $0 / 1e6 } }
            if let time { values.append((PerfettoJank.time(ending), time)) }
        }
        return values
    }
}

/// A message in trace_processor's metrics output: in protobuf's text format, or as JSON.
struct PerfettoMessage: Sendable {
    enum Value: Sendable {
        case message(PerfettoMessage)
        /// A string, a number, a Boolean or an enum case, as written in the text.
        case scalar(String)
    }

    let line: Int
    /// The values by field name, in the order of the text; a repeated field has several.
    fileprivate(set) var fields: [String: [Value]] = [:]

    /// The messages of a field; empty if it is absent.
    func messages(_ name: String) throws(UnusedRecord) -> [PerfettoMessage] {
        var messages: [PerfettoMessage] = []
        for value in fields[name] ?? [] {
            guard case .message(let message) = value else { throw error("\(name) isn't a message") }
            messages.append(message)
        }
        return messages
    }

    func message(_ name: String) throws(UnusedRecord) -> PerfettoMessage? { try messages(name).first }

    func text(_ name: String) throws(UnusedRecord) -> String? {
        guard let value = fields[name]?.first else { return nil }
        guard case .scalar(let text) = value else { throw error("\(name) isn't text") }
        return text
    }

    /// The number of a field, 0 or greater; `nil` if it is absent.
    func number(_ name: String) throws(UnusedRecord) -> Double? {
        guard let text = try text(name) else { return nil }
        guard let number = Double(text), number.isFinite, number >= 0, !text.contains("x") else {
            throw error("\(name) isn't a number of at least 0")
        }
        return number
    }

    private func error(_ problem: String) -> UnusedRecord { .failed(problem, line: line) }
}

extension PerfettoMessage {
    /// Reads a JSON object; `null` means absent.
    init(_ node: JSONNode) throws(JSONDocumentError) {
        line = node.line
        for (name, member) in try node.members() where !member.isNull {
            var values = [member]
            if case .array = member.value.content { values = try member.elements() }
            for value in values { fields[name, default: []].append(try Self.value(value)) }
        }
    }

    private static func value(_ node: JSONNode) throws(JSONDocumentError) -> Value {
        switch node.value.content {
        case .object: .message(try PerfettoMessage(node))
        case .string: .scalar(try node.string())
        case .bool: .scalar(try node.bool() ? "true" : "false")
        default: .scalar("\(try node.double())")
        }
    }

    /// Reads protobuf's text format.
    init(text: [UInt8]) throws(IngestError) {
        var parser = ProtoTextParser(text)
        self = try parser.message(depth: 0)
    }
}

/// Reads protobuf's text format as trace_processor writes it: a field has a message in braces, or a colon and a value.
private struct ProtoTextParser {
    /// The maximum depth of nested messages; trace_processor's messages have eight levels.
    private static let depthLimit = 64

    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var count = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The fields up to the closing brace; for the outermost message, up to the end.
    mutating func message(depth: Int) throws(IngestError) -> PerfettoMessage {
        var message = PerfettoMessage(line: line)
        guard depth <= Self.depthLimit else { throw error("messages nest deeper than \(Self.depthLimit)") }
        while let byte = next() {
            if byte == UInt8(ascii: "}") {
                guard depth > 0 else { throw error("a brace closes no message") }
                offset += 1
                return message
            }
            let name = try word("the name of a field")
            if next() == UInt8(ascii: ":") { offset += 1 }
            message.fields[name, default: []].append(try value(depth: depth))
            count += 1
            guard count <= JSONValueCount.limit else { throw JSONValueCount.refusal }
        }
        guard depth == 0 else { throw error("a message has no end") }
        return message
    }

    private mutating func value(depth: Int) throws(IngestError) -> PerfettoMessage.Value {
        guard let byte = next() else { throw error("a field has no value") }
        if byte == UInt8(ascii: "{") {
            offset += 1
            return .message(try message(depth: depth + 1))
        }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return .scalar(try string(until: byte)) }
        return .scalar(try word("a value"))
    }

    /// The next byte after white space, field separators and comments.
    private mutating func next() -> UInt8? {
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "#") {
                while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") { offset += 1 }
                continue
            }
            guard Self.separators.contains(byte) else { return byte }
            if byte == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
        return nil
    }

    private mutating func word(_ what: String) throws(IngestError) -> String {
        let start = offset
        while offset < bytes.count, Self.isPartOfWord(bytes[offset]) { offset += 1 }
        guard offset > start else { throw error("\(what) is missing") }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func string(until quote: UInt8) throws(IngestError) -> String {
        offset += 1
        var text: [UInt8] = []
        while offset < bytes.count, bytes[offset] != quote, bytes[offset] != UInt8(ascii: "\n") {
            text.append(bytes[offset] == UInt8(ascii: "\\") ? try escaped() : bytes[offset])
            offset += 1
        }
        guard offset < bytes.count, bytes[offset] == quote else { throw error("a string has no end") }
        offset += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// The byte of an escape sequence; the offset moves to the last byte of the sequence.
    private mutating func escaped() throws(IngestError) -> UInt8 {
        offset += 1
        guard offset < bytes.count else { throw error("a string has no end") }
        let byte = bytes[offset]
        if let known = Self.escapes[byte] { return known }
        var code = 0
        var digits = 0
        while digits < 3, offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(bytes[offset]) {
            code = code * 8 + Int(bytes[offset] - UInt8(ascii: "0"))
            offset += 1
            digits += 1
        }
        guard digits > 0 else { throw error("a string has an escape that isn't known") }
        offset -= 1
        return UInt8(truncatingIfNeeded: code)
    }

    private func error(_ problem: String) -> IngestError { .malformed(line: line, problem: problem) }

    private static let separators = Set(" \t\r\n,;".utf8)
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "t"): 0x09, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "\\"): 0x5C,
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "'"): 0x27,
    ]

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "_.+-[]/".utf8.contains(byte)
    }
}
