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
        for (index, line) in file.bytes.split(separator: newline, omittingEmptySubsequences: false).enumerated() {
            parser.read(line.last == carriageReturn ? line.dropLast() : line, number: index + 1)
        }
        parser.finish()
        guard parser.sawDump else { throw .malformed(line: nil, problem: "it isn't a dump of gfxinfo") }
        if parser.processes.isEmpty, parser.tally.total == 0 { throw .refused(reason: notRunning) }
        let runs = GfxinfoRuns(file: file, processes: parser.processes)
        return ForeignResult(runs: runs.runs, tallies: [parser.tally], diagnostics: runs.diagnostics)
    }

    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let notRunning = "No process of the app was there to be dumped. Dump while the app runs."
}

/// Combines the processes of one file: a run per package, an iteration per dump.
struct GfxinfoRuns {
    let file: ForeignFile
    let processes: [GfxinfoProcess]

    /// The runs; the app is their only known condition.
    var runs: [ForeignRun] {
        let groups = Dictionary(grouping: processes, by: \.package).sorted { $0.key.precedesInUTF8($1.key) }
        let measured = groups.map { ($0.key, cells(of: $0.value)) }.filter { !$0.1.isEmpty }
        return measured.map { package, cells in
            let id = ["gfxinfo", file.identity] + (measured.count == 1 ? [] : [package])
            var context = Context()
            if !package.isEmpty { context["app"] = .text(package) }
            return ForeignRun(
                id: id.joined(separator: "-"), path: file.path, context: context, cells: cells, scope: package)
        }
    }

    /// A note if frames have no deadline, because late frames are then unknown.
    var diagnostics: [Diagnostic] {
        let frames = processes.lazy.flatMap(\.windows).flatMap(\.frames)
        guard frames.contains(where: { $0.deadline == nil }) else { return [] }
        let message = "Frames without a deadline (before Android 12) count no hitches: gate on frame_time_p90."
        return [Diagnostic(.notMeasured, path: file.path, message)]
    }

    private func cells(of dumps: [GfxinfoProcess]) -> [ForeignCell] {
        var iterations: [String: Int] = [:]
        var known: [String: Set<GfxinfoFrame>] = [:]
        return dumps.flatMap { process in
            let iteration = iterations[process.name, default: 0]
            iterations[process.name] = iteration + 1
            var cells = summary(of: process, iteration)
            for window in process.windows {
                let key = "\(process.name)\0\(window.name)"
                let frames = window.frames.filter { !known[key, default: []].contains($0) }
                known[key, default: []].formUnion(frames)
                cells += self.cells(frames, of: window.name, iteration)
            }
            return cells
        }
    }

    private func summary(of process: GfxinfoProcess, _ iteration: Int) -> [ForeignCell] {
        guard let summary = process.summary, summary.hasFrames else { return [] }
        // Frames without a window belong to the process, whose own counts are more precise.
        guard !process.windows.contains(where: { $0.name == process.name }) else { return [] }
        return summary.measured.map { metric, value in
            ForeignCell(subject: process.name, metric: metric, values: [value], first: iteration)
        }
    }

    /// The metrics of a window's frames, without the frames that an earlier dump in the file listed.
    private func cells(_ frames: [GfxinfoFrame], of window: String, _ iteration: Int) -> [ForeignCell] {
        guard !frames.isEmpty else { return [] }
        let times = frames.map(\.milliseconds)
        var values = [(Metric.frameCount, Double(frames.count))]
        for (ending, share) in Quantile.reported {
            values += Quantile.of(times, share: share).map { [(GfxinfoSummary.time(ending), $0)] } ?? []
        }
        let late = frames.compactMap(\.lateMilliseconds)
        if late.count == frames.count {
            values.append((.hitches, Double(late.count { $0 > 0 })))
            values.append((.hitchDuration, late.reduce(0, +)))
        }
        return values.map { ForeignCell(subject: window, metric: $0, values: [$1], first: iteration) }
    }
}

struct GfxinfoProcess: Sendable {
    struct Window: Sendable {
        /// Its name, such as `com.example.app/com.example.app.MainActivity`.
        let name: String
        fileprivate(set) var frames: [GfxinfoFrame]
    }

    /// The name of the process: the package, and the app's component after a colon.
    let name: String
    /// The counts since its start or the last reset; `nil` if the dump has none.
    var summary: GfxinfoSummary?
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
struct GfxinfoSummary: Sendable, Hashable {
    /// The values by line name: `Total frames rendered`, `Janky frames`, `50th percentile`, …
    private(set) var values: [String: Double] = [:]

    /// Whether a frame was drawn; the percentiles are meaningless without one.
    var hasFrames: Bool { (values[Self.total] ?? 0) > 0 }

    /// Reads a line such as `90th percentile: 48ms`; `false` for an unknown line.
    ///
    /// A repeated line belongs to a window and is ignored.
    mutating func take(_ line: String) -> Bool {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, Self.metrics[String(parts[0])] != nil else { return false }
        let digits = parts[1].drop { $0 == " " }.prefix { $0.isNumber }
        if let value = Double(digits), values[String(parts[0])] == nil { values[String(parts[0])] = value }
        return true
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
        total: .frameCount,
        "Janky frames": Metric(id: "janky_frames", unit: .frames, better: .lower),
        "50th percentile": time("p50"),
        "90th percentile": time("p90"),
        "95th percentile": time("p95"),
        "99th percentile": time("p99"),
    ]
}

enum Quantile {
    /// The quantiles in Android's tools, with the suffixes of their metrics.
    static let reported: [(ending: String, share: Double)] = [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)]

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
