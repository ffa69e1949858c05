import PerfgateModel

/// The starts of Android's activities in one file: a run per app, a page per activity and state, an iteration per start.
struct AndroidStarts {
    /// What the system calls the state of the process and the activity before the start. Their times differ greatly.
    enum State: String {
        case cold, warm, hot, relaunch
    }

    /// The metric for the time to the first frame is the one of all tools.
    static let toFullDisplay = ForeignMetric(id: "timeToFullDisplayMs", unit: "ms").metric

    private var cells: [String: [ForeignCell]] = [:]
    private var iterations: [String: Int] = [:]

    var isEmpty: Bool { cells.isEmpty }

    /// Begins the next iteration of a page; returns its number.
    mutating func begin(_ activity: String, _ state: State?) -> Int {
        let key = "\(activity)\0\(state?.rawValue ?? "")"
        defer { iterations[key, default: 0] += 1 }
        return iterations[key, default: 0]
    }

    mutating func add(_ metric: Metric, _ milliseconds: Double, of activity: String, _ state: State?, _ iteration: Int)
    {
        var cell = ForeignCell(subject: activity, metric: metric, values: [milliseconds], first: iteration)
        cell.variant = state?.rawValue
        cells[Self.package(of: activity), default: []].append(cell)
    }

    /// The runs; the app is their only known condition.
    func runs(of file: ForeignFile, named format: String) -> [ForeignRun] {
        cells.sorted { $0.key.precedesInUTF8($1.key) }.map { package, cells in
            var context = Context()
            context["app"] = .text(package)
            let id = [format, file.identity] + (self.cells.count == 1 ? [] : [package])
            return ForeignRun(id: id.joined(separator: "-"), path: file.path, context: context, cells: cells)
        }
    }

    /// The package of an activity such as `com.example.shop/.MainActivity`.
    static func package(of activity: String) -> String { String(activity.prefix { $0 != "/" }) }

    /// Whether a text names an activity: a package and a class, without white space.
    static func isActivity(_ text: some StringProtocol) -> Bool {
        guard let slash = text.firstIndex(of: "/") else { return false }
        return slash > text.startIndex && text.index(after: slash) < text.endIndex
            && !text.contains { $0.isWhitespace || $0 == "{" || $0 == "}" }
    }
}

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
        guard parser.tally.total > 0 else { throw .malformed(line: nil, problem: "it holds no output of am start -W") }
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
