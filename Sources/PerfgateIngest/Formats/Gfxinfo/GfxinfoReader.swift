import PerfgateModel

/// Reads the output of `adb shell dumpsys gfxinfo [PACKAGE] [framestats]`, also several dumps in one file.
///
/// A process is a page by its package, with its counts since its start or its last reset. Each of its windows is
/// a page by its name, with the last 120 frames of `framestats`.
enum GfxinfoReader: ForeignReader {
    static let name = "gfxinfo"
    static let title = "frames of Android's dumpsys gfxinfo"
    static let recipe = "adb shell dumpsys gfxinfo com.example.app framestats > frames.txt"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.lines.contains { line in GfxinfoParser.signatures.contains { line.starts(with: $0.utf8) } }
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var parser = GfxinfoParser(path: file.path)
        for (index, line) in file.bytes.lines.enumerated() { parser.read(line, number: index + 1) }
        parser.finish()
        guard parser.sawDump else { throw .malformed(line: nil, problem: "it isn't a dump of gfxinfo") }
        if parser.processes.isEmpty, parser.tally.total == 0 {
            throw .refused(reason: "No process of the app was there to be dumped. Dump while the app runs.")
        }
        let measured = Dictionary(grouping: parser.processes, by: \.package).mapValues(cells(of:))
        var result = ForeignResult(runs: ForeignRun.ofApps(measured, in: file, named: name), tallies: [parser.tally])
        let frames = parser.processes.lazy.flatMap(\.windows).flatMap(\.frames)
        if frames.contains(where: { $0.deadline == nil }) {
            let message = "Frames without a deadline (before Android 12) count no hitches: gate on frame_time_p90."
            result.diagnostics = [Diagnostic(.notMeasured, path: file.path, message)]
        }
        return result
    }

    /// The cells of one package's processes: an iteration per dump.
    private static func cells(of dumps: [GfxinfoProcess]) -> [ForeignCell] {
        var iterations: [[String]: Int] = [:]
        var known: [[String]: Set<GfxinfoFrame>] = [:]
        return dumps.flatMap { process in
            let iteration = iterations.next(process.name)
            var cells = summary(of: process, iteration)
            for window in process.windows {
                let key = [process.name, window.name]
                let frames = window.frames.filter { !known[key, default: []].contains($0) }
                known[key, default: []].formUnion(frames)
                cells += Self.cells(frames, of: window.name, iteration)
            }
            return cells
        }
    }

    private static func summary(of process: GfxinfoProcess, _ iteration: Int) -> [ForeignCell] {
        // Frames without a window belong to the process, whose own counts are more precise.
        let isByFrames = process.windows.contains { $0.name == process.name }
        guard process.summary.hasFrames, !isByFrames else { return [] }
        return process.summary.measured.map { metric, value in
            ForeignCell(subject: process.name, metric: metric, values: [value], first: iteration)
        }
    }

    /// The metrics of a window's frames, without the frames that an earlier dump in the file listed.
    private static func cells(_ frames: [GfxinfoFrame], of window: String, _ iteration: Int) -> [ForeignCell] {
        guard !frames.isEmpty else { return [] }
        let times = frames.map(\.milliseconds)
        var values = [(Metric.frameCount, Double(frames.count))]
        values += Quantile.all(of: times).map { (GfxinfoSummary.time($0), $1) }
        let late = frames.compactMap(\.lateMilliseconds)
        if late.count == frames.count {
            values.append((.hitches, Double(late.count { $0 > 0 })))
            values.append((.hitchDuration, late.reduce(0, +)))
        }
        return values.map { ForeignCell(subject: window, metric: $0, values: [$1], first: iteration) }
    }
}

struct GfxinfoProcess {
    struct Window {
        /// Its name, such as `com.example.app/com.example.app.MainActivity`.
        let name: String
        fileprivate(set) var frames: [GfxinfoFrame]
    }

    /// The name of the process: the package, and the app's component after a colon.
    let name: String
    /// The counts since its start or the last reset; empty if the dump has none.
    var summary = GfxinfoSummary()
    /// The windows with frames, in file order; names are unique.
    private(set) var windows: [Window] = []

    init(name: String) { self.name = name }

    /// The package, which identifies the app.
    var package: String { String(name.prefix { $0 != ":" }) }

    mutating func add(_ frame: GfxinfoFrame, window name: String) {
        if let index = windows.firstIndex(where: { $0.name == name }) {
            windows[index].frames.append(frame)
        } else {
            windows.append(Window(name: name, frames: [frame]))
        }
    }
}

/// The counts of a process since its start or the last `dumpsys gfxinfo PACKAGE reset`.
struct GfxinfoSummary {
    /// The values by line name: `Total frames rendered`, `Janky frames`, `50th percentile`, …
    private var values: [String: Double] = [:]

    /// Whether a frame was drawn; the percentiles are meaningless without one.
    var hasFrames: Bool { (values[Self.total] ?? 0) > 0 }

    /// Reads a line such as `90th percentile: 48ms`. A repeated line belongs to a window and is ignored.
    mutating func take(_ line: String) {
        let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, Self.metrics[parts[0]] != nil, values[parts[0]] == nil else { return }
        values[parts[0]] = Double(parts[1].drop { $0 == " " }.prefix { $0.isNumber })
    }

    /// The metrics with their values, sorted by the metrics' identifiers.
    var measured: [(metric: Metric, value: Double)] {
        let measured = values.compactMap { name, value in Self.metrics[name].map { (metric: $0, value: value) } }
        return measured.sorted { $0.metric.id.precedesInUTF8($1.metric.id) }
    }

    static func time(_ percentile: String) -> Metric {
        Metric(id: "frame_time_\(percentile)", unit: .milliseconds, better: .lower)
    }

    private static let total = "Total frames rendered"
    private static let metrics: [String: Metric] = [
        total: .frameCount, "Janky frames": Metric(id: "janky_frames", unit: .frames, better: .lower),
        "50th percentile": time("p50"), "90th percentile": time("p90"), "95th percentile": time("p95"),
        "99th percentile": time("p99"),
    ]
}

enum Quantile {
    /// The quantiles in Android's tools, with the suffixes of their metrics.
    static let reported: [(ending: String, share: Double)] = [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)]

    /// These quantiles of values, by suffix; none without values.
    static func all(of values: [Double]) -> [(ending: String, value: Double)] {
        reported.compactMap { ending, share in of(values, share: share).map { (ending, $0) } }
    }

    /// The quantile of values by linear interpolation between neighbours, as in `MetricResult.getPercentile` of
    /// `androidx.benchmark`; `nil` without values.
    static func of(_ values: [Double], share: Double) -> Double? {
        guard let last = values.indices.last else { return nil }
        let sorted = values.sorted()
        let position = Double(last) * share
        let low = Int(position)
        let high = min(low + 1, last)
        return sorted[low] + (sorted[high] - sorted[low]) * (position - Double(low))
    }
}
