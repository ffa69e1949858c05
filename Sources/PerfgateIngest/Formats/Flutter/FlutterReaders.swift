import PerfgateJSON
import PerfgateModel

/// Reads the `timeline_summary.json` of Flutter's driver, and files that hold several summaries by report key, such as
/// `integration_response_data.json`.
///
/// Based on the documentation of `TimelineSummary.summaryJson`; not tested with a file of a real app.
enum FlutterTimelineReader: ForeignReader {
    static let name = "flutter-timeline"
    static let title = "timeline summaries of Flutter"
    static let recipe = "flutter drive --profile --driver=test_driver/perf_driver.dart --target=integration_test/x.dart"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.object?.objects.contains { path, keys in !path.contains(".") && isSummary(keys) } ?? false
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        let summaries = try file.readJSON { root throws(JSONDocumentError) in
            try Self.summaries(in: root, of: file.path)
        }
        guard !summaries.isEmpty else { throw .malformed(line: nil, problem: "it holds no timeline summary") }
        var tally = RecordTally(path: file.path, noun: "values")
        // The page is part of the name, because only the file's name identifies it.
        var run = ForeignRun(id: "flutter-\(file.identity)-\(summaries[0].page)", path: file.path)
        for (page, node) in summaries { run.cells += FlutterSummary(node, page: page, &tally).cells }
        return ForeignResult(run, tally)
    }

    /// A file is one iteration of its pages: the files of one call are a run, whose iterations are in path order.
    static func join(_ parts: [ForeignResult]) -> ForeignResult {
        var result = ForeignResult(runs: [], tallies: parts.flatMap(\.tallies))
        var known: [String: String] = [:]
        let files = parts.flatMap(\.runs).filter { file in
            let first = known[file.id]
            if let first { result.diagnostics.append(.repeated(run: file.id, of: first, in: file.path)) }
            known[file.id] = first ?? file.path
            return first == nil
        }
        let (once, notes) = files.countedOnce()
        result.diagnostics += notes
        let ordered = once.sorted { $0.path.precedesInUTF8($1.path) }
        guard let first = ordered.first else { return result }
        let id = ordered.count == 1 ? first.id : "flutter-" + ForeignFile.identity(ofFilesNamed: ordered.map(\.id))
        var run = ForeignRun(
            id: id, path: first.path, otherPaths: ordered.dropFirst().map(\.path), context: first.context)
        var iterations: [String: Int] = [:]
        for file in ordered {
            run.cells += file.cells.map { cell in
                ForeignCell(
                    subject: cell.subject, metric: cell.metric, values: cell.samples.map(\.value),
                    first: iterations[cell.subject, default: 0])
            }
            for page in Set(file.cells.map(\.subject)) { iterations[page, default: 0] += 1 }
        }
        result.runs = [run]
        return result
    }

    private static func summaries(
        in root: JSONNode, of path: String
    ) throws(JSONDocumentError) -> [(page: String, node: JSONNode)] {
        let members = try root.members()
        if isSummary(members.map(\.key)) { return [(reportKey(of: path), root)] }
        return members.compactMap { key, node in
            guard case .object(let inner) = node.value.content, isSummary(inner.map(\.key)) else { return nil }
            return (key, node)
        }
    }

    /// Whether an object with these keys is a summary: each summary has the frame times or their count.
    private static func isSummary(_ keys: [String]) -> Bool {
        let keys = Set(keys)
        let marks = ["frame_build_times", "average_frame_build_time_millis", "missed_frame_build_budget_count"]
        return marks.filter(keys.contains).count >= 2 || keys.isSuperset(of: ["frame_count", marks[1]])
    }

    /// The report key, from the file's name: `build/scroll.timeline_summary.json` has the key `scroll`.
    private static func reportKey(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return name == "-" ? "" : String(name.prefix { $0 != "." })
    }
}

/// One timeline summary: each value is one sample of one iteration.
private struct FlutterSummary {
    private(set) var cells: [ForeignCell] = []
    private let page: String

    init(_ node: JSONNode, page: String, _ tally: inout RecordTally) {
        self.page = page
        tally.attempt { tally throws(JSONDocumentError) in
            let frames = try node.optional("frame_count")?.double()
            for (key, member) in try node.members() where !Self.lists.contains(key) {
                read(key, member, hasFrames: frames != 0, &tally)
            }
            for phase in FlutterPhase.allCases { derive(phase, node, &tally) }
        }
    }

    private mutating func read(_ key: String, _ node: JSONNode, hasFrames: Bool, _ tally: inout RecordTally) {
        guard let metric = FlutterMetric(key) else {
            return tally.skip(
                line: node.line, because: "perfgate doesn't know whether low or high values of them are good")
        }
        guard hasFrames || !metric.needsFrames else {
            return tally.skip(line: node.line, because: "no frame was drawn")
        }
        guard !node.isNull else { return tally.skip(line: node.line, because: "they are null") }
        tally.attempt { tally throws(JSONDocumentError) in
            let value = try node.double()
            guard value >= 0 else { throw node.belowZero(rerun: "test") }
            tally.countRead()
            add(metric.metric, value)
        }
    }

    /// Computes from a list the statistics that older files lack.
    private mutating func derive(_ phase: FlutterPhase, _ node: JSONNode, _ tally: inout RecordTally) {
        tally.attempt { tally throws(JSONDocumentError) in
            guard let list = try node.optional(phase.list) else { return }
            let times = try list.doubles().map { $0 / 1_000 }
            if times.contains(where: { $0 < 0 }) { throw list.belowZero(rerun: "test") }
            if let count = try node.optional(phase.count)?.double(), Double(times.count) < count {
                let share = "\(times.count) of \(Int(min(count, 1e15)))"
                throw list.error(.rule("has \(share) frames; export the summary again"))
            }
            tally.countRead()
            for (key, value) in phase.statistics(of: times) where try node.find(key) == nil {
                if let metric = FlutterMetric(key) { add(metric.metric, value) }
            }
        }
    }

    private mutating func add(_ metric: ForeignMetric, _ value: Double) {
        cells.append(ForeignCell(subject: page, metric: metric, values: [value]))
    }

    /// Lists of timestamps, and of durations that are read as lists.
    private static let lists =
        Set(FlutterPhase.allCases.map(\.list)).union(["frame_begin_times", "frame_rasterizer_begin_times"])
}

/// The meaning of a timeline summary's key, by its suffix.
private struct FlutterMetric {
    /// The metric: `frame_count` is perfgate's; others keep the tool's identifier.
    let metric: ForeignMetric
    let needsFrames: Bool

    /// The meaning of a key; `nil` if its better direction is unknown.
    init?(_ key: String) {
        guard let unit = Self.units.first(where: { key.hasSuffix($0.ending) })?.unit else { return nil }
        let isCountOfFrames = ["frame_count", "frame_rasterizer_count"].contains(key)
        metric = ForeignMetric(id: key, unit: unit, better: isCountOfFrames ? .higher : .lower)
        needsFrames = !isCountOfFrames && !key.contains("gc")
    }

    private static let units: [(ending: String, unit: String)] = [
        ("_millis", "ms"), ("_gc_time", "ms"), ("_gc_count", "collections"), ("_budget_count", "frames"),
        ("frame_count", "frames"), ("frame_rasterizer_count", "frames"), ("_cache_memory", "MB"),
        ("_cache_count", "entries"), ("_vsync_transitions_missed", "frames"),
        ("_frame_request_pending_latency", "us"), ("_cpu_usage", "%"), ("_gpu_usage", "%"), ("_memory_usage", "MB"),
    ]
}

private enum FlutterPhase: String, CaseIterable {
    case build
    /// The drawing on the raster thread.
    case rasterizer

    /// The key of all frame times, in microseconds.
    var list: String { "frame_\(rawValue)_times" }

    var count: String { self == .build ? "frame_count" : "frame_rasterizer_count" }

    /// The statistics of times in milliseconds, by summary key; none without times.
    ///
    /// The percentiles follow Flutter's `findPercentile`: the value at the rounded position, without interpolation.
    func statistics(of times: [Double]) -> [(key: String, value: Double)] {
        let sorted = times.sorted()
        guard let last = sorted.indices.last else { return [] }
        let percentile = { (share: Double) in sorted[Int(Double(last) * share + 0.5)] }
        let name = "frame_\(rawValue)_time_millis"
        return [
            ("average_\(name)", times.reduce(0, +) / Double(times.count)), ("90th_percentile_\(name)", percentile(0.9)),
            ("99th_percentile_\(name)", percentile(0.99)), ("worst_\(name)", sorted[last]),
        ]
    }
}

/// Reads the `start_up_info.json` of Flutter: one start of an app, from the entry into the engine.
///
/// Based on the source of Flutter's tool; it names no app, so the page is `App`.
enum FlutterStartupReader: ForeignReader {
    static let name = "flutter-startup"
    static let title = "start times of Flutter"
    static let recipe = "flutter run --profile --trace-startup, which writes build/start_up_info.json"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.object?.has("engineEnterTimestampMicros") ?? false
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        try file.readJSON { root throws(JSONDocumentError) in
            var tally = RecordTally(path: file.path, noun: "times")
            var run = ForeignRun(id: "\(name)-\(file.identity)", path: file.path)
            for (key, id) in metrics {
                guard let node = try root.optional(key) else { continue }
                tally.attempt { tally throws(JSONDocumentError) in
                    let value = try node.double()
                    guard value > 0 else { throw node.error(.rule("isn't a time; run the app again")) }
                    let metric = ForeignMetric(id: id, unit: "us")
                    run.cells.append(ForeignCell(subject: ForeignCell.wholeApp, metric: metric, values: [value]))
                    tally.countRead()
                }
            }
            if tally.total == 0 {
                tally.fail(because: "it has no first frame; run without --no-await-first-frame-when-tracing")
            }
            return ForeignResult(run, tally)
        }
    }

    /// Each file is one start: the files of one call are the iterations of a run.
    static func join(_ parts: [ForeignResult]) -> ForeignResult { FlutterTimelineReader.join(parts) }

    /// The first frame is shown when it is rasterised, after it is built. Files of old versions have only the latter.
    private static let metrics = [
        ("timeToFirstFrameRasterizedMicros", Metric.launch.id), ("timeToFirstFrameMicros", "timeToFirstFrameMicros"),
    ]
}
