import PagePerformance
import PerfgateIngest

/// Reads the text of `perf script`, and that of simpleperf's `report_sample.py`, which has the same form: a line for each
/// sample, then its frames, innermost first, then an empty line.
///
///     Shop 812/812 76438.893167:    1000000 cpu-clock:u:
///                 1136 decodeThumbnail+0xd (/data/app/Shop/base.odex)
struct PerfScriptReader {
    private let table: StackTable
    private var header = ProfileHeader()
    private var samples: [(thread: Int, process: Int?, sample: Recording.Sample)] = []
    private var unit: StackUnit?
    /// The sample whose frames are being read, innermost first.
    private var open: (event: Event, weight: Double, frames: [Int32])?
    private var functions: [String: Int32?] = [:]

    static func recognises(_ line: some StringProtocol) -> Bool { Event(line) != nil }

    /// Reads a file's stacks into a table.
    /// - Parameter folder: The name of its folder: the page, if its header has a number of visits and no page.
    static func read(_ path: String, folder: String, into table: StackTable) throws(IngestError) -> Recording {
        var reader = PerfScriptReader(table: table)
        try ProfileLines.read(path) { line, number throws(IngestError) in try reader.take(line, number) }
        try reader.close()
        return try reader.recording(path, folder)
    }

    private func recording(_ path: String, _ folder: String) throws(IngestError) -> Recording {
        var recording = Recording(path: path)
        if samples.contains(where: { $0.process == nil && $0.thread != samples[0].thread }) {
            throw .refused(reason: "Nothing says which thread is the main one. Use perf script -F +pid.")
        }
        recording.unit = unit ?? .milliseconds
        recording.samples = samples.filter { $0.process ?? $0.thread == $0.thread }.map(\.sample)
        let times = samples.map(\.sample.time)
        if let first = times.min(), let last = times.max() { recording.bounds = first..<(last + 1) }
        recording.whole = header.visits.map {
            WholeRecording(page: header.page ?? folder, kind: header.kind, visits: $0)
        }
        recording.context = header.context
        table.apps.formUnion(header.apps)
        return recording
    }

    private mutating func take(_ line: UnsafeRawBufferPointer, _ number: Int) throws(IngestError) {
        guard let first = line.first else { return try close() }
        let text = String(decoding: line, as: UTF8.self)
        if first == UInt8(ascii: "#") {
            header = try ProfileHeader(comment: text, line: number) ?? header
        } else if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t"), open != nil, let frame = PerfFrame(text) {
            if let function = try function(frame) { open?.frames.append(function) }
        } else if let event = Event(text) {
            try close()
            open = (event, try weight(of: event, number), [])
        } else if text.contains(where: { !$0.isWhitespace }) {
            throw .malformed(line: number, problem: "it is neither a sample nor a frame of perf script")
        } else {
            try close()
        }
    }

    private mutating func close() throws(IngestError) {
        guard let (event, weight, frames) = open else { return }
        open = nil
        let stack = try table.stack(frames.reversed())
        samples.append((event.thread, event.process, .init(time: event.time, weight: weight, stack: stack)))
    }

    private mutating func weight(of event: Event, _ number: Int) throws(IngestError) -> Double {
        guard let eventUnit = event.unit else {
            let problem = "it counts \(event.name.prefix(40)): record time or cycles, with -e cpu-clock or -e cycles"
            throw .malformed(line: number, problem: problem)
        }
        guard unit == nil || unit == eventUnit else {
            throw .malformed(line: number, problem: "it mixes time and cycles: record one event")
        }
        unit = eventUnit
        guard let weight = event.period.map({ $0 / 1e6 }) ?? header.msPerSample else {
            let problem = "it has no period: write it with perf script -F +period, or put ms_per_sample= into a header"
            throw .malformed(line: number, problem: problem)
        }
        return weight
    }

    private mutating func function(_ frame: PerfFrame) throws(IngestError) -> Int32? {
        if let known = functions[frame.text] { return known }
        let binary = frame.binary.map { path in
            StackTable.Binary(name: path.split(separator: "/").last.map(String.init) ?? path, path: path)
        }
        let function = try table.function(StackTable.Frame(name: frame.name, binary: binary))
        functions[frame.text] = .some(function)
        return function
    }
}

private struct Event {
    let thread: Int
    /// `nil` if the line only has the thread.
    let process: Int?
    /// In ns.
    let time: Int64
    /// In ns or cycles, above 0; `nil` if the line has none.
    let period: Double?
    let name: String

    /// The line's parts, found by the time, `76438.893167:`, since a command's name may contain spaces; `nil` for others.
    init?(_ line: some StringProtocol) {
        let parts = line.split(whereSeparator: \.isWhitespace)
        guard let place = parts.firstIndex(where: { Self.time($0) != nil }), place > 0 else { return nil }
        var before = parts[..<place]
        if before.last?.hasPrefix("[") ?? false { before = before.dropLast() }
        guard let numbers = before.last?.split(separator: "/").map({ Int($0) }), before.count > 1,
            let last = numbers.last, let thread = last, let time = Self.time(parts[place])
        else { return nil }
        process = numbers.count == 2 ? numbers[0] : nil
        (self.thread, self.time) = (thread, time)
        let after = parts[(place + 1)...]
        period = after.first.flatMap { Double($0) }.flatMap { $0 > 0 && $0 < 1e18 ? $0 : nil }
        guard let event = after.dropFirst(period == nil ? 0 : 1).first, event.hasSuffix(":") else { return nil }
        name = String(event.dropLast())
    }

    /// Seconds with a fraction of up to 9 digits and a colon, in ns.
    private static func time(_ text: some StringProtocol) -> Int64? {
        guard text.last == ":" else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count <= 9, let seconds = Int64(parts[0]),
            (0..<4_000_000_000).contains(seconds),
            let fraction = Int64(parts[1] + String(repeating: "0", count: 9 - parts[1].count)), fraction >= 0
        else { return nil }
        return seconds * 1_000_000_000 + fraction
    }

    /// The unit of its period after division by 10⁶; `nil` for an event that counts neither time nor cycles.
    var unit: StackUnit? {
        let words = name.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }.map(String.init)
        if words.contains("cpu-clock") || words.contains("task-clock") { return .milliseconds }
        return words.contains("cycles") || words.contains("cpu-cycles") ? .megacycles : nil
    }
}

/// The line of a frame: an address, a symbol and, in parentheses, its binary.
private struct PerfFrame {
    let text: String
    let name: String
    /// The path of its binary; `nil` for inlined and unknown code.
    let binary: String?

    init?(_ line: String) {
        let text = line.drop { $0 == " " || $0 == "\t" }
        let address = text.prefix { $0.isHexDigit }
        guard !address.isEmpty, text.dropFirst(address.count).first == " " else { return nil }
        // Frames of one function differ in their addresses.
        let rest = text.dropFirst(address.count + 1)
        self.text = String(rest)
        guard rest.last == ")", let open = rest.ranges(of: " (").last else {
            (name, binary) = (String(rest), nil)
            return
        }
        let place = rest[open.upperBound...].dropLast()
        name = String(rest[..<open.lowerBound])
        binary = place.isEmpty || place == "inlined" || place == "[unknown]" ? nil : String(place)
    }
}

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
            let (weight, stack) = (try weight(cells[6]), try frames.stack(cells[5].utf8))
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
