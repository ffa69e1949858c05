import PerfgateModel

/// Assembles the streams of all logs: streams to runs, and the content of iterations to samples.
struct LogAssembly {
    let collector: LogCollector

    /// The measurements; streams may be in any order, and their values are moved out.
    func measurements() -> Measurements {
        let (streams, diagnostics) = LogStream.distinct(collector.streams)
        var builder = MeasurementBuilder(collector: collector)
        let runs = Dictionary(grouping: streams, by: \.identity.run)
        for (run, streams) in runs.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            let shards = Dictionary(grouping: streams, by: \.identity.shard)
            for (_, streams) in shards.sorted(by: { NaturalOrder.precedes($0.key, $1.key) }) {
                var assembly = ShardAssembly(run: run, streams: streams, collector: collector)
                assembly.add(to: &builder)
            }
            builder.add(self.run(run, streams))
        }
        var measurements = builder.measurements()
        measurements.diagnostics +=
            collector.diagnostics.diagnostics + diagnostics + streams.compactMap(\.conversion)
        if let diagnostic = nothingSelected { measurements.diagnostics.append(diagnostic) }
        measurements.diagnostics.sort()
        return measurements
    }

    private func run(_ id: String, _ streams: [LogStream]) -> Run {
        let ordered = streams.sorted { $0.identity < $1.identity }
        let bad = ordered.reduce(0) { $0 + $1.badLines.count }
        let streams = ordered.map { stream($0, areBadLinesFaults: bad > collector.options.badLines) }
        return Run(id: id, context: streams.first?.context ?? Context(), streams: streams)
    }

    private func stream(_ stream: LogStream, areBadLinesFaults: Bool) -> Run.Stream {
        var result = stream.facts
        result.context = collector.tables.contexts.contexts[Int(stream.context)]
        if areBadLinesFaults { result.faults = stream.unreadableLines + result.faults }
        let context = collector.tables.contexts.entries[Int(stream.context)]
        if stream.isSilent, context.isTaken {
            result.silentEnvironment = collector.tables.contexts.environments[context.environment]
        }
        result.states = stream.content.states
        return result
    }

    /// A diagnostic if there are lines, but none meets the conditions of the command line; else `nil`.
    private var nothingSelected: Diagnostic? {
        guard collector.tables.hasMeasurement, !collector.tables.hasTakenMeasurement else { return nil }
        let wanted = collector.options.conditions.map { "\($0.field)=\($0.value)" }.joined(separator: ", ")
        let found = collector.options.conditions.map { condition in
            let values = Set(collector.tables.contexts.contexts.compactMap { $0.text(condition.field) })
            let list = values.sorted { $0.precedesInUTF8($1) }.joined(separator: ", ")
            return "\(condition.field): \(list.isEmpty ? "unknown" : list)"
        }
        return Diagnostic(
            .nothingSelected,
            "No line has \(wanted) (--where), so nothing was used. The logs have \(found.joined(separator: "; ")).")
    }
}

extension LogStream {
    /// Whether a `run` line opens it and none of its lines measures a page.
    fileprivate var isSilent: Bool {
        runID != nil && !isIgnored && !content.hasLeftOut && content.iterations.keys.isEmpty
    }

    /// A diagnostic about converted counts of dropped frames; `nil` without any.
    fileprivate var conversion: Diagnostic? {
        guard content.convertedDrops > 0 else { return nil }
        let message =
            "Frame drops of a recorder that logs a drop of n frames as n + 1 (the counting `published`): "
            + "\(content.convertedDrops). One was subtracted from each."
        return Diagnostic(.convertedCounting, path: facts.path, message)
    }

    /// The unreadable lines as a fault; empty without any.
    fileprivate var unreadableLines: [String] {
        guard let first = badLines.first else { return [] }
        return [
            badLines.count == 1
                ? "Line \(first) can't be read." : "\(badLines.count) lines can't be read, the first is line \(first)."
        ]
    }
}

/// Diagnostics about pages, once per page.
struct PageRemarks {
    enum Remark: Hashable {
        /// Scrolls without end lines: each scroll number counts as one.
        case assumedScrolls
        /// Scrolls that started but didn't end, and those with ticks and without a duration beside others with one.
        case openScroll, unfinishedScroll
        case skippedPairs, inactiveVisits
        /// Ticks, which disagree with `frame_drop` lines, `scroll` lines, visits, or the lines of a metric.
        case otherDrops, otherSums, otherHang
        case otherValue(metric: String)
    }

    private struct Key: Hashable {
        let page: Int32
        let remark: Remark
    }

    private var known: [Key: (path: String, count: Int)] = [:]

    /// Records a remark about a page; the first one determines the file in the message.
    mutating func note(_ remark: Remark, page: Int32, path: String, count: Int = 1) {
        known[Key(page: page, remark: remark), default: (path, 0)].count += count
    }

    func diagnostics(pages: borrowing ByteInterner) -> [Diagnostic] {
        known.map { key, entry in
            Diagnostic(key.remark.code, path: entry.path, key.remark.message(pages[key.page], entry.count))
        }
    }
}

extension PageRemarks.Remark {
    fileprivate var code: DiagnosticCode {
        switch self {
        case .assumedScrolls: .assumedScrolls
        case .openScroll, .unfinishedScroll: .openScroll
        case .skippedPairs: .skippedPairs
        case .inactiveVisits: .inactiveVisits
        case .otherDrops, .otherSums, .otherHang, .otherValue: .conflictingSources
        }
    }

    fileprivate func message(_ page: String, _ count: Int) -> String {
        switch self {
        case .assumedScrolls:
            "Page \(page) has frame drops and no scroll lines, so each scroll number seen counts as one: write a "
                + "scroll line at the end of each, so that scrolls without drops count too."
        case .openScroll:
            "Scrolls of page \(page) that began and did not end: \(count). They were left out, as after a kill."
        case .unfinishedScroll:
            "Scrolls of page \(page) with frames, but without a scroll line with a duration: \(count). Their drops count, but "
                + "they aren't measured scrolls: write a scroll line at the end of each."
        case .skippedPairs:
            "Frames of page \(page) whose target time (targets_ns) isn't after their own time (timestamps_ns): \(count). They "
                + "were left out: check both in the log."
        case .inactiveVisits:
            "Visits of page \(page) that began or loaded while the app was inactive (launched in the background, covered by an "
                + "alert, or left): \(count). They have no load times."
        case .otherDrops:
            "Page \(page): its frame_drop lines and its frame ticks disagree. The ticks were used."
        case .otherSums:
            "Scrolls of page \(page) whose scroll lines and frame ticks disagree about their frames: \(count). The ticks were "
                + "used."
        case .otherHang:
            "Page \(page): its visits and its frame ticks give different scroll thread hangs. The visits' value was used."
        case .otherValue(let metric):
            "Page \(page): its metric lines and its frame ticks give different values of \(metric). The ticks were used."
        }
    }
}
