import PerfgateBaselines
import PerfgateModel
import Testing
import SeededRandom

struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0, 0.0), ("2026-11-20T10:00:00Z", 1_795_168_800, 0),
        ("2026-11-20T12:00:00.25+02:00", 1_795_168_800, 0.25), ("2000-02-29 23:59:59-00:30", 951_870_599, 0),
        ("1969-12-31T23:59:59Z", -1, 0), ("1900-03-01T00:00:00z", -2_203_891_200, 0),
    ])
    func aTimeIsReadWithItsOffset(text: String, seconds: Int, fraction: Double) {
        let time = Timestamp(text)
        #expect(time?.seconds == seconds)
        #expect(time?.fraction == fraction)
    }

    @Test(arguments: [
        "", "2026", "2026-11-20", "2026-11-20T10:00:00", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-11-20T24:00:00Z", "2026-11-20T10:00:00.Z", "2026-11-20T10:00:00Zx", "20261120T100000Z",
        "2026-11-00T10:00:00Z", "2026-11-20T10:00:00+2:00",
    ])
    func anythingElseIsNoTime(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func secondsComeBackFromTheirText(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let seconds = Int.random(in: -60_000_000_000...250_000_000_000, using: &random)
            let time = Timestamp(secondsSince1970: seconds)
            #expect(Timestamp(time.text) == time, "seed \(seed): \(seconds)")
        }
    }

    @Test func timesOfOneMomentAreNeitherEarlierNorLater() throws {
        let utc = try #require(Timestamp("2026-11-20T10:00:00Z"))
        let local = try #require(Timestamp("2026-11-20T12:00:00+02:00"))
        #expect(!utc.isEarlier(than: local) && !local.isEarlier(than: utc))
        #expect(utc != local && (utc < local) != (local < utc))
        #expect(utc.day == 20777)
        #expect(Timestamp("1969-12-31T23:59:59Z")?.day == -1)
    }
}
