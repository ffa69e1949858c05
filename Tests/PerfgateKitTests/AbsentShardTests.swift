import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The absent shards of a run, inferred from the others.
struct AbsentShardTests {
    private static func measurements(_ shards: [String?]) -> Measurements {
        Measurements(runs: [
            Run(
                id: "r", context: Context(),
                streams: shards.enumerated().map { Run.Stream(shard: $1, path: "\($0).ndjson") })
        ])
    }

    @Test(arguments: [
        (["1/3"], "3 shards; 2/3, 3/3 aren't here"),
        (["3/3", "1/3", "1/3"], "3 shards; 2/3 isn't here"),
        (["2/9"], "9 shards; 1/9, 3/9, 4/9, 5/9, 6/9 and 3 more aren't here"),
        (["1/1", "1/2"], "2 shards; 2/2 isn't here"),
    ])
    func areNamed(_ shards: [String], _ words: String) {
        let told = Self.measurements(shards).absentShards(isPartial: true)
        let message = "Run r was spread over \(words): give the logs of all its shards in one call."
        #expect(told.map(\.message) == [message])
        #expect(told.map(\.severity) == [.note] && told.map(\.path) == ["0.ndjson"])
        let blamed = Self.measurements(shards).blamingAbsentShards()
        #expect(blamed.runs[0].streams[0].faults == [message])
    }

    @Test(arguments: [
        ["1/2", "2/2"], [nil],
    ])
    func nothingIsAskedForOtherwise(_ shards: [String?]) {
        #expect(Self.measurements(shards).absentShards(isPartial: true).isEmpty)
        #expect(Self.measurements(shards).blamingAbsentShards().runs.map(\.isComplete) == [true])
    }

    @Test(arguments: ["night", "0/3", "4/3", "1/0", "-1/-2", "1/99999999999", "1/2/3", "1/3 ", ""])
    func whatIsNoShareIsReported(_ shard: String) {
        let told = Self.measurements([shard]).absentShards(isPartial: false)
        #expect(told.count == 1 && told[0].message.contains("'\(shard)', which isn't a shard such as 2/5"))
    }

    @Test(arguments: [
        (["a"], 2, "Run r has 2 parts; 1 is here"),
        (["a", "b", "b"], 4, "Run r has 4 parts; 2 are here"),
        (["a", "b"], 2, nil), (["a", "b"], nil, nil),
    ])
    func partsAreCountedWhereTheRunSaysHowMany(_ parts: [String], _ count: Int?, _ words: String?) {
        var streams = parts.map { Run.Stream(part: $0, path: "\($0).ndjson") }
        streams[0].parts = count
        let blamed = Measurements(runs: [Run(id: "r", context: Context(), streams: streams)]).blamingAbsentShards()
        let faults = blamed.runs[0].streams[0].faults
        #expect(faults == (words.map { ["\($0): give the logs of all its launches in one call."] } ?? []))
    }

    @Test func checkAndUpdateTellIt() throws {
        let measurements = Self.measurements(["1/2"])
        let report = try Assessment(
            gate: Gate(tool: "t"), measurements: measurements, reference: Reference()
        ).report()
        #expect(report.exitCode == 65 && report.headline.contains("2/2 isn't here"))
        let plan = try UpdatePlan(measurements, reference: Reference(), policy: Policy(), acceptance: nil)
        #expect(plan.status == .badData)
    }
}
