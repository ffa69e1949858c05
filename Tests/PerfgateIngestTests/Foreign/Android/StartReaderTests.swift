import PerfgateModel
import Testing

@testable import PerfgateIngest

enum StartsFixture {
    static let amStart = output()

    static let logcat = """
        I/ActivityManager( 1021): Start proc 4711:com.example.shop/u0a1 for activity com.example.shop/.Main
        I/ActivityManager( 1021): Displayed com.example.shop/.Main: +1s204ms
        I/ActivityManager( 1021): Fully drawn com.example.shop/.Main: +2s5ms
        """ + "\n"

    static let flutter = """
        {"engineEnterTimestampMicros": 96025565262, "timeToFrameworkInitMicros": 1973481,
        "timeToFirstFrameRasterizedMicros": 2408608, "timeToFirstFrameMicros": 2125160}
        """

    /// The output of one `am start -W`; `lines` replaces its lines between the intent and the end.
    static func output(_ lines: [String] = ["Status: ok", state("COLD"), activity, "TotalTime: 1204"]) -> String {
        (["Starting: Intent { cmp=com.example.shop/.Main }"] + lines + ["WaitTime: 1210", "Complete"])
            .joined(separator: "\n") + "\n"
    }

    static func state(_ word: String) -> String { "LaunchState: \(word)" }

    static let activity = "Activity: com.example.shop/.Main"
}

/// The results of reading the start times of Android and Flutter.
struct StartReaderTests {
    private typealias Fixture = StartsFixture

    private static func reasons(_ text: String) throws -> [String] {
        try ForeignResult.of(Array(text.utf8)).tallies.flatMap { $0.notUnderstood + $0.skipped }.map(\.reason)
    }

    // MARK: logcat

    /// The three formats of logcat, old and new systems.
    @Test(arguments: [
        ("I/ActivityManager( 1234): Displayed a.b/.C: +350ms", 350.0),
        ("11-27 10:00:00.000 I/ActivityTaskManager( 1234): Displayed a.b/.C: +1s204ms", 1_204),
        ("11-27 10:00:00.000  1021  1518 I ActivityTaskManager: Displayed a.b/.C for user 10: +1m0s9ms", 60_009),
        ("I/ActivityManager(    7): Displayed a.b/.C: +350ms (total +1s102ms)", 1_102),
        ("11-27 10:00:00.000  1021  1518 I ActivityTaskManager: Displayed a.b/c.d.E$F: +1s0ms \r", 1_000),
    ])
    func aLineOfAStart(_ line: String, _ milliseconds: Double) throws {
        let result = try LogFolder.measurements(line + "\n")
        #expect(result.cells.map(\.key.metric) == ["launch"])
        #expect(result.cells.values.map(\.values) == [[milliseconds]])
        #expect(result.cells.values.map(\.metric.unit) == [.milliseconds])
        #expect(result.runs.map { $0.context.text("app") } == ["a.b"])
    }

    @Test func coldAndWarmStartsAreSeparatePages() throws {
        let result = try LogFolder.measurements(
            Fixture.logcat + "I/ActivityManager( 1021): Displayed com.example.shop/.Main: +350ms\n"
                + "I/ActivityManager( 1021): Start proc 8:com.example.shop/u0a1 for broadcast com.example.shop/.Boot\n"
                + "I/ActivityManager( 1021): Displayed com.example.shop/.Main: +351ms\n" + Fixture.logcat)
        #expect(result.values("com.example.shop/.Main (cold)", "launch") == [1_204, 1_204])
        #expect(result.values("com.example.shop/.Main (cold)", "timeToFullDisplayMs") == [2_005, 2_005])
        #expect(result.values("com.example.shop/.Main (warm)", "launch") == [350, 351])
        #expect(!result.codes.contains(.notMeasured))
    }

    @Test func aLogWithoutProcessesSaysThatItHasNoStates() throws {
        let result = try LogFolder.measurements("I/ActivityManager( 1): Displayed a.b/.C: +350ms\n")
        #expect(result.values("a.b/.C", "launch") == [350])
        #expect(result.codes.contains(.notMeasured))
    }

    @Test func eachAppIsARun() throws {
        let result = try LogFolder.measurements(
            Fixture.logcat + "I/ActivityManager( 1): Displayed com.other/.C: +350ms\n")
        #expect(result.runs.compactMap { $0.context.text("app") }.sorted() == ["com.example.shop", "com.other"])
    }

    @Test func aStartIsFullyDrawnOnce() throws {
        let again = "I/ActivityManager( 1021): Fully drawn com.example.shop/.Main: +9s0ms\n"
        #expect(try Self.reasons(Fixture.logcat + again) == ["the start was fully drawn before"])
        let result = try LogFolder.measurements(again)
        #expect(result.values("com.example.shop/.Main", "timeToFullDisplayMs") == [9_000])
    }

    @Test(arguments: ["+1s20", "1204ms", "+1s204ms extra", "", "+1s204ms (total"])
    func aLineWithoutATimeIsReported(_ time: String) throws {
        let text = Fixture.logcat + "I/ActivityManager( 1021): Displayed com.example.shop/.Main: \(time)\n"
        #expect(try Self.reasons(text) == ["it has no activity and time such as +1s204ms"])
    }

    @Test func aLogThatEndsWithinALineIsReported() throws {
        #expect(try Self.reasons(Fixture.logcat + "I/Activi") == ["the log ends within a line; record it again"])
        #expect(try Self.reasons(String(Fixture.logcat.dropLast())).isEmpty)
    }

    // MARK: am start

    @Test func severalOutputsAreIterations() throws {
        let warm = Fixture.output(["Status: ok", Fixture.state("WARM"), Fixture.activity, "TotalTime: 350"])
        let slower = Fixture.output(["Status: ok", Fixture.state("COLD"), Fixture.activity, "TotalTime: 1300"])
        let result = try LogFolder.measurements(Fixture.amStart + warm + slower.replacing("\n", with: "\r\n"))
        #expect(result.values("com.example.shop/.Main (cold)", "launch") == [1_204, 1_300])
        #expect(result.values("com.example.shop/.Main (warm)", "launch") == [350])
        #expect(result.runs.map { $0.context.text("app") } == ["com.example.shop"])
    }

    @Test func oldSystemsPrintNoState() throws {
        let result = try LogFolder.measurements(
            Fixture.output(["Status: ok", Fixture.activity, "ThisTime: 700", "TotalTime: 1204"]))
        #expect(result.values("com.example.shop/.Main", "launch") == [1_204])
    }

    /// The lines of an output, and the reason why it gives no value.
    @Test(arguments: [
        (
            ["Status: timeout", StartsFixture.state("COLD"), StartsFixture.activity, "TotalTime: 1204"],
            "its status is timeout: the activity drew nothing in time; start it again"
        ),
        (["Status: null"], "its Status isn't ok"), ([StartsFixture.activity, "TotalTime: 1204"], "it has no Status"),
        (["Status: ok", "TotalTime: 1204"], "it names no Activity"),
        (
            ["Status: ok", StartsFixture.activity],
            "it has no TotalTime, because the activity drew no frame; start it with -S"
        ),
        (["Status: ok", StartsFixture.activity, "TotalTime: x"], "its TotalTime is no number of milliseconds"),
        (["Status: ok", StartsFixture.activity, "TotalTime: -1"], "its TotalTime is no number of milliseconds"),
        (["Status: ok", StartsFixture.activity, "TotalTime: 0"], "the activity ran already; start it with -S"),
        (
            ["Status: ok", StartsFixture.state("UNKNOWN (0)"), StartsFixture.activity, "TotalTime: 5"],
            "the activity ran already; start it with -S"
        ),
        (
            ["Status: ok", StartsFixture.state("TEPID"), StartsFixture.activity, "TotalTime: 5"],
            "its LaunchState is unknown"
        ),
    ])
    func anOutputWithoutAValueIsReported(_ lines: [String], _ reason: String) throws {
        let text = Fixture.amStart + Fixture.output(lines)
        #expect(try Self.reasons(text) == [reason])
        #expect(try LogFolder.measurements(text).values("com.example.shop/.Main (cold)", "launch") == [1_204])
    }

    @Test func aFileWithoutAStartIsRefused() throws {
        let text = Fixture.output(["Status: ok", Fixture.activity, "TotalTime: 0"])
        let messages = try LogFolder.measurements(text).faultyInputs.map(\.message)
        #expect(messages == ["The activity ran already, so no start was measured. Start it with -S."])
    }

    @Test(arguments: [
        (
            "Error: Activity class {a.b/a.b.C} does not exist.\n",
            "the activity couldn't be started; the line Error says why"
        ),
        ("", "it has no times; run am start with -W"), ("Status: ok\n", "it has no line Complete; start the app again"),
    ])
    func anOutputWithoutAnEndIsReported(_ rest: String, _ reason: String) throws {
        let text = "Starting: Intent { cmp=a.b/.C }\n\(rest)"
        #expect(try Self.reasons(text) == [reason])
        #expect(try Self.reasons(text + Fixture.amStart) == [reason])
        #expect(try LogFolder.measurements(text).faultyInputs.map(\.fault) == [.badData])
    }

    // MARK: Flutter

    @Test func theFirstFrameOfFlutter() throws {
        let result = try LogFolder.measurements(Fixture.flutter)
        #expect(result.values("App", "launch") == [2_408.608])
        #expect(result.values("App", "timeToFirstFrameMicros") == [2_125.16])
        #expect(result.cells.values.allSatisfy { $0.metric.unit == .milliseconds })
    }

    @Test func theFilesOfACallAreIterations() throws {
        let folder = try LogFolder()
        let files = try [
            ("a.json", Fixture.flutter), ("b.json", Fixture.flutter.replacing("2408608", with: "2500000")),
        ]
        .map { try folder.write($0.1, as: $0.0) }
        let result = Ingest().read(files)
        #expect(result.values("App", "launch") == [2_408.608, 2_500])
        #expect(result.runs.count == 1)
    }

    @Test(arguments: [
        (
            #"{"engineEnterTimestampMicros": 1, "timeToFrameworkInitMicros": 5}"#,
            "it has no first frame; run without --no-await-first-frame-when-tracing"
        ),
        (
            #"{"engineEnterTimestampMicros": 1, "timeToFirstFrameMicros": -5}"#,
            "timeToFirstFrameMicros: isn't a time; run the app again"
        ),
    ])
    func aStartWithoutAFrameIsReported(_ text: String, _ reason: String) throws {
        #expect(try Self.reasons(text).map { $0.hasSuffix(reason) } == [true])
    }
}
