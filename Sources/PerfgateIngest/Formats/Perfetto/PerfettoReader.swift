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
        let name = PerfettoReader.name
        return ForeignRun.ofApps(cells, in: file, named: name).map { $0.named(name) }
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

private struct PerfettoMetrics {
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
