import PerfgateJSON
import PerfgateModel

/// Reads trace_processor's output for a trace of Android: the table of the frame timeline, and the metrics
/// `android_frame_timeline_metric`, `android_jank_cuj` and `android_startup`, as text or as JSON.
///
/// A frame can be janky for several reasons. The reasons belong to the app or the system as in
/// `android_frame_timeline_metric.sql` of Perfetto.
enum PerfettoReader: ForeignReader {
    static let name = "perfetto"
    static let title = "frames and starts of Perfetto's trace_processor"
    static let recipe =
        "trace_processor --run-metrics android_frame_timeline_metric,android_startup app.pftrace > metrics.txt"

    static func recognises(_ head: ForeignHead) -> Bool {
        if let outline = head.outline {
            return !outline.isArray && !outline.keys.isDisjoint(with: PerfettoMetrics.names)
        }
        guard let first = head.lines.first(where: { !$0.isEmpty }) else { return false }
        if FrameTimelineTable.isHeader(first.prefix(4_096)) { return true }
        // A message in the text format that contains a known metric.
        let name = first.prefix { $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        guard !name.isEmpty, first[name.endIndex...].filter({ $0 != UInt8(ascii: " ") }) == Array("{".utf8) else {
            return false
        }
        return PerfettoMetrics.names.contains { ForeignHead.contains("\($0) {", in: head.bytes) }
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        let first = file.bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if first == UInt8(ascii: "{") {
            return try result(file, file.readJSON { root throws(JSONDocumentError) in try PerfettoMessage(root) })
        }
        let line = file.bytes.drop { [0x0A, 0x0D].contains($0) }.prefix { $0 != UInt8(ascii: "\n") }
        guard FrameTimelineTable.isHeader(line) else { return result(file, try PerfettoMessage(text: file.bytes)) }
        let table = try FrameTimelineTable(file)
        var cells = PerfettoCells()
        for layer in table.layers { cells.add(layer) }
        return ForeignResult(runs: cells.runs(of: file), tallies: [table.tally])
    }

    private static func result(_ file: ForeignFile, _ root: PerfettoMessage) -> ForeignResult {
        let metrics = PerfettoMetrics(root, path: file.path)
        return ForeignResult(runs: metrics.cells.runs(of: file), tallies: [metrics.tally])
    }
}

/// Collects the content of one file by process.
struct PerfettoCells {
    private var cells: [String: [ForeignCell]] = [:]
    private var iterations: [[String]: Int] = [:]

    func runs(of file: ForeignFile) -> [ForeignRun] {
        ForeignRun.ofApps(cells, in: file, named: PerfettoReader.name).map { $0.named(PerfettoReader.name) }
    }

    /// Adds a process's values as the next iteration of its subject; its `variant` keeps it separate.
    mutating func add(
        _ values: [(metric: Metric, value: Double)], of process: String, page: String, subject: String,
        variant: String? = nil
    ) {
        let app = String(process.prefix { $0 != ":" })
        let iteration = iterations.next(app, subject, variant ?? "")
        cells[app, default: []] += values.map { metric, value in
            ForeignCell(
                subject: subject, page: page, variant: variant, metric: metric, values: [value], first: iteration)
        }
    }

    mutating func add(_ layer: FrameTimelineTable.Layer) {
        let name = layer.name ?? layer.process
        var frames: [String: Set<String>] = [:]
        for frame in layer.frames { frames[frame.token, default: []].formUnion(frame.janks) }
        var values = [(metric: Metric.frameCount, value: Double(frames.count))]
        values += PerfettoJank.counts.map { metric, types in
            (metric, Double(frames.values.count { !$0.isDisjoint(with: types) }))
        }
        let types = PerfettoJank.types.union(frames.values.joined())
        values += types.sorted { $0.precedesInUTF8($1) }.map { type in
            (PerfettoJank.metric(of: type), Double(frames.values.count { $0.contains(type) }))
        }
        // A dropped frame's time is meaningless.
        let times = layer.frames.filter { !$0.janks.contains(PerfettoJank.dropped) }.map { $0.duration / 1e6 }
        values += Quantile.all(of: times).map { (PerfettoJank.time($0), $1) }
        if let longest = times.max() { values.append((PerfettoJank.time("max"), longest)) }
        add(values, of: layer.process, page: name, subject: name)
    }
}

/// The reasons for janky frames, and their counts.
enum PerfettoJank {
    /// The reason of frames that were never shown.
    static let dropped = "Dropped Frame"
    private static let app: Set = ["App Deadline Missed", "App Resynced Jitter"]
    private static let system: Set = [
        "SurfaceFlinger CPU Deadline Missed", "SurfaceFlinger GPU Deadline Missed", "SurfaceFlinger Scheduling",
        "Prediction Error", "Display HAL",
    ]
    /// The reasons with a count, even without such a frame.
    static let types = app.union(system).union([dropped, "Buffer Stuffing", "SurfaceFlinger Stuffing", "Unknown Jank"])
    /// The counts, each with the reasons that it includes.
    static let counts: [(metric: Metric, types: Set<String>)] = [
        (count("missed_frames"), app.union(system).union([dropped])), (count("missed_app_frames"), app),
        (count("missed_sf_frames"), system),
    ]

    static func count(_ id: String) -> Metric { Metric(id: id, unit: .frames, better: .lower) }

    /// The number of frames with a reason, such as `jank_app_deadline_missed`.
    static func metric(of type: String) -> Metric { count("jank_" + type.lowercased().replacing(" ", with: "_")) }

    /// A percentile or the maximum of the frame times, such as `frame_dur_ms_p90`.
    static func time(_ ending: String) -> Metric {
        Metric(id: "frame_dur_ms_\(ending)", unit: .milliseconds, better: .lower)
    }
}

/// The result of a query of `actual_frame_timeline_slice` from trace_processor: a row for each frame of each layer.
struct FrameTimelineTable {
    struct Layer {
        /// The process; empty if the table has none.
        let process: String
        /// The layer, without the parts that differ between launches; `nil` if the table has no layers.
        let name: String?
        /// The frames in file order; a frame can have several rows.
        var frames: [Frame] = []
    }

    struct Frame {
        /// The key that all rows of the frame share.
        let token: String
        /// The app's work on it, in nanoseconds.
        let duration: Double
        /// The reasons for jank; empty for a frame without jank.
        let janks: [String]
    }

    /// The layers in file order.
    private(set) var layers: [Layer] = []
    private(set) var tally: RecordTally

    private var columns: Columns?
    private var indices: [[String?]: Int] = [:]

    /// Reads a table, or several tables with an empty line between them.
    init(_ file: ForeignFile) throws(IngestError) {
        tally = RecordTally(path: file.path, noun: "frames")
        var rows = CSVRows(file.bytes)
        var (isHeader, isKnown) = (true, false)
        while let row = try rows.next() {
            if row.cells == [""] {
                isHeader = true
            } else if isHeader {
                isHeader = false
                columns = Columns(row.cells)
                isKnown = isKnown || columns != nil
            } else if let columns {
                do throws(UnusedRecord) {
                    try read(row, columns)
                    tally.countRead()
                } catch {
                    tally.count(error, line: row.line)
                }
            } else {
                tally.skip(line: row.line, because: "they are of another table")
            }
        }
        guard isKnown else { throw .malformed(line: 1, problem: "no table has the columns ts, dur and jank_type") }
        if let last = file.bytes.last, last != UInt8(ascii: "\n") {
            tally.fail(line: rows.line, because: "the table is cut: its last line has no end")
        }
    }

    private mutating func read(_ row: CSVRows.Row, _ columns: Columns) throws(UnusedRecord) {
        guard row.cells.count == columns.count else {
            throw .failed("it has \(row.cells.count) of \(columns.count) columns")
        }
        let unknown = ["", "NULL", "[NULL]"]
        let value = { (column: Int?) -> String? in
            column.map { row.cells[$0] }.flatMap { unknown.contains($0) ? nil : $0 }
        }
        guard let duration = value(columns.duration).flatMap(Int.init), value(columns.start).flatMap(Int.init) != nil
        else { throw .failed("ts or dur isn't a whole number") }
        let process = value(columns.process) ?? ""
        let layer = value(columns.layer).map(Self.nameOfLayer)
        if process.hasPrefix("/") || columns.layer != nil && layer == nil { throw .skipped("they are the display's") }
        guard duration >= 0 else { throw .skipped("they weren't done when the recording ended") }
        guard let jank = value(columns.jank) else { throw .failed("jank_type is missing") }
        let index = indices[[process, layer]] ?? layers.count
        if index == layers.count {
            layers.append(Layer(process: process, name: layer))
            indices[[process, layer]] = index
        }
        let reasons = ["None", "Unspecified"].contains(jank) ? [] : jank.split(separator: ",")
        layers[index].frames.append(
            Frame(
                token: value(columns.token) ?? "line \(row.line)", duration: Double(duration),
                janks: reasons.map { String($0).trimmingWhitespace }))
    }

    /// `TX - com.example/com.example.MainActivity#123` without the prefix and the number of the layer.
    private static func nameOfLayer(_ text: String) -> String {
        let name = text.hasPrefix("TX - ") ? text.dropFirst(5) : text[...]
        guard let hash = name.lastIndex(of: "#"), hash > name.startIndex,
            name[hash...].dropFirst().allSatisfy({ $0.isASCII && $0.isNumber })
        else { return String(name) }
        return String(name[..<hash])
    }

    static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
        var rows = CSVRows(Array(line))
        return (try? rows.next()).flatMap { $0.flatMap { Columns($0.cells) } } != nil
    }

    private struct Columns {
        let count, start, duration, jank: Int
        let token, layer, process: Int?

        init?(_ names: [String]) {
            let find = { (any: [String]) -> Int? in any.lazy.compactMap { names.firstIndex(of: $0) }.first }
            (layer, process) = (find(["layer_name"]), find(["process_name", "process"]))
            guard let start = find(["ts"]), let duration = find(["dur"]), let jank = find(["jank_type"]),
                layer != nil || process != nil
            else { return nil }
            (self.start, self.duration, self.jank) = (start, duration, jank)
            (count, token) = (names.count, find(["surface_frame_token", "app_token"]))
        }
    }
}

/// The rows of comma-separated text with quoted values (RFC 4180).
package struct CSVRows {
    package struct Row {
        /// The values; an empty line has a single empty value.
        package let cells: [String]
        let line: Int
    }

    private let bytes: [UInt8]
    private var offset = 0
    /// The last line that was read, from 1.
    private(set) var line = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package mutating func next() throws(IngestError) -> Row? {
        guard offset < bytes.count else { return nil }
        line += 1
        let first = line
        var cells: [String] = []
        var cell: [UInt8] = []
        var isQuoted = false
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\"") {
                // A doubled quote in a quoted value is a single quote.
                if isQuoted, offset < bytes.count, bytes[offset] == byte {
                    cell.append(byte)
                    offset += 1
                } else {
                    isQuoted.toggle()
                }
            } else if isQuoted {
                if byte == UInt8(ascii: "\n") { line += 1 }
                cell.append(byte)
            } else if byte == UInt8(ascii: ",") {
                cells.append(String(decoding: cell, as: UTF8.self))
                cell = []
            } else if byte == UInt8(ascii: "\n") {
                break
            } else {
                cell.append(byte)
            }
        }
        guard !isQuoted else { throw .malformed(line: first, problem: "a quote has no end") }
        if cell.last == UInt8(ascii: "\r") { cell.removeLast() }
        return Row(cells: cells + [String(decoding: cell, as: UTF8.self)], line: first)
    }
}
