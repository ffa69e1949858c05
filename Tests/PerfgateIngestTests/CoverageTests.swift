import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Another run can't compensate for stopped frames in one run.
struct CoverageTests {
    /// A run with scrolls of 100 ms; ticks cover `covered` ms of each.
    static func run(_ id: String, covered: Int, iterations: Int = 5) -> String {
        let times = (0...covered / 10).map { String($0 * 10_000_000) }.joined(separator: ",")
        return runLine(id)
            + (0..<iterations).map { iteration in
                let place = #""page":"P","iteration":\#(iteration),"scroll":0"#
                return #"{"type":"frames",\#(place),"timestamps_ns":[\#(times)],"duration_ns":16666667}"# + "\n"
                    + #"{"type":"scroll",\#(place),"duration_ms":100}"# + "\n"
            }.joined()
    }

    /// A scroll begins and ends between two frames, so ticks never cover a short scroll completely.
    @Test(arguments: [(80, 1.0), (70, 0.9), (20, 0.4), (0, 0)])
    func theFramesAtBothEndsAreNotMissing(covered: Int, share: Double) throws {
        let cell = try Self.cell(try LogFolder.measurements(Self.run("r1", covered: covered)))
        #expect(Self.hundredths(cell.leastCoverage(needsTicks: false)?.share) == share)
    }

    static func cell(_ measurements: Measurements) throws -> CellMeasurement {
        try #require(measurements.cells.first { $0.key.metric == "dropped_frames" }?.value)
    }

    static func hundredths(_ coverage: Double?) -> Double? { coverage.map { ($0 * 100).rounded() / 100 } }

    @Test func theWorstRunCounts() throws {
        let log = Self.run("r1", covered: 100, iterations: 50) + Self.run("r2", covered: 20, iterations: 1)
        let cell = try Self.cell(try LogFolder.measurements(log))
        #expect(Self.hundredths(cell.leastCoverage(needsTicks: false)?.share) == 0.4)
    }

    @Test func aRunThatIsLeftOutLendsNothing() throws {
        let log = Self.run("r1", covered: 30) + Self.run("r2", covered: 70)
        var cell = try Self.cell(try LogFolder.measurements(log))
        cell.remove(["r1"])
        #expect(Self.hundredths(cell.leastCoverage(needsTicks: false)?.share) == 0.9)
    }

    @Test func theWorstIterationCountsAndIsNamed() throws {
        let place = #""page":"P","iteration":7,"scroll":0"#
        let short =
            #"{"type":"frames",\#(place),"timestamps_ns":[0,10000000],"duration_ns":16666667}"# + "\n"
            + #"{"type":"scroll",\#(place),"duration_ms":60}"# + "\n"
        let log = Self.run("r1", covered: 100, iterations: 5) + short
        let coverage = try Self.cell(try LogFolder.measurements(log)).leastCoverage(needsTicks: false)
        #expect(coverage == FrameCoverage(share: 0.5, run: nil, iteration: 7))
    }
}
