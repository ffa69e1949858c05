import PerfgateBaselines
import PerfgateModel
import Testing
import SeededRandom

struct WindowPolicyTests {
    /// Runs named by day and hour: `20a` started on 20 November at 1:00.
    private static func runs(_ names: String) throws -> [BaselineRun] {
        try names.split(separator: " ").map { name in
            let hour = (name.last?.asciiValue ?? 0) - UInt8(ascii: "a") + 10
            guard let start = Timestamp("2026-11-\(name.dropLast())T\(hour):00:00Z") else { throw FixtureError() }
            return BaselineRun(id: String(name), startedAt: start)
        }
    }

    @Test(arguments: [
        ("20a 21a 22a", 3, 2, "20a 21a 22a"),
        ("20a 21a 22a 23a", 3, 2, "21a 22a 23a"),
        ("20a 21a 21b 21c 21d", 5, 2, "20a 21a 21b 21c 21d"),
        ("20a 21a 21b 21c 21d", 4, 2, "20a 21b 21c 21d"),
        ("20a 21a 21b 21c 21d", 3, 2, "20a 21c 21d"),
        ("20a 21a 21b 21c 21d", 2, 2, "21c 21d"),
        ("20a 20b 20c 21a 21b 21c", 5, 2, "20b 20c 21a 21b 21c"),
        ("20a 20b 20c 21a 21b 21c", 4, 2, "20b 20c 21b 21c"),
        ("20a 20b 20c 21a 21b 21c", 3, 2, "20c 21b 21c"),
        ("20a 20b 21a 21b", 3, 1, "20b 21a 21b"),
        ("20a 20b 21a 21b", 2, 1, "20b 21b"),
        ("20a 20b", 0, 0, "20b"),
    ])
    func firstCrowdedDaysThinThenTheOldestGo(all: String, runs: Int, perDay: Int, kept: String) throws {
        let policy = WindowPolicy(runs: runs, perDay: perDay)
        #expect(policy.kept(of: try Self.runs(all).reversed()).map(\.id).joined(separator: " ") == kept)
    }

    @Test func tenMergesBeforeLunchDoNotPushOutLastWeek() throws {
        let week = "13a 14a 15a 16a 17a 18a 19a 19b"
        let today = " 20a 20b 20c 20d 20e 20f 20g 20h 20i 20j"
        let kept = WindowPolicy.standard.kept(of: try Self.runs(week + today))
        #expect(kept.map(\.id).joined(separator: " ") == week + " 20i 20j")
    }

    @Test func daysAreThoseOfUTC() throws {
        let late = try #require(Timestamp("2026-11-20T23:30:00-02:00"))
        let runs = try Self.runs("20a 21a 21b") + [BaselineRun(id: "late", startedAt: late)]
        #expect(WindowPolicy(runs: 3, perDay: 2).kept(of: runs).map(\.id) == ["20a", "21a", "21b"])
    }

    @Test(arguments: Array(1...20) as [UInt64])
    func theOrderOfTheRunsDoesNotMatterAndKeepingAgainChangesNothing(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let policy = WindowPolicy(
                runs: Int.random(in: 1...12, using: &random), perDay: Int.random(in: 1...3, using: &random))
            let all = (0..<Int.random(in: 0...30, using: &random)).map { index in
                BaselineRun(
                    id: "r\(index)",
                    startedAt: Timestamp(secondsSince1970: Int.random(in: 0..<600_000, using: &random)))
            }
            let kept = policy.kept(of: all)
            #expect(kept == policy.kept(of: all.shuffled(using: &random)), "seed \(seed)")
            #expect(kept == policy.kept(of: kept), "seed \(seed)")
            #expect(kept.count == min(all.count, policy.runs), "seed \(seed)")
            #expect(kept.last == all.max(), "seed \(seed)")
        }
    }
}
