import LibC
import PerfgateModel

/// Reads XCTest's output of performance tests: from `xcodebuild test`, from `swift test` on any system,
/// and from logs of CI servers, with any prefix before a line.
///
///     …/FeedTests.swift:12: Test Case '-[UITests.FeedTests testScroll]' measured [Clock Monotonic Time, s]
///       average: 0.254, relative standard deviation: 3.100%, values: [0.250000, 0.258000],
///       performanceMetricID:com.apple.dt.XCTMetric_Clock.time.monotonic, …, polarity: prefers smaller, …
///
/// Each is one line. Test names and metrics have the same meaning as in the results of the same test
/// (`XcresultMetricsReader`).
enum XCTestConsoleReader: ForeignReader {
    static let name = "xctest-console"
    static let title = "XCTest's output of measure { }"
    static let recipe = "xcodebuild test … | tee test.log, or swift test 2>&1 | tee test.log"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard head.outline.map({ !$0.isOneValue && !$0.isSequence }) ?? true, head.rootElement == nil else {
            return false
        }
        return head.lines.contains { line in
            ForeignHead.contains("' \(XCTestMeasurement.mark)", in: line) && ForeignHead.contains("values: [", in: line)
        }
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var tally = RecordTally(path: file.path, noun: "measurements")
        var tests = XCTestOccurrences()
        var suites = XCTestSuites()
        var number = 0
        for line in file.bytes.lines {
            number += 1
            suites.take(line)
            guard ForeignHead.contains(XCTestMeasurement.mark, in: line) else { continue }
            do throws(UnusedRecord) {
                tests.add(try XCTestMeasurement.read(String(decoding: line, as: UTF8.self)), line: number)
            } catch {
                tally.count(error, line: number)
            }
        }
        if suites.areOpen { tally.fail(line: number, because: "the log ends before its last suite of tests") }
        let runs = tests.distinct(&tally).runs(of: file.path, named: "xctest")
        return ForeignResult(runs: runs, tallies: [tally])
    }
}

/// Detects a truncated log: each suite that a log opens must end in it. A log without suites is an excerpt.
private struct XCTestSuites {
    private var count = 0
    private var isEnding = false

    var areOpen: Bool { count > 0 }

    /// Reads a line. The number of a suite's tests follows the line with the suite's end.
    mutating func take(_ line: ArraySlice<UInt8>) {
        if ForeignHead.contains("Test Suite '", in: line) {
            if ForeignHead.contains("' started at ", in: line) { count += 1 }
            isEnding = ForeignHead.contains("' passed at ", in: line) || ForeignHead.contains("' failed at ", in: line)
        } else if isEnding, ForeignHead.contains("Executed ", in: line), ForeignHead.contains(" seconds", in: line) {
            count = max(0, count - 1)
            isEnding = false
        }
    }
}

/// Reads a line with a metric of a test and its values.
private enum XCTestMeasurement {
    /// The mark of such a line, rare in any other.
    static let mark = "measured ["

    /// The test with the only metric of the line; Linux omits its target.
    static func read(_ coloured: String) throws(UnusedRecord) -> XcresultTestRun {
        let line = withoutColours(coloured)
        guard let start = line.firstRange(of: "Test Case '"), let mark = line.firstRange(of: "' \(Self.mark)"),
            start.upperBound <= mark.lowerBound
        else { throw .skipped("they name no test") }
        guard let name = name(of: line[start.upperBound..<mark.lowerBound]) else {
            throw .failed("its test has no class")
        }
        let rest = line[mark.upperBound...]
        guard let end = rest.firstRange(of: "] average: "), let comma = rest[..<end.lowerBound].lastIndex(of: ",")
        else { throw .failed("its metric has no unit") }
        let unit = rest[rest.index(after: comma)..<end.lowerBound].drop { $0 == " " }
        let after = rest[end.upperBound...]
        guard let list = after.firstRange(of: "values: ["), let close = after[list.upperBound...].firstIndex(of: "]")
        else { throw .failed("its values are cut") }
        let texts = rest[list.upperBound..<close]
        guard texts.contains(where: { $0 != " " }) else { throw .skipped("they have no values") }
        let average = after.prefix(upTo: after.firstRange(of: ", relative")?.lowerBound ?? list.lowerBound)
        guard let values = average.contains(",") ? commaNumbers(texts) : numbers(texts) else {
            throw .failed("a value isn't a number")
        }
        guard agrees(values, with: average) else { throw .failed("its values don't have the average that it prints") }
        let tail = rest[close...]
        // Older versions of Xcode write "unspecified" as the polarity.
        let series = XcresultTestRun.Series(
            identifier: field("performanceMetricID:", in: tail) ?? String(rest[..<comma]), unit: String(unit),
            better: Better(polarity: field("polarity: ", in: tail)), values: values)
        guard !series.isImpossible else { throw .failed("it measured less than nothing; run the test again") }
        return XcresultTestRun(test: name.test, qualifiedTest: name.qualified, series: [series])
    }

    /// The values with decimal points; `nil` if one isn't a number.
    private static func numbers(_ texts: Substring) -> [Double]? {
        let texts = texts.split(separator: ",").map { $0.filter { $0 != " " } }
        let values = texts.compactMap { Double($0) }
        return values.count == texts.count && values.allSatisfy(\.isFinite) ? values : nil
    }

    /// The values with decimal commas, as a process with another locale prints them: `0,250000, 0,258000`.
    private static func commaNumbers(_ texts: Substring) -> [Double]? {
        let texts = texts.split(separator: " ").map { $0.last == "," ? $0.dropLast() : $0 }
        return texts.isEmpty ? nil : numbers(texts.map { $0.replacing(",", with: ".") }.joined(separator: ",")[...])
    }

    /// Whether values have the printed average, which is rounded to its last digit; any do if it isn't a number.
    private static func agrees(_ values: [Double], with average: Substring) -> Bool {
        let text = average.filter { $0 != " " }.replacing(",", with: ".")
        guard let printed = Double(text), printed.isFinite else { return true }
        let mean = values.reduce(0) { $0 + $1 / Double(values.count) }
        let decimals = text.firstIndex(of: ".").map { text.distance(from: $0, to: text.endIndex) - 1 } ?? 0
        return abs(mean - printed) <= 0.6 * pow(10, -Double(decimals)) + 1e-6 * abs(printed)
    }

    /// The test in `-[Target.Class test]`, in Objective-C's `-[Class test]`, and in Linux's `Class.test`.
    private static func name(of text: Substring) -> (test: String, qualified: String?)? {
        if text.hasPrefix("-["), text.hasSuffix("]") {
            let words = text.dropFirst(2).dropLast().split(separator: " ")
            guard words.count == 2 else { return nil }
            let parts = words[0].split(separator: ".")
            guard let name = parts.last, parts.count > 1 else { return ("\(words[0])/\(words[1])", nil) }
            let target = parts.dropLast().joined(separator: ".")
            return ("\(name)/\(words[1])()", "\(target)/\(name)/\(words[1])")
        }
        guard let dot = text.lastIndex(of: ".") else { return nil }
        let (name, test) = (text[..<dot], text[text.index(after: dot)...])
        return name.isEmpty || test.isEmpty ? nil : ("\(name)/\(test)()", nil)
    }

    /// The text after a name, up to the next comma.
    private static func field(_ name: String, in text: Substring) -> String? {
        guard let start = text.firstRange(of: name)?.upperBound else { return nil }
        let value = text[start...].prefix { $0 != "," && !$0.isNewline }
        return value.isEmpty ? nil : String(value).trimmingWhitespace
    }

    /// A line without colour codes, `ESC [ … m`.
    private static func withoutColours(_ line: String) -> String {
        guard line.unicodeScalars.contains("\u{1B}") else { return line }
        return line.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "")
    }
}

/// The tests of one log, with an entry per execution.
private struct XCTestOccurrences {
    private var tests: [XcresultTestRun] = []
    private var lines: [Int] = []
    private var last: [String: Int] = [:]

    /// Adds a metric of a test; a repeated metric belongs to the test's next execution.
    mutating func add(_ measured: XcresultTestRun, line: Int) {
        let metrics = measured.series.map(\.identifier)
        if let last = last[measured.test], !tests[last].series.contains(where: { metrics.contains($0.identifier) }) {
            tests[last].series += measured.series
        } else {
            last[measured.test] = tests.count
            tests.append(measured)
            lines.append(line)
        }
    }

    /// The tests; identical repetitions in a log, such as a summary at its end, count once.
    func distinct(_ tally: inout RecordTally) -> [XcresultTestRun] {
        var known: Set<XcresultTestRun> = []
        return zip(tests, lines).compactMap { test, line in
            let isTelling = test.series.contains { $0.values.contains { $0 != 0 } }
            guard known.insert(test).inserted || !isTelling else {
                for _ in test.series { tally.skip(line: line, because: "the same stood there before") }
                return nil
            }
            tally.countRead(test.series.count)
            return test
        }
    }
}
