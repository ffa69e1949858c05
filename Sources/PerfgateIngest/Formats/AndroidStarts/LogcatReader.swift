import PerfgateModel

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
        guard head.outline == nil, head.rootElement == nil else { return false }
        return head.lines.contains { LogcatLine($0).map { $0.kind != .process } ?? false }
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var parser = LogcatParser(path: file.path)
        let lines = file.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            parser.read(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, number: index + 1)
        }
        parser.finish(lastLine: lines.last ?? [], number: lines.count)
        guard parser.tally.total > 0 else { throw .malformed(line: nil, problem: "it holds no line of a start") }
        return ForeignResult(
            runs: parser.starts.runs(of: file, named: name), tallies: [parser.tally], diagnostics: parser.diagnostics)
    }
}

/// A line of Android's activity manager about a start.
struct LogcatLine {
    enum Kind: String, CaseIterable {
        /// The first frame of an activity.
        case displayed = "Displayed "
        /// The app's call of `reportFullyDrawn()`.
        case drawn = "Fully drawn "
        case process = "Start proc "
    }

    let kind: Kind
    let rest: Substring

    /// The line's content; `nil` for any other line.
    init?(_ line: ArraySlice<UInt8>) {
        guard let kind = Kind.allCases.first(where: { ForeignHead.contains($0.rawValue, in: line) }) else { return nil }
        let text = String(decoding: line, as: UTF8.self)
        guard let tag = text.firstRange(of: "ActivityTaskManager") ?? text.firstRange(of: "ActivityManager") else {
            return nil
        }
        // The process of the log follows the tag in two of the formats: `ActivityManager( 1234): `.
        let after = text[tag.upperBound...].drop { " ()".contains($0) || $0.isNumber }
        guard after.hasPrefix(": \(kind.rawValue)") else { return nil }
        self.kind = kind
        rest = after.dropFirst(2 + kind.rawValue.count)
    }

    /// The activity and its time; `nil` if the line is cut, or in another form.
    ///
    /// With a total, the time counts from the start of an earlier activity, which opened this one.
    var start: (activity: String, milliseconds: Double)? {
        guard
            let match = rest.wholeMatch(
                of: /([^\s:]+)(?: for user \d{1,6})?: (\+\w{1,20})(?: \(total (\+\w{1,20})\))?\s*/),
            AndroidStarts.isActivity(match.1), let own = Self.milliseconds(match.2)
        else { return nil }
        guard let total = match.3 else { return (String(match.1), own) }
        return Self.milliseconds(total).map { (String(match.1), $0) }
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
        guard let match = text.wholeMatch(of: /\+(?:(\d{1,2})h)?(?:(\d{1,2})m)?(?:(\d{1,2})s)?(\d{1,3})ms/) else {
            return nil
        }
        let parts = [match.1, match.2, match.3, match.4].map { $0.flatMap { Double($0) } ?? 0 }
        return ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1_000 + parts[3]
    }
}

struct LogcatParser {
    private(set) var starts = AndroidStarts()
    private(set) var tally: RecordTally

    private typealias Start = (state: AndroidStarts.State?, iteration: Int, isDrawn: Bool)
    private var last: [String: Start] = [:]
    /// The packages whose process started since their last start.
    private var fresh: Set<String> = []
    private var knowsProcesses = false
    private var isLastLineRead = false

    init(path: String) { tally = RecordTally(path: path, noun: "lines of starts") }

    mutating func read(_ bytes: ArraySlice<UInt8>, number: Int) {
        isLastLineRead = false
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
            starts.add(AndroidStarts.toFullDisplay, time, of: activity, start.state, start.iteration)
        }
        tally.countRead()
    }

    /// Reports a log that ends within a line.
    mutating func finish(lastLine: ArraySlice<UInt8>, number: Int) {
        guard !lastLine.isEmpty, !isLastLineRead, tally.total > 0 else { return }
        tally.fail(line: number, because: "the log ends within a line; record it again")
    }

    /// A note if cold and warm starts can't be told apart.
    var diagnostics: [Diagnostic] {
        guard !knowsProcesses, !starts.isEmpty else { return [] }
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
