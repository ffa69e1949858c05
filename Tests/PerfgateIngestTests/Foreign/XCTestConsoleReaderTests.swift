import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Made-up output in XCTest's format.
enum XCTestConsoleFixture {
    /// A log of two tests; one test measures two metrics.
    static let text = log([
        line("-[ShopTests.FeedTests testScroll]", "Clock Monotonic Time, s", "0.250000, 0.258123", clock),
        line("-[ShopTests.FeedTests testScroll]", "Memory Peak Physical, kB", "55266.424000, 55300.000000", memory),
        line("-[ShopTests.FeedTests testSort]", "Time, seconds", "0.001500, 0.001250", wall, polarity: ""),
    ])

    static let clock = "com.apple.dt.XCTMetric_Clock.time.monotonic"
    static let memory = "com.apple.dt.XCTMetric_Memory.physical_peak"
    static let wall = "com.apple.XCTPerformanceMetric_WallClockTime"

    static func line(
        _ test: String, _ metric: String, _ values: String, _ id: String,
        polarity: String = "polarity: prefers smaller, ", average: String? = nil
    ) -> String {
        let numbers = values.split(separator: ", ").compactMap { Double($0) }
        let mean = String(format: "%.3f", numbers.reduce(0, +) / Double(max(1, numbers.count)))
        return "/src/FeedTests.swift:12: Test Case '\(test)' measured [\(metric)] average: \(average ?? mean), "
            + "relative standard deviation: "
            + "3.100%, values: [\(values)], performanceMetricID:\(id), baselineName: \"\", baselineAverage: , \(polarity)"
            + "maxPercentRegression: 10.000%, maxPercentRelativeStandardDeviation: 10.000%, maxRegression: 0.100, "
            + "maxStandardDeviation: 0.100"
    }

    static func log(_ lines: [String], prefix: String = "") -> String {
        let all =
            ["Test Suite 'All tests' started at 2026-11-20 10:00:00.000"] + lines
            + [
                "Test Case '-[ShopTests.FeedTests testScroll]' passed (1.234 seconds).",
                "Test Suite 'All tests' passed at 2026-11-20 10:00:03.000.",
                "\t Executed 2 tests, with 0 failures (0 unexpected) in 1.234 (1.235) seconds",
            ]
        return all.map { prefix + $0 + "\n" }.joined()
    }
}

/// The results of reading XCTest's output.
///
/// Real output was read, and every value was compared with a regular expression's result: `isaaclins/powerusermail`:
/// `performance-reports/test_output_ui.txt` (Xcode 26, 17 lines), `SoundBlaster/SpecificationKit`:
/// `AGENTS_DOCS/markdown/3.0.0/agent_logs/*.md` (Xcode 16, hundreds of lines), `martindemel/Pulsum`:
/// `POST_FIX_AUDIT.md` (Xcode 26), `norio-nomura/InlinableTest`: `README.md` (Xcode 10), and the output of `swift test`
/// of Swift 6.3 on Linux.
struct XCTestConsoleReaderTests {
    private typealias Fixture = XCTestConsoleFixture

    @Test func aTestIsAPage() throws {
        let result = try LogFolder.measurements(Fixture.text)
        #expect(result.values("FeedTests/testScroll()", "measured_time") == [250, 258.123])
        #expect(result.values("FeedTests/testScroll()", Fixture.memory) == [55266.424, 55300])
        #expect(result.values("FeedTests/testSort()", "measured_time") == [1.25, 1.5].reversed())
        #expect(
            result.pages.values.flatMap(\.tests).sorted() == [
                "ShopTests/FeedTests/testScroll", "ShopTests/FeedTests/testSort",
            ])
        #expect(result.runs.map(\.isComplete) == [true])
    }

    /// A printed name, and its page: the same page as from the result bundle of the test.
    @Test(arguments: [
        ("-[ShopTests.FeedTests testScroll]", "FeedTests/testScroll()"),
        ("-[FeedTests testScroll]", "FeedTests/testScroll"),
        ("FeedTests.testScroll", "FeedTests/testScroll()"),
    ])
    func names(_ name: String, _ page: String) throws {
        let line = Fixture.line(name, "Time, seconds", "0.5", "org.swift.XCTPerformanceMetric_WallClockTime")
        #expect(try LogFolder.measurements(Fixture.log([line])).values(page, "measured_time") == [500])
    }

    /// The prefixes and colours that log collectors add to a line.
    @Test(arguments: ["2026-11-20T10:00:00.1234567Z ", "[10:00:00] ▸ ", "\u{1B}[0;32m", "18:09:50 ", "{not json "])
    func prefixes(_ prefix: String) throws {
        let plain = try LogFolder.measurements(Fixture.text)
        let line = Fixture.line(
            "-[ShopTests.FeedTests testScroll]", "Clock Monotonic Time, s", "0.250000, 0.258123", Fixture.clock)
        let text = Fixture.log([line.replacing("measured", with: "\u{1B}[1mmeasured\u{1B}[0m")], prefix: prefix)
        #expect(
            try LogFolder.measurements(Fixture.log([line], prefix: prefix)).values(
                "FeedTests/testScroll()", "measured_time")
                == plain.values("FeedTests/testScroll()", "measured_time"))
        #expect(try LogFolder.measurements(text + Fixture.text).runs.count == 1)
    }

    @Test(arguments: [("prefers larger", Better.higher), ("prefers smaller", .lower), ("unspecified", .lower)])
    func polarities(_ polarity: String, _ better: Better) throws {
        let line = Fixture.line("A.b", "Throughput, items", "7", "x", polarity: "polarity: \(polarity), ")
        #expect(try LogFolder.measurements(Fixture.log([line])).cells.values.map(\.metric.better) == [better])
    }

    /// A line that is cut off, or has no values, makes the log bad.
    @Test(arguments: [
        "values: [0.25, 0.2", "values: [0.25, x], performanceMetricID:y",
        "values: [-1], performanceMetricID:\(Fixture.clock)",
    ])
    func aDamagedLineIsReported(_ end: String) throws {
        let line = "Test Case '-[A.B testC]' measured [Clock Monotonic Time, s] average: 0.2, relative: 1%, \(end)\n"
        let result = try LogFolder.measurements(Fixture.text + line)
        #expect(result.codes.contains(.badRecord))
        #expect(result.runs.map(\.isComplete) == [false])
    }

    /// A process with another locale prints decimal commas, which also part the values.
    @Test func valuesAreCheckedAgainstTheAverageOfTheirLine() throws {
        func read(_ values: String, _ average: String) throws -> Measurements {
            let line = Fixture.line("A.b", "Time, seconds", values, Fixture.wall, average: average)
            return try LogFolder.measurements(Fixture.log([line]))
        }
        #expect(try read("0,250000, 0,258000", "0,254").values("A/b()", "measured_time") == [250, 258])
        #expect(try read("1,500000", "1,500").values("A/b()", "measured_time") == [1_500])
        #expect(try read("0.250000, 0.258000", "0.254").values("A/b()", "measured_time") == [250, 258])
        #expect(try read("0,000000, 0,000000", "0,000").values("A/b()", "measured_time") == [0, 0])
        for metric in ["CPU, relative, s", "values: [x], s"] {
            let line = Fixture.line("A.b", metric, "0.5", Fixture.wall)
            #expect(try LogFolder.measurements(Fixture.log([line])).values("A/b()", "measured_time") == [500])
        }
        let wrong = try read("0.250000, 0.258000", "0.354")
        #expect(wrong.cells.isEmpty && !wrong.faultyInputs.isEmpty)
        #expect(wrong.diagnostics.contains { $0.message.contains("don't have the average that it prints") })
    }

    @Test func aLogThatIsCutIsReported() throws {
        let result = try LogFolder.measurements(
            Fixture.text.replacing("Test Suite 'All tests' passed", with: "Test Suite 'Other' is"))
        #expect(result.diagnostics.contains { $0.message.contains("the log ends before its last suite of tests") })
        #expect(result.runs.map(\.isComplete) == [false])
    }

    @Test func aRepeatedTestCountsOnAndARepeatedLineDoesnt() throws {
        let first = Fixture.line("A.b", "Time, seconds", "0.5", Fixture.wall)
        let second = Fixture.line("A.b", "Time, seconds", "0.25", Fixture.wall)
        let result = try LogFolder.measurements(Fixture.log([first, second, first]))
        let cell = try #require(result.cells.values.first)
        #expect(cell.runs.flatMap(\.samples) == [Sample(500, iteration: 0), Sample(250, iteration: 1)])
        #expect(result.diagnostics.contains { $0.message.hasSuffix("left out: the same stood there before.") })
    }

    /// The log of `xcodebuild` beside its result bundle.
    @Test func whatIsPrintedIsNoRunBesideTheResults() throws {
        let folder = try LogFolder()
        let metric = XcresultFixture.metric(Fixture.clock, "s", "0.2500004, 0.2581227")
        let results = try folder.write(
            XcresultFixture.document([XcresultFixture.test("FeedTests/testScroll()", [metric])]), as: "metrics.json")
        let line = Fixture.line(
            "-[ShopTests.FeedTests testScroll]", "Clock Monotonic Time, s", "0.250000, 0.258123", Fixture.clock)
        let log = try folder.write(Fixture.log([line]), as: "test.log")
        let both = Ingest().read([results, log])
        #expect(both.runs.count == 1)
        #expect(both.values("FeedTests/testScroll()", "measured_time") == [250.0004, 258.1227])
        #expect(both.codes.contains(.repeatedStream))
        let other = try folder.write(Fixture.log([line.replacing("0.258123", with: "0.258124")]), as: "other.log")
        #expect(Ingest().read([results, other]).runs.count == 2)
    }

    /// A web page that mentions the format isn't in it.
    @Test func wordsAreNoMeasurement() throws {
        let text = "Look for lines with `measured [Time, seconds] average: 0.1`.\n"
        #expect(
            try LogFolder.measurements(text).faultyInputs.first?.message.hasPrefix("It is text that begins") == true)
    }
}
