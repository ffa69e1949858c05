import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// Which shards of a run aren't there, by what the others say.
struct AbsentShardTests {
    private static func measurements(_ shards: [String?]) -> Measurements {
        Measurements(runs: [
            Run(
                id: "r", context: Context(),
                streams: shards.enumerated().map { Run.Stream(shard: $1, path: "\($0).ndjson") })
        ])
    }

    @Test(arguments: [
        (["1/3"], "3 shards, of which 2/3, 3/3 aren't here"),
        (["3/3", "1/3", "1/3"], "3 shards, of which 2/3 isn't here"),
        (["2/9"], "9 shards, of which 1/9, 3/9, 4/9, 5/9, 6/9 and 3 more aren't here"),
        (["1/1", "1/2"], "2 shards, of which 2/2 isn't here"),
    ])
    func areNamed(_ shards: [String], _ words: String) {
        let told = Self.measurements(shards).absentShards(isPartial: false)
        #expect(told.map(\.message) == ["Run r was spread over \(words): give the logs of all its shards in one call."])
        #expect(told.map(\.severity) == [.warning] && told.map(\.path) == ["0.ndjson"])
    }

    @Test(arguments: [
        ["1/2", "2/2"], [nil],
    ])
    func nothingIsAskedForOtherwise(_ shards: [String?]) {
        #expect(Self.measurements(shards).absentShards(isPartial: false).isEmpty)
    }

    @Test(arguments: ["night", "0/3", "4/3", "1/0", "-1/-2", "1/99999999999", "1/2/3", "1/3 ", ""])
    func whatIsNoShareIsTold(_ shard: String) {
        let told = Self.measurements([shard]).absentShards(isPartial: false)
        #expect(told.count == 1 && told[0].message.contains("'\(shard)', which is no share such as 2/5"))
    }

    @Test func aPartialRunOnlyNotesIt() {
        #expect(Self.measurements(["1/2"]).absentShards(isPartial: true).map(\.severity) == [.note])
    }

    @Test func checkAndUpdateTellIt() throws {
        let measurements = Self.measurements(["1/2"])
        let report = try Assessment(
            tool: "t", measurements: measurements, reference: Reference(), policy: Policy()
        ).report()
        #expect(report.diagnostics.map(\.code) == [.absentShard])
        let plan = try UpdatePlan(measurements, reference: Reference(), policy: Policy(), acceptance: nil)
        #expect(plan.diagnostics.map(\.code) == [.absentShard])
    }
}
