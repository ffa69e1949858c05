import Foundation
import Testing

@testable import PerfgateIngest

/// Times of other tools, against Foundation's calendar.
struct UTCTimeTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func textAndSecondsAgreeWithFoundation(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for _ in 0..<100 {
            let seconds = Double(Int.random(in: 0..<253_402_300_800, using: &random))
            let date = Date(timeIntervalSince1970: seconds)
            #expect(UTCTime.text(secondsSince1970: seconds + 0.5) == date.formatted(.iso8601), "seed \(seed)")
            let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
            let back = UTCTime.seconds(
                year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0, hour: parts.hour ?? 0,
                minute: parts.minute ?? 0, second: parts.second ?? 0)
            #expect(back == seconds, "seed \(seed)")
        }
    }

    @Test(arguments: [-1, 253_402_300_800, .infinity, .nan])
    func whatIsNoTimeHasNoText(_ seconds: Double) {
        #expect(UTCTime.text(secondsSince1970: seconds) == nil)
    }

    @Test(arguments: [(2026, 2, 29), (2026, 13, 1), (2026, 0, 1), (2026, 4, 31), (1969, 1, 1), (2100, 2, 29)])
    func whatIsNoDayHasNoSeconds(_ year: Int, _ month: Int, _ day: Int) {
        #expect(UTCTime.seconds(year: year, month: month, day: day, hour: 0, minute: 0, second: 0) == nil)
    }
}
