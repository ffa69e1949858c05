import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The results of reading androidx.benchmark files.
struct AndroidxBenchmarkReaderTests {
    private typealias Fixture = AndroidxFixture

    private static func measurements(_ metrics: [String] = [], sampled: [String] = []) throws -> Measurements {
        try LogFolder.measurements(Fixture.document([Fixture.benchmark(metrics: metrics, sampled: sampled)]))
    }

    @Test(arguments: [
        ("launch", [347.5, 412]), ("frame_count", [4, 3]), ("frameDurationCpuMs_p50", [8, 6]),
        ("frameDurationCpuMs_p90", [10.4, 25.2]), ("frameOverrunMs_p50", [-2.75, -10]), ("hitches", [2, 1]),
        ("hitch_duration", [4, 14]),
    ])
    func values(_ metric: String, _ expected: [Double]) throws {
        let values = try #require(try LogFolder.measurements(Fixture.text).values(Fixture.test, metric))
        #expect(zip(values, expected).allSatisfy { abs($0 - $1) < 1e-9 } && values.count == expected.count)
    }

    /// A metric with the value 2, and its result.
    @Test(arguments: [
        ("timeToInitialDisplayMs", "launch", "ms", 2.0), ("startupMs", "launch", "ms", 2),
        ("timeToFullDisplayMs", "timeToFullDisplayMs", "ms", 2), ("fullyDrawnMs", "timeToFullDisplayMs", "ms", 2),
        ("totalFrameCount", "frame_count", "frames", 2), ("frameTime90thPercentileMs", "frame_time_p90", "ms", 2),
        ("timeNs", "timeNs", "ms", 2e-6), ("allocationCount", "allocationCount", "", 2),
        ("memoryRssAnonMaxKb", "memoryRssAnonMaxKb", "kB", 2), ("RV OnBindViewSumMs", "RV OnBindViewSumMs", "ms", 2),
    ])
    func identifiers(_ name: String, _ id: String, _ unit: String, _ value: Double) throws {
        let result = try Self.measurements([Fixture.single(name, "2")])
        #expect(result.cells.map(\.key.metric) == [id])
        #expect(result.cells.map(\.value.metric.unit.symbol) == [unit])
        #expect(result.cells.map(\.value.values) == [[value]])
    }

    @Test(arguments: [("frameCpuTimeMs", "frameDurationCpuMs_p99"), ("frameNegativeSlackMs", "frameOverrunMs_p99")])
    func olderNamesOfFrames(_ name: String, _ id: String) throws {
        #expect(try Self.measurements(sampled: [Fixture.sampled(name, "[1],[2]")]).values(Fixture.test, id) == [1, 2])
    }

    /// An iteration without frames was measured, but has no sample.
    @Test func anIterationWithoutFrames() throws {
        let result = try Self.measurements(sampled: [Fixture.sampled("frameOverrunMs", "[3],[],[-1]")])
        let cell = try #require(result.cells.first { $0.key.metric == "hitches" }?.value)
        #expect(cell.runs.flatMap(\.samples) == [Sample(1, iteration: 0), Sample(0, iteration: 2)])
        #expect(Array(cell.iterations.values) == [[0, 1, 2]])
    }

    @Test func theDevice() throws {
        let context = try #require(try LogFolder.measurements(Fixture.text).runs.first?.context)
        #expect(context.text("device") == "Pixel 5")
        #expect(context.text("os") == "Android API 31")
        #expect(!context.isSimulator)
    }

    @Test(arguments: [
        (#"{"model":"sdk_gphone64_arm64"}"#, true), (#"{"model":"Android SDK built for x86"}"#, true),
        (#"{"model":"M","fingerprint":"generic/x"}"#, true), (#"{"model":"SM-A145R"}"#, false), ("{}", false),
    ])
    func emulators(_ build: String, _ isEmulator: Bool) throws {
        let text = Fixture.document([Fixture.benchmark(metrics: [Fixture.single("timeNs", "1")])], build: build)
        #expect(try LogFolder.measurements(text).runs.map(\.context.isSimulator) == [isEmulator])
    }

    /// The tool splits `params` at commas within values; the name is complete.
    @Test func parametersStandInTheName() throws {
        let text = Fixture.document([
            Fixture.benchmark(
                "scroll[mode=Partial(a, b),n=1]", metrics: [Fixture.single("timeNs", "1")],
                params: #"{"mode":"Partial(a","b)":""}"#)
        ])
        let result = try LogFolder.measurements(text)
        #expect(result.pages.map(\.key.page.name) == ["\(Fixture.test)[mode=Partial(a, b),n=1]"])
        #expect(result.pages.map(\.value.tests) == [[Fixture.test]])
    }

    @Test func aBenchmarkThatComesAgainCountsOn() throws {
        let benchmark = Fixture.benchmark(metrics: [Fixture.single("timeToInitialDisplayMs", "1, 2")])
        let result = try LogFolder.measurements(Fixture.document([benchmark, benchmark]))
        #expect(result.cells.values.flatMap(\.runs).flatMap(\.samples).map(\.iteration) == [0, 1, 2, 3])
    }

    /// A metric, and whether it is an error or ignored.
    @Test(arguments: [
        (#""x":{"runs":[]}"#, false), (#""x":{}"#, true), (#""x":7"#, true), (#""x":{"runs":["1"]}"#, true),
        (#""x":{"runs":[1e999]}"#, true), (#""x":{"runs":[[1]]}"#, true), (#""x":{"runs":[null]}"#, true),
        (#""startupMs":{"runs":[-1]}"#, true), (#""frameCount":{"runs":[3,-1]}"#, true),
    ])
    func whatCantBeReadIsReportedAndTheRestIsKept(_ metric: String, _ isError: Bool) throws {
        let result = try Self.measurements([metric, Fixture.single("timeNs", "1000000")])
        #expect(result.values(Fixture.test, "timeNs") == [1])
        #expect(result.codes.contains(.badRecord) == isError)
        #expect(result.codes.contains(.skippedRecords) == !isError)
        #expect(result.runs.map(\.isComplete) == [!isError])
    }

    @Test(arguments: [
        (#"{"benchmarks":[],"context":{"build":{}}}"#, FaultyInput.Fault.notFound),
        (#"{"benchmarks":[{"name":"a","className":7}]}"#, .badData),
        (#"{"benchmarks":{},"context":{"build":{}}}"#, .badData),
    ])
    func nothingMeasured(_ text: String, _ fault: FaultyInput.Fault) throws {
        let result = try LogFolder.measurements(text) { $0.format = "androidx-benchmark" }
        #expect(result.faultyInputs.map(\.fault) == [fault])
    }
}
