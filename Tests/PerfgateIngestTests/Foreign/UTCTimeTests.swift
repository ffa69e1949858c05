import Foundation
import Testing
import SeededRandom

@testable import PerfgateIngest

/// Times of other tools, compared with Foundation's calendar.
struct UTCTimeTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func textAndSecondsAgreeWithFoundation(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let seconds = Double(Int.random(in: 0..<253_402_300_800, using: &random))
            let date = Date(timeIntervalSince1970: seconds)
            #expect(UTCTime.text(secondsSince1970: seconds + 0.5) == date.formatted(.iso8601), "seed \(seed)")
            #expect(UTCTime.text(of: date.formatted(.iso8601)) == date.formatted(.iso8601), "seed \(seed)")
        }
    }

    @Test(arguments: [-1, 253_402_300_800, .infinity, .nan])
    func whatIsNoTimeHasNoText(_ seconds: Double) {
        #expect(UTCTime.text(secondsSince1970: seconds) == nil)
    }

    @Test(arguments: ["2026-02-29", "2026-13-01", "2026-00-01", "2026-04-31", "1969-01-01", "2100-02-29"])
    func whatIsNoDayHasNoTime(_ day: String) {
        #expect(UTCTime.text(of: "\(day)T00:00:00Z") == nil)
    }
}
