import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// Impossible start times, and the day that decides what has expired.
struct StartTimeTests {
    private static let today = CalendarDay("2026-11-15")

    private static func measurements(_ start: String) -> Measurements {
        let run = Run(
            id: "r", context: Context(["started_at": .text(start)]), streams: [Run.Stream(path: "a.ndjson")])
        return Measurements(runs: [run])
    }

    @Test(arguments: [
        ("1970-01-01T00:00:10Z", true), ("2014-12-31T23:59:59Z", true), ("2015-01-01T00:00:00Z", false),
        ("2026-11-16T23:59:59Z", false), ("2026-11-17T00:00:00Z", true), ("2099-01-01T00:00:00Z", true),
        ("yesterday", true), ("2026-11-14T10:00:00", true),
    ])
    func aStartThatCanNotBeIsLeftOutOfAGateAndRefusedByAnUpdate(_ start: String, _ isImpossible: Bool) {
        let (judged, remarks) = Self.measurements(start).withoutImpossibleStarts(today: Self.today)
        #expect(remarks.map(\.code) == (isImpossible ? [.impossibleTime] : []))
        #expect((judged.runs[0].startedAt == nil) == isImpossible)
        let taken = Self.measurements(start).refusingImpossibleStarts(today: Self.today)
        #expect(taken.runs[0].isComplete == !isImpossible)
    }

    /// Old logs don't extend a waiver or a quarantine.
    @Test func theClockDecidesWhatHasExpired() throws {
        let policy = Self.measurements("2020-01-01T00:00:00Z").sifted(by: Policy(), today: Self.today).policy
        #expect(policy.day == Self.today)
    }
}
