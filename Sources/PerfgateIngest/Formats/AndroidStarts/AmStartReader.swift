import PerfgateModel

/// Reads the output of `adb shell am start -W`, also several outputs in one file: each is an iteration.
enum AmStartReader: ForeignReader {
    static let name = "am-start"
    static let title = "starts that Android's am start -W waits for"
    static let recipe = "adb shell am start -S -W com.example.app/.MainActivity >> starts.txt"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard head.outline == nil, head.rootElement == nil else { return false }
        return head.lines.contains { $0.starts(with: AmStartParser.begin.utf8) }
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var parser = AmStartParser(path: file.path)
        for (index, line) in file.bytes.split(separator: newline, omittingEmptySubsequences: false).enumerated() {
            parser.read(String(decoding: line, as: UTF8.self).trimmingWhitespace, line: index + 1)
        }
        parser.finish()
        guard parser.tally.total > 0 else {
            throw .malformed(line: nil, problem: "it holds no output of am start -W")
        }
        guard !parser.starts.isEmpty || !parser.tally.notUnderstood.isEmpty else { throw .refused(reason: notStarted) }
        return ForeignResult(runs: parser.starts.runs(of: file, named: name), tallies: [parser.tally])
    }

    private static let newline = UInt8(ascii: "\n")
    private static let notStarted = "The activity ran already, so no start was measured. Start it with -S."
}

/// Reads the outputs line by line: each begins with the intent, and ends with `Complete`.
struct AmStartParser {
    static let begin = "Starting: Intent {"

    private(set) var starts = AndroidStarts()
    private(set) var tally: RecordTally

    private var isOpen = false
    private var firstLine = 0
    private var values: [String: String] = [:]
    private var isError = false

    init(path: String) { tally = RecordTally(path: path, noun: "starts") }

    mutating func read(_ text: String, line: Int) {
        if text.hasPrefix(Self.begin) {
            finish()
            (isOpen, firstLine) = (true, line)
        } else if text.hasPrefix("Error") {
            (isOpen, isError) = (true, true)
            if firstLine == 0 { firstLine = line }
        } else if text == "Complete", isOpen {
            close()
        } else if isOpen, let colon = text.firstRange(of: ": ") {
            let key = String(text[..<colon.lowerBound])
            if Self.keys.contains(key), values[key] == nil { values[key] = String(text[colon.upperBound...]) }
        }
    }

    /// Ends the text, or the output before the next one.
    mutating func finish() {
        guard isOpen else { return }
        if isError {
            tally.fail(line: firstLine, because: "the activity couldn't be started; the line Error says why")
        } else if values.isEmpty {
            tally.fail(line: firstLine, because: "it has no times; run am start with -W")
        } else {
            tally.fail(line: firstLine, because: "it has no line Complete; start the app again")
        }
        reset()
    }

    private mutating func close() {
        switch reading() {
        case .start(let activity, let state, let time):
            let iteration = starts.begin(activity, state)
            starts.add(.launch, time, of: activity, state, iteration)
            tally.countRead()
        case .skipped(let reason): tally.skip(line: firstLine, because: reason)
        case .bad(let reason): tally.fail(line: firstLine, because: reason)
        }
        reset()
    }

    private enum Reading {
        case start(String, AndroidStarts.State?, Double)
        case skipped(String)
        case bad(String)
    }

    private func reading() -> Reading {
        switch values["Status"] {
        case "ok": break
        case "timeout": return .bad("its status is timeout: the activity drew nothing in time; start it again")
        case nil: return .bad("it has no Status")
        default: return .bad("its Status isn't ok")
        }
        guard let activity = values["Activity"], AndroidStarts.isActivity(activity) else {
            return .bad("it names no Activity")
        }
        // Systems before Android 10 print no state.
        let word = values["LaunchState"] ?? ""
        let state = AndroidStarts.State(rawValue: word.lowercased())
        guard let text = values["TotalTime"] else {
            return .bad("it has no TotalTime, because the activity drew no frame; start it with -S")
        }
        guard let time = Int32(text), time >= 0 else { return .bad("its TotalTime is no number of milliseconds") }
        guard time > 0, !word.hasPrefix("UNKNOWN") else {
            return .skipped("the activity ran already; start it with -S")
        }
        guard word.isEmpty || state != nil else { return .bad("its LaunchState is unknown") }
        return .start(activity, state, Double(time))
    }

    private mutating func reset() { (isOpen, isError, firstLine, values) = (false, false, 0, [:]) }

    private static let keys: Set = ["Status", "LaunchState", "Activity", "TotalTime"]
}
