import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Scrolls whose ticks are absent on a page that is measured by ticks.
struct TicklessScrollTests {
    /// A scroll of 100 ms that ticks cover by half.
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
    func dropsThatAreToldStandForThem(_ frames: Int) throws {
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

    @Test func ticksOfAnotherPartCount() throws {
        let folder = try LogFolder()
        let paths = [
            try folder.write(runLine("r", #","part":"launch-1""#) + Self.scroll(1), as: "a.ndjson"),
            try folder.write(runLine("r", #","part":"launch-2""#) + Self.ticks, as: "b.ndjson"),
        ]
        #expect(Ingest().read(paths).values("P", "dropped_frames") == [1])
    }

    @Test func silenceIsToldByIteration() throws {
        let measurements = try LogFolder.measurements(
            runLine("a") + Self.scroll(0, page: "Q") + Self.scroll(1, page: "Q") + runLine("b") + Self.ticks
                + Self.scroll(4) + runLine("c") + Self.drop(0, iteration: 0) + Self.scroll(0))
        let silent = measurements.cells.filter { $0.key.metric == "dropped_frames" }
        #expect(silent.first { $0.key.page.name == "Q" }?.value.silentIterations == ["a": [0, 1]])
        #expect(silent.first { $0.key.page.name == "P" }?.value.silentIterations == [:])
        #expect(measurements.cells.allSatisfy { $0.key.metric != "hitch_ratio" || $0.value.silentIterations == [:] })
    }
}
