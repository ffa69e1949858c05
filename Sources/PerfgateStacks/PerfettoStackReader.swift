import PagePerformance
import PerfgateIngest

/// Reads what trace_processor answers to the query that `perfgate profile sql` prints: comma-separated rows of kind
/// `sample`, `slice` and `recording`, with times in ns on the trace's clock.
///
///     "kind","ts","dur","is_main_thread","name","stack","weight"
///     "slice",105089621851721,250000000,"[NULL]","perfgate:visit:Search","[NULL]","[NULL]"
///     "sample",105089622851721,"[NULL]",1,"[NULL]","/system/lib64/libc.so`main;/data/app/base.apk`decode",1000000
struct PerfettoStackReader {
    private static let columns = ["kind", "ts", "dur", "is_main_thread", "name", "stack", "weight"]

    private var frames: FoldedFrames
    private var header = ProfileHeader()
    /// The place of each column; empty before the row of names.
    private var places: [Int] = []
    private var recording: Recording
    /// A row whose quoted value has line feeds, as far as it was read.
    private var rest: [UInt8] = []
    /// The line of the row's start, from 1.
    private var first = 0

    static func recognises(_ line: String) -> Bool { places(of: Array(line.utf8)) != nil }

    static func read(_ path: String, into table: StackTable) throws(IngestError) -> Recording {
        var reader = PerfettoStackReader(frames: FoldedFrames(table: table), recording: Recording(path: path))
        try ProfileLines.read(path) { line, number throws(IngestError) in try reader.take(line, number) }
        guard reader.rest.isEmpty else { throw .malformed(line: reader.first, problem: "a quote has no end") }
        table.apps.formUnion(reader.header.apps)
        reader.recording.context = reader.header.context
        reader.recording.windows.sort()
        guard !reader.recording.windows.isEmpty else { throw .refused(reason: Self.noWindows) }
        return reader.recording
    }

    private static let noWindows = """
        Nothing says when its pages were visited: it has no slice perfgate:visit:PAGE that ended. Begin and end them in \
        the app, with Trace.beginAsyncSection.
        """

    private static func places(of line: [UInt8]) -> [Int]? {
        var rows = CSVRows(line)
        guard let names = (try? rows.next())?.cells else { return nil }
        let places = columns.compactMap(names.firstIndex)
        return places.count == columns.count ? places : nil
    }

    private mutating func take(_ line: UnsafeRawBufferPointer, _ number: Int) throws(IngestError) {
        if rest.isEmpty {
            if line.isEmpty { return }
            if line.first == UInt8(ascii: "#") {
                header = try ProfileHeader(comment: String(decoding: line, as: UTF8.self), line: number) ?? header
                return
            }
            first = number
        } else {
            rest.append(UInt8(ascii: "\n"))
        }
        rest += line
        guard rest.count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2) else {
            guard rest.count < 1 << 20 else { throw .malformed(line: first, problem: "a row is over 1 MiB long") }
            return
        }
        let row = rest
        rest = []
        guard !places.isEmpty else {
            places = Self.places(of: row) ?? []
            return
        }
        var rows = CSVRows(row)
        guard let cells = try rows.next()?.cells, cells.count > places.max() ?? 0 else {
            throw .malformed(line: first, problem: "a row has too few values")
        }
        try take(places.map { ["[NULL]", "NULL"].contains(cells[$0]) ? "" : cells[$0] })
    }

    /// Takes a row's values in the order of the columns; an empty one is unknown.
    private mutating func take(_ cells: [String]) throws(IngestError) {
        let time = Int64(cells[1]).flatMap { 0..<1 << 60 ~= $0 ? $0 : nil }
        let duration = Int64(cells[2]).flatMap { $0 < 1 << 60 ? $0 : nil }
        switch cells[0] {
        case "sample":
            guard let time else { throw .malformed(line: first, problem: "ts of a sample isn't a time in ns") }
            guard cells[3] == "1" else { return }
            let weight = try weight(cells[6])
            let stack = try frames.stack(cells[5].utf8)
            recording.samples.append(Recording.Sample(time: time, weight: weight, stack: stack))
        case "slice":
            guard let time, let duration else {
                throw .malformed(line: first, problem: "ts or dur of a slice isn't a time in ns")
            }
            // A slice that didn't end has a duration of −1.
            guard duration >= 0, let (kind, page) = Self.interval(cells[4]) else { return }
            recording.windows.append(PageWindow(page: page, kind: kind, start: time, end: time + duration))
        case "recording":
            if let time, let duration, duration >= 0 { recording.bounds = time..<(time + duration) }
        default: throw .malformed(line: first, problem: "the kind of a row is none of sample, slice and recording")
        }
    }

    /// What a sample stands for, in ms.
    private func weight(_ text: String) throws(IngestError) -> Double {
        if text.isEmpty, let known = header.msPerSample { return known }
        if let nanoseconds = Double(text), nanoseconds > 0, nanoseconds < 1e15 { return nanoseconds / 1e6 }
        throw .refused(
            reason: text.isEmpty
                ? "The trace doesn't say how much time a sample stands for. Put a line like '# perfgate ms_per_sample=1' "
                    + "at the start."
                : "Line \(first) has the weight '\(text.prefix(40))', which isn't a time in ns. Export it again.")
    }

    /// The parts of `perfgate:visit:Search`; `nil` for another name.
    private static func interval(_ name: String) -> (kind: PageInterval, page: String)? {
        let parts = name.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "perfgate", !parts[2].isEmpty else { return nil }
        return PageInterval(rawValue: String(parts[1])).map { ($0, String(parts[2])) }
    }
}
