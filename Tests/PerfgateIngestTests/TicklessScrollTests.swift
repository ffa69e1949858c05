import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Scrolls without ticks, on a page that is measured by ticks.
struct TicklessScrollTests {
    /// A scroll of 100 ms; ticks cover half of it.
    static let ticks =
        #"{"type":"frames","page":"P","scroll":0,"timestamps_ns":[0,16666667,50000000],"duration_ns":16666667}"# + "\n"
        + #"{"type":"scroll","page":"P","scroll":0,"duration_ms":100}"# + "\n"

    static func scroll(_ iteration: Int, page: String = "P") -> String {
        #"{"type":"scroll","page":"\#(page)","iteration":\#(iteration),"scroll":0,"duration_ms":100}"# + "\n"
    }

    static func drop(_ frames: Int, iteration: Int) -> String {
        #"{"type":"frame_drop","page":"P","iteration":\#(iteration),"scroll":0,"frames_dropped":\#(frames)}"# + "\n"
    }

    static func coverage(_ measurements: Measurements) -> Double? {
        (measurements.cells.first { $0.key.page.name == "P" && $0.key.metric == "dropped_frames" }?.value
            .leastCoverage(needsTicks: false)?.share).map { ($0 * 1_000).rounded() / 1_000 }
    }

    @Test func theyGiveNoSampleAndAreNotCovered() throws {
        let measurements = try LogFolder.measurements(
            runLine() + Self.ticks + (1..<5).map { Self.scroll($0) }.joined())
        #expect(measurements.values("P", "dropped_frames") == [1])
        #expect(Self.coverage(measurements) == 0)
    }

    @Test(arguments: [0, 3])
    func dropsThatAreReportedStandForThem(_ frames: Int) throws {
        let measurements = try LogFolder.measurements(
            runLine() + Self.ticks + Self.drop(frames, iteration: 1) + Self.scroll(1))
        #expect(measurements.values("P", "dropped_frames") == [1, Double(frames)])
        #expect(Self.coverage(measurements) == 1)
    }

    @Test func aPageWithoutAnyTickIsNotConcerned() throws {
        let measurements = try LogFolder.measurements(
            runLine() + Self.ticks + Self.scroll(0, page: "Q") + Self.scroll(1, page: "Q"))
        #expect(measurements.values("Q", "dropped_frames") == [0, 0])
    }

    static let told =
        #"{"type":"scroll","page":"P","iteration":1,"scroll":0,"duration_ms":500,"frames":20,"frames_ms":500,"#
        + #""hitch_ms":50,"sth_ms":33.5}"# + "\n"

    @Test func aScrollsLineSumsUpItsFrames() throws {
        let other =
            #"{"type":"scroll","page":"P","iteration":1,"scroll":1,"duration_ms":500,"frames":30,"frames_ms":500,"#
            + #""hitch_ms":0,"sth_ms":0}"# + "\n"
        let old = #"{"type":"scroll","page":"P","iteration":1,"scroll":2,"duration_ms":500}"# + "\n"
        let lines = [Self.told, other, old]
        for order in [[0, 1, 2], [2, 1, 0]] {
            let measurements = try LogFolder.measurements(runLine() + order.map { lines[$0] }.joined())
            #expect(measurements.values("P", "hitch_ratio") == [50])
            #expect(measurements.values("P", "scroll_thread_hang") == [33.5])
            #expect(measurements.values("P", "dropped_frames") == [0])
        }
        #expect(try LogFolder.measurements(runLine() + old).values("P", "hitch_ratio") == nil)
    }

    @Test func whatASumDoesNotSayIsNotMeasured() throws {
        let line = #"{"type":"scroll","page":"P","scroll":0,"duration_ms":500,"frames":20,"frames_ms":500}"# + "\n"
        let measurements = try LogFolder.measurements(runLine() + line)
        #expect(measurements.values("P", "hitch_ratio") == nil)
        #expect(measurements.values("P", "scroll_thread_hang") == nil)
    }

    @Test func ticksWinOverSumsAndVisitsOverTheirHangs() throws {
        let same = Self.ticks.replacing(
            #""duration_ms":100}"#, with: #""duration_ms":100,"frames":9,"frames_ms":90,"hitch_ms":0}"#)
        let measurements = try LogFolder.measurements(runLine() + same)
        #expect(try #require(measurements.values("P", "hitch_ratio")?.first) > 300)
        #expect(measurements.codes == [.conflictingSources])
        let visit = #"{"type":"pps","page":"P","iteration":1,"visit_id":"v","sth_ms":[7]}"# + "\n"
        #expect(try LogFolder.measurements(runLine() + Self.told + visit).values("P", "scroll_thread_hang") == [7])
    }

    @Test func aScrollThatSaysItsFramesIsNoSilentOne() throws {
        let measurements = try LogFolder.measurements(runLine() + Self.told + Self.scroll(2))
        let cell = measurements.cells.first { $0.key.metric == "dropped_frames" }
        #expect(cell?.value.silentIterations == ["r1": [2]])
        // On a page with ticks elsewhere it is still measured.
        #expect(try LogFolder.measurements(runLine() + Self.ticks + Self.told).values("P", "dropped_frames") == [1, 0])
    }

    @Test(arguments: [
        (#""hitch_ms":1"#, "The line has no \"frames_ms\", which its type needs."),
        (#""frames":-1"#, "\"frames\" is negative."),
        (#""frames_ms":-1"#, "\"frames_ms\" is negative."), (#""sth_ms":-1"#, "\"sth_ms\" is negative."),
        (#""frames_ms":5,"hitch_ms":-1"#, "\"hitch_ms\" is negative."),
    ])
    func sumsThatMakeNoSenseAreBadData(_ fields: String, _ message: String) throws {
        let line = #"{"type":"scroll","page":"P","scroll":0,"duration_ms":5,\#(fields)}"# + "\n"
        #expect(try LogFolder.measurements(runLine() + line).diagnostics.map(\.message) == [message])
    }

    @Test func ticksOfAnotherPartCount() throws {
        let folder = try LogFolder()
        let paths = [
            try folder.write(runLine("r", #","part":"launch-1""#) + Self.scroll(1), as: "a.ndjson"),
            try folder.write(runLine("r", #","part":"launch-2""#) + Self.ticks, as: "b.ndjson"),
        ]
        #expect(Ingest().read(paths).values("P", "dropped_frames") == [1])
    }

    @Test func silenceIsReportedByIteration() throws {
        let measurements = try LogFolder.measurements(
            runLine("a") + Self.scroll(0, page: "Q") + Self.scroll(1, page: "Q") + runLine("b") + Self.ticks
                + Self.scroll(4) + runLine("c") + Self.drop(0, iteration: 0) + Self.scroll(0))
        let silent = measurements.cells.filter { $0.key.metric == "dropped_frames" }
        #expect(silent.first { $0.key.page.name == "Q" }?.value.silentIterations == ["a": [0, 1]])
        #expect(silent.first { $0.key.page.name == "P" }?.value.silentIterations == [:])
        #expect(measurements.cells.allSatisfy { $0.key.metric != "hitch_ratio" || $0.value.silentIterations == [:] })
    }
}
