import PagePerformance
import PerfgateModel

/// Puts the streams of all logs together: streams to runs, and what they say of an iteration to samples.
struct LogAssembly {
    let collector: LogCollector

    /// The measurements; the streams may stand in any order, and their values are taken from them.
    func measurements() -> Measurements {
        let (streams, diagnostics) = StreamIdentity.distinct(collector.streams)
        var builder = MeasurementBuilder(collector: collector)
        let runs = Dictionary(grouping: streams, by: \.identity.run)
        for (run, streams) in runs.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            let shards = Dictionary(grouping: streams, by: \.identity.shard)
            for (_, streams) in shards.sorted(by: { NaturalOrder.precedes($0.key, $1.key) }) {
                var assembly = ShardAssembly(run: run, streams: streams.map(\.stream), collector: collector)
                assembly.add(to: &builder)
            }
            builder.add(self.run(run, streams))
        }
        var measurements = builder.measurements()
        measurements.diagnostics += collector.diagnostics + diagnostics + streams.compactMap(\.stream.conversion)
        if let diagnostic = nothingSelected { measurements.diagnostics.append(diagnostic) }
        measurements.diagnostics.sort()
        return measurements
    }

    private func run(_ id: String, _ streams: [StreamIdentity.Identified]) -> Run {
        let ordered = streams.sorted { $0.identity < $1.identity }
        let bad = ordered.reduce(0) { $0 + $1.stream.badLines.count }
        let streams = ordered.map { stream($0.stream, areBadLinesFaults: bad > collector.options.badLines) }
        return Run(id: id, context: streams.first?.context ?? Context(), streams: streams)
    }

    private func stream(_ stream: LogStream, areBadLinesFaults: Bool) -> Run.Stream {
        var result = Run.Stream(
            part: stream.part, shard: stream.shard, path: stream.path, line: stream.line,
            context: collector.tables.contexts.contexts[Int(stream.context)],
            faults: (areBadLinesFaults ? stream.unreadableLines : []) + stream.faults)
        result.start = stream.start
        result.states = stream.content.states
        return result
    }

    /// That there are lines, and none of them meets the conditions of the command line; `nil` where one does.
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
            "No line is of \(wanted), so nothing was taken. The logs say \(found.joined(separator: "; ")).")
    }
}

extension LogStream {
    /// That counts of dropped frames were converted; `nil` where none was.
    fileprivate var conversion: Diagnostic? {
        guard content.convertedDrops > 0 else { return nil }
        let message =
            "Frame drops that were counted as published, one too many: \(content.convertedDrops). One was taken"
        return Diagnostic(.convertedCounting, path: path, message + " off each.")
    }

    /// The unreadable lines as a fault; empty without any.
    fileprivate var unreadableLines: [String] {
        guard let first = badLines.first else { return [] }
        let count = badLines.count == 1 ? "Line \(first) is" : "\(badLines.count) lines are, from line \(first) on,"
        return ["\(count) unreadable."]
    }
}
