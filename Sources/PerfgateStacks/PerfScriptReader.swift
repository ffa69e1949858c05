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
    /// - Parameter folder: The name of its folder, which is the page if its header says how many visits it holds but
    ///   no page.
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
        let sample = Recording.Sample(time: event.time, weight: weight, stack: stack)
        samples.append((event.thread, event.process, sample))
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

    /// The line's parts; `nil` for another line. The command's name may contain spaces, so what follows it is found by the
    /// time, `76438.893167:`.
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
        let value = after.first.flatMap { Double($0) }.flatMap { $0 > 0 && $0 < 1e18 ? $0 : nil }
        period = value
        guard let event = after.dropFirst(value == nil ? 0 : 1).first, event.hasSuffix(":") else { return nil }
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
