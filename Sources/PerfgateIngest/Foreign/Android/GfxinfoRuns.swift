import PerfgateModel

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
            return ForeignRun(id: id.joined(separator: "-"), path: file.path, context: context, cells: cells)
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
        var values = [("frame_count", "frames", Double(frames.count))]
        for (ending, share) in Quantile.reported {
            values += Quantile.of(times, share: share).map { [("frame_time_\(ending)", "ms", $0)] } ?? []
        }
        let late = frames.compactMap(\.lateMilliseconds)
        if late.count == frames.count {
            values.append(("hitches", "hitches", Double(late.count { $0 > 0 })))
            values.append(("hitch_duration", "ms", late.reduce(0, +)))
        }
        return values.map { id, unit, value in
            ForeignCell(
                subject: window, metric: ForeignMetric(id: id, unit: unit).metric, values: [value], first: iteration)
        }
    }
}
