import PerfgateModel

/// The starts of Android's activities in one file: a run per app, a page per activity and state, an iteration per start.
private struct AndroidStarts {
    /// What the system calls the state of the process and the activity before the start. Their times differ greatly.
    enum State: String { case cold, warm, hot, relaunch }

    /// The cells by app.
    private(set) var cells: [String: [ForeignCell]] = [:]
    private var iterations: [[String]: Int] = [:]

    /// Begins the next iteration of a page; returns its number.
    mutating func begin(_ activity: String, _ state: State?) -> Int { iterations.next(activity, state?.rawValue ?? "") }

    mutating func add(_ metric: Metric, _ time: Double, of activity: String, _ state: State?, _ iteration: Int) {
        cells[Self.package(of: activity), default: []].append(
            ForeignCell(subject: activity, variant: state?.rawValue, metric: metric, values: [time], first: iteration))
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
        head.outline == nil && head.rootElement == nil
            && head.lines.contains { $0.starts(with: AmStartParser.begin.utf8) }
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var parser = AmStartParser(path: file.path)
        for (index, line) in file.bytes.lines.enumerated() {
            parser.read(String(decoding: line, as: UTF8.self).trimmingWhitespace, line: index + 1)
        }
        parser.finish()
        guard parser.tally.total > 0 else { throw .malformed(line: nil, problem: "it holds no output of am start -W") }
        guard !parser.starts.cells.isEmpty || !parser.tally.notUnderstood.isEmpty else {
            throw .refused(reason: "The activity ran already, so no start was measured. Start it with -S.")
        }
        let runs = ForeignRun.ofApps(parser.starts.cells, in: file, named: name)
        return ForeignResult(runs: runs, tallies: [parser.tally])
    }
}

/// Reads the outputs line by line: each begins with the intent, and ends with `Complete`.
private struct AmStartParser {
    static let begin = "Starting: Intent {"
    private static let keys: Set = ["Status", "LaunchState", "Activity", "TotalTime"]

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
        do throws(UnusedRecord) {
            let (activity, state, time) = try start()
            let iteration = starts.begin(activity, state)
            starts.add(.launch, time, of: activity, state, iteration)
            tally.countRead()
        } catch {
            tally.count(error, line: firstLine)
        }
        reset()
    }

    private func start() throws(UnusedRecord) -> (String, AndroidStarts.State?, milliseconds: Double) {
        switch values["Status"] {
        case "ok": break
        case "timeout": throw .failed("its status is timeout: the activity drew nothing in time; start it again")
        case nil: throw .failed("it has no Status")
        default: throw .failed("its Status isn't ok")
        }
        guard let activity = values["Activity"], AndroidStarts.isActivity(activity) else {
            throw .failed("it names no Activity")
        }
        // Systems before Android 10 print no state.
        let word = values["LaunchState"] ?? ""
        let state = AndroidStarts.State(rawValue: word.lowercased())
        guard let text = values["TotalTime"] else {
            throw .failed("it has no TotalTime, because the activity drew no frame; start it with -S")
        }
        guard let time = Int32(text), time >= 0 else { throw .failed("its TotalTime is no number of milliseconds") }
        guard time > 0, !word.hasPrefix("UNKNOWN") else { throw .skipped("the activity ran already; start it with -S") }
        guard word.isEmpty || state != nil else { throw .failed("its LaunchState is unknown") }
        return (activity, state, Double(time))
    }

    private mutating func reset() { (isOpen, isError, firstLine, values) = (false, false, 0, [:]) }
}

/// Reads the starts in Android's log, in the formats `brief`, `time` and `threadtime` of logcat:
///
///     11-27 10:00:00.000  1021  1518 I ActivityTaskManager: Displayed com.example.shop/.MainActivity: +1s204ms
///     I/ActivityManager( 1234): Displayed com.example.shop/.Main: +350ms (total +1s102ms)
///     I/ActivityTaskManager( 1234): Fully drawn com.example.shop/.MainActivity: +2s5ms
///
/// The system writes them for cold and warm starts. A start is cold if the log has the start of its process.
enum LogcatReader: ForeignReader {
    static let name = "logcat"
    static let title = "starts in Android's log"
    static let recipe = "adb logcat -d -s ActivityManager:I ActivityTaskManager:I > starts.log"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.outline == nil && head.rootElement == nil
            && head.lines.contains { LogcatLine($0).map { $0.kind != .process } ?? false }
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var parser = LogcatParser(path: file.path)
        for (index, line) in file.bytes.lines.enumerated() { parser.read(line, number: index + 1) }
        if let last = file.bytes.last, last != UInt8(ascii: "\n") { parser.finishInsideLine() }
        guard parser.tally.total > 0 else { throw .malformed(line: nil, problem: "it holds no line of a start") }
        let runs = ForeignRun.ofApps(parser.starts.cells, in: file, named: name)
        return ForeignResult(runs: runs, tallies: [parser.tally], diagnostics: parser.diagnostics)
    }
}

/// A line of Android's activity manager about a start.
private struct LogcatLine {
    enum Kind: String, CaseIterable {
        /// The first frame of an activity.
        case displayed = "Displayed "
        /// The app's call of `reportFullyDrawn()`.
        case drawn = "Fully drawn "
        case process = "Start proc "
    }

    let kind: Kind
    private let rest: Substring

    /// The line's content; `nil` for any other line.
    init?(_ line: ArraySlice<UInt8>) {
        guard let kind = Kind.allCases.first(where: { ForeignHead.contains($0.rawValue, in: line) }) else { return nil }
        let text = String(decoding: line, as: UTF8.self)
        let tag = text.firstRange(of: "ActivityTaskManager") ?? text.firstRange(of: "ActivityManager")
        // The process of the log follows the tag in two of the formats: `ActivityManager( 1234): `.
        let after = tag.map { text[$0.upperBound...].drop { " ()".contains($0) || $0.isNumber } }
        guard let after, after.hasPrefix(": \(kind.rawValue)") else { return nil }
        self.kind = kind
        rest = after.dropFirst(2 + kind.rawValue.count)
    }

    /// The activity and its time; `nil` if the line is cut, or in another form.
    ///
    /// With a total, the time counts from the start of an earlier activity, which opened this one.
    var start: (activity: String, milliseconds: Double)? {
        let form = /([^\s:]+)(?: for user \d{1,6})?: (\+\w{1,20})(?: \(total (\+\w{1,20})\))?\s*/
        guard let match = rest.wholeMatch(of: form), AndroidStarts.isActivity(match.1),
            let own = Self.milliseconds(match.2), let time = match.3.map(Self.milliseconds) ?? own
        else { return nil }
        return (String(match.1), time)
    }

    /// The package whose process starts for an activity; `nil` for a service or a broadcast.
    var package: String? {
        guard let reason = rest.firstRange(of: "activity ") else { return nil }
        let activity = rest[reason.upperBound...].drop { $0 == "{" }.prefix { !$0.isWhitespace && $0 != "}" }
        let name = activity.hasSuffix(":") ? activity.dropLast() : activity
        return AndroidStarts.isActivity(name) ? AndroidStarts.package(of: String(name)) : nil
    }

    /// The time of a text such as `+1s204ms` or `+1m0s9ms`; Android's always end with milliseconds.
    private static func milliseconds(_ text: Substring) -> Double? {
        let form = /\+(?:(\d{1,2})h)?(?:(\d{1,2})m)?(?:(\d{1,2})s)?(\d{1,3})ms/
        guard let match = text.wholeMatch(of: form) else { return nil }
        let parts = [match.1, match.2, match.3, match.4].map { $0.flatMap { Double($0) } ?? 0 }
        return ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1_000 + parts[3]
    }
}

private struct LogcatParser {
    private(set) var starts = AndroidStarts()
    private(set) var tally: RecordTally

    private typealias Start = (state: AndroidStarts.State?, iteration: Int, isDrawn: Bool)
    private var last: [String: Start] = [:]
    /// The packages whose process started since their last start.
    private var fresh: Set<String> = []
    private var knowsProcesses = false
    private var lastLine = 0
    private var isLastLineRead = false

    init(path: String) { tally = RecordTally(path: path, noun: "lines of starts") }

    mutating func read(_ bytes: ArraySlice<UInt8>, number: Int) {
        (lastLine, isLastLineRead) = (number, false)
        guard let line = LogcatLine(bytes) else { return }
        guard line.kind != .process else {
            knowsProcesses = true
            if let package = line.package { fresh.insert(package) }
            return
        }
        guard let (activity, time) = line.start else {
            return tally.fail(line: number, because: "it has no activity and time such as +1s204ms")
        }
        isLastLineRead = true
        if line.kind == .displayed {
            let start = begin(activity)
            starts.add(.launch, time, of: activity, start.state, start.iteration)
        } else {
            let start = last[activity] ?? begin(activity)
            guard !start.isDrawn else { return tally.skip(line: number, because: "the start was fully drawn before") }
            last[activity]?.isDrawn = true
            starts.add(.timeToFullDisplay, time, of: activity, start.state, start.iteration)
        }
        tally.countRead()
    }

    /// Reports a log that ends within a line, unless that line could be read.
    mutating func finishInsideLine() {
        guard !isLastLineRead, tally.total > 0 else { return }
        tally.fail(line: lastLine, because: "the log ends within a line; record it again")
    }

    /// A note if cold and warm starts can't be told apart.
    var diagnostics: [Diagnostic] {
        guard !knowsProcesses, !starts.cells.isEmpty else { return [] }
        let message = "Without lines 'Start proc' cold and warm starts are one page: record ActivityManager:I too."
        return [Diagnostic(.notMeasured, path: tally.path, message)]
    }

    private mutating func begin(_ activity: String) -> Start {
        let isCold = fresh.remove(AndroidStarts.package(of: activity)) != nil
        let state: AndroidStarts.State? = knowsProcesses ? (isCold ? .cold : .warm) : nil
        let start: Start = (state, starts.begin(activity, state), false)
        last[activity] = start
        return start
    }
}

extension Metric {
    /// The time to the app's call of `reportFullyDrawn()`, under androidx.benchmark's name.
    static let timeToFullDisplay = ForeignMetric(id: "timeToFullDisplayMs", unit: "ms").metric
}
