import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// A made-up baseline in the format of package-benchmark.
enum PackageBenchmarkFixture {
    static let text = """
        {"machine":{"hostname":"runner","processors":8,"processorType":"arm64","memory":16,"kernelVersion":"#1 SMP"},
        "baselineName":"main","results":[{"name":"Decode feed","target":"Shop"},[
        \(metric("wallClock", scale: 1_000, counts: [0, 0, 0, 1, 0, 2, 1, 0], unit: 10)),
        \(metric("mallocCountTotal", scale: 1_000, counts: [0, 0, 3])),
        \(metric("throughput", scale: 1_000, counts: [0, 2], isHigherBetter: true)),
        \(metric("peakMemoryResident", scale: 1_000, counts: [0, 1, 1])),
        \(metric("custom", #"{"_0":"cache hits","polarity":{"prefersLarger":{}},"useScalingFactor":false}"#, scale: 10,
            counts: [1, 1], isHigherBetter: true))],
        {"target":"Shop","name":"Empty"},[\(metric("syscalls", scale: 1, counts: [0, 0]))]]}
        """

    /// The stored values of one metric; the first buckets have a width of two.
    static func metric(
        _ name: String, _ parts: String = "{}", scale: Int, counts: [Int], unit: Int = 0, isHigherBetter: Bool = false
    ) -> String {
        """
        {"metric":{"\(name)":\(parts)},"timeUnits":"microseconds","scalingFactor":\(scale),"warmupIterations":1,"tags":{},\
        "statistics":{"prefersLarger":\(isHigherBetter),"timeUnits":0,"_cachedPercentiles":[],"histogram":{\
        "subBucketHalfCountMagnitude":1,"unitMagnitude":\(unit),"_totalCount":\(counts.reduce(0, +)),"counts":\(counts)}}}
        """
    }
}

/// The results of reading package-benchmark baselines.
///
/// Real files were read, and every value was compared with a script's: `hummingbird-project/hummingbird` at adb915e:
/// `Benchmarks/.benchmarkBaselines/HummingbirdBenchmarks/baseline/results.json`, and `ordo-one/package-benchmark` at
/// e04b589: `.benchmarkBaselines/BenchmarkDateTime/test1/results.json` and `test2/results.json`.
struct PackageBenchmarkReaderTests {
    private static let page = "Shop/Decode feed"

    /// Buckets 0 to 3 have a width of one unit, 4 and 5 of two, 6 and 7 of four: 3, twice 6 to 8, and 8 to 12 units of
    /// 1,024 ns.
    @Test func aValueIsTheMiddleOfItsBucketForOneIteration() throws {
        let result = try LogFolder.measurements(PackageBenchmarkFixture.text)
        let times = try #require(result.values(Self.page, "measured_time"))
        #expect(times.map { ($0 * 1e9).rounded() } == [3_584, 7_168, 7_168, 10_240])
        #expect(result.values(Self.page, "mallocCountTotal") == [0.002, 0.002, 0.002])
        #expect(result.values(Self.page, "throughput") == [1_000, 1_000])
        #expect(result.values(Self.page, "peakMemoryResident") == [1, 2])
        #expect(result.values(Self.page, "cache hits") == [0, 1])
        #expect(result.runs.map(\.isComplete) == [true])
        #expect(try #require(result.runs.first).context.text("device") == "arm64, 8 processors, 16 GB")
        #expect(result.diagnostics.contains { $0.message == "1 of 6 metrics left out: nothing was measured." })
    }

    @Test func unitsAndPolaritiesAreThoseOfTheTool() throws {
        let cells = try LogFolder.measurements(PackageBenchmarkFixture.text).cells
        let metrics = Dictionary(uniqueKeysWithValues: cells.map { ($0.key.metric, $0.value.metric) })
        #expect(metrics["measured_time"] == .measuredTime)
        #expect(metrics["throughput"] == Metric(id: "throughput", unit: Unit("1/s"), better: .higher))
        #expect(metrics["peakMemoryResident"] == Metric(id: "peakMemoryResident", unit: Unit("B"), better: .lower))
        #expect(metrics["cache hits"] == Metric(id: "cache hits", unit: Unit(""), better: .higher))
    }

    @Test(arguments: [
        (#""counts":[0, 0, 3]"#, #""counts":[0, 0, 2]"#), (#""counts":[0, 0, 3]"#, #""counts":[0, 4, -1]"#),
        (#""counts":[0, 0, 3]"#, #""counts":[0, 0, 100001]"#), (#""unitMagnitude":0"#, #""unitMagnitude":62"#),
        (#""unitMagnitude":0"#, #""unitMagnitude":-1"#),
        (#""subBucketHalfCountMagnitude":1"#, #""subBucketHalfCountMagnitude":63"#),
        (#""scalingFactor":1000"#, #""scalingFactor":0"#), (#"{"mallocCountTotal":{}}"#, "{}"),
        (#""target":"Shop","name""#, #""other":"Shop","name""#), (#""prefersLarger":false,"#, ""),
        (#"{"name":"Decode feed","target":"Shop"},"#, ""), (#""processors":8"#, #""processors":"8""#),
    ])
    func aDamagedMetricIsReported(_ good: String, _ bad: String) throws {
        let text = PackageBenchmarkFixture.text.replacing(good, with: bad)
        try #require(text != PackageBenchmarkFixture.text)
        let result = try LogFolder.measurements(text)
        #expect(result.runs.isEmpty ? !result.faultyInputs.isEmpty : result.runs.map(\.isComplete) == [false])
    }

    /// The error names the file's line, although each metric is parsed separately.
    @Test func theLineIsThatOfTheFile() throws {
        let text = PackageBenchmarkFixture.text.replacing(#""counts":[0, 0, 3]"#, with: #""counts":[0, 0, 2]"#)
        let errors = try LogFolder.measurements(text).diagnostics.filter { $0.code == .badRecord }
        #expect(errors.map(\.line) == [4])
    }

    /// A few bytes can represent a count of many values.
    @Test func moreValuesThanMemoryHoldsAreRefused() throws {
        let counts = Array(
            repeating: PackageBenchmarkFixture.metric("syscalls", scale: 1, counts: [100_000]), count: 21)
        let machine = #"{"processors":8,"processorType":"arm64","memory":16}"#
        let text = #"{"machine":\#(machine),"results":[{"name":"a","target":"b"},[\#(counts.joined(separator: ","))]]}"#
        let tally = try #require(ForeignResult.of(text.utf8).tallies.first)
        #expect(tally.read == 20)
        #expect(
            tally.notUnderstood.map(\.reason) == [
                "the document: is beyond 2000000 values; export fewer targets at a time"
            ])
    }

    /// The tool's other exports lack the benchmark's name, or contain only percentiles.
    @Test(arguments: [
        (#"{"syscalls":2,"mallocCountTotal":0}"#, "thresholds of package-benchmark"),
        (#"{"unitMagnitude":0,"counts":[1],"subBucketHalfCountMagnitude":1}"#, "histograms of package-benchmark"),
        (#"[{"benchmark":"a","primaryMetric":{"rawData":[[1]]}}]"#, "benchmarks in the form of JMH"),
    ])
    func otherExportsAreNamed(_ text: String, _ name: String) throws {
        let message = try #require(LogFolder.measurements(text).faultyInputs.first).message
        #expect(message.contains(name) && message.contains("results.json"))
    }
}
