import PerfgateModel

/// Reads what `adb shell dumpsys gfxinfo [PACKAGE] [framestats]` writes, also several dumps one after the other.
///
/// A process is a page by its package, with what it counts since its start or its last reset; each of its windows is
/// one by its name, with the last 120 frames that `framestats` lists.
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
        guard parser.sawDump else { throw .malformed(line: nil, problem: "it is no dump of gfxinfo") }
        if parser.processes.isEmpty, parser.tally.total == 0 { throw .refused(reason: notRunning) }
        let runs = GfxinfoRuns(file: file, processes: parser.processes)
        return ForeignResult(runs: runs.runs, tallies: [parser.tally], diagnostics: runs.diagnostics)
    }

    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let notRunning = "No process of the app was there to be dumped. Dump while the app runs."
}

/// Puts the processes of one file together: a run for each package, an iteration for each time it was dumped.
struct GfxinfoRuns {
    let file: ForeignFile
    let processes: [GfxinfoProcess]

    /// The runs; what they know of the conditions is the app.
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

    /// A note where frames have no deadline, so that it can't be told which were late.
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
        // Frames that name no window are the process's own, and tell the same more exactly.
        guard !process.windows.contains(where: { $0.name == process.name }) else { return [] }
        return summary.measured.map { metric, value in
            ForeignCell(subject: process.name, metric: metric, values: [value], first: iteration)
        }
    }

    /// The metrics of a window's frames; those that an earlier dump of the file listed too are left out before.
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

/// What a dump says of one process.
struct GfxinfoProcess: Sendable {
    /// The frames of one window.
    struct Window: Sendable {
        /// Its name, such as `com.example.app/com.example.app.MainActivity`.
        let name: String
        /// Its frames, in the order of the file.
        fileprivate(set) var frames: [GfxinfoFrame]
    }

    /// The name of the process: the package, and behind a colon the part of the app that it is.
    let name: String
    /// What it counts since its start or the last reset; `nil` where the dump has no such counts.
    var summary: GfxinfoSummary?
    /// The windows with frames, in the order of the file; each name once.
    private(set) var windows: [Window] = []

    init(name: String) {
        self.name = name
    }

    /// The package, which identifies the app.
    var package: String { String(name.prefix { $0 != ":" }) }

    /// Adds a frame of a window.
    mutating func add(_ frame: GfxinfoFrame, window name: String) {
        if let index = windows.firstIndex(where: { $0.name == name }) {
            windows[index].frames.append(frame)
        } else {
            windows.append(Window(name: name, frames: [frame]))
        }
    }
}

/// What a process counts since its start or the last `dumpsys gfxinfo PACKAGE reset`.
struct GfxinfoSummary: Sendable, Hashable {
    /// The values by the names of their lines: `Total frames rendered`, `Janky frames`, `50th percentile`, …
    private(set) var values: [String: Double] = [:]

    /// Whether a frame was drawn; without one the percentiles mean nothing.
    var hasFrames: Bool { (values[Self.total] ?? 0) > 0 }

    /// Takes a line such as `90th percentile: 48ms`; `false` where it is none of the known ones.
    ///
    /// A line that comes again is that of a window, and is left alone.
    mutating func take(_ line: String) -> Bool {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, Self.metrics[String(parts[0])] != nil else { return false }
        let digits = parts[1].drop { $0 == " " }.prefix { $0.isNumber }
        if let value = Double(digits), values[String(parts[0])] == nil { values[String(parts[0])] = value }
        return true
    }

    /// The metrics with their values, in the order of the metrics' identifiers.
    var measured: [(metric: Metric, value: Double)] {
        let measured = values.compactMap { name, value in Self.metrics[name].map { (metric: $0, value: value) } }
        return measured.sorted { $0.metric.id.precedesInUTF8($1.metric.id) }
    }

    /// The metric of a percentile of the frames' times.
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

/// The values below which a share of others lie.
enum Quantile {
    /// The quantiles that Android's tools report, with the endings of their metrics.
    static let reported: [(ending: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99),
    ]

    /// The quantile of values, between neighbours by linear interpolation, as `androidx.benchmark` has it
    /// (`MetricResult.getPercentile`); `nil` where there is none.
    static func of(_ values: [Double], share: Double) -> Double? {
        guard let last = values.indices.last else { return nil }
        let sorted = values.sorted()
        let position = Double(last) * share
        let low = Int(position)
        let high = min(low + 1, last)
        return sorted[low] + (sorted[high] - sorted[low]) * (position - Double(low))
    }
}
