import Foundation
import PerfgateCompare
import PerfgateField
import PerfgateModel
import Testing

@testable import PerfgateKit

/// A release isn't judged by a pair that isn't there, or by days that lack events.
struct ComparedDaysTests {
    private typealias Store = FieldGateTests.Store
    private typealias Events = FieldGateTests.Events

    private static func problem(_ store: Store, _ change: (inout FieldGate) -> Void = { _ in }) -> String {
        do {
            return "exit code \(try FieldGateTests.report(store, change).exitCode)"
        } catch {
            return "\(error)"
        }
    }

    @Test func aPairThatIsNotThereNamesTheCommandThatMakesIt() throws {
        let (none, swapped, other) = (Store(), Store(), Store())
        try none.rollUp(FieldGateTests.page("Search"), pair: nil)
        let made = "`perfgate field rollup EVENTS --pair '7.117:7.129'`"
        #expect(Self.problem(none).hasSuffix("wasn't rolled up as a pair, there are no pairs. Make it with \(made)."))
        try swapped.rollUp(FieldGateTests.page("Search"), pair: FieldPair(base: "7.129", candidate: "7.117"))
        #expect(
            Self.problem(swapped).contains("there is 7.129:7.117. Exchange --base and --candidate, or make it with"))
        try other.rollUp(
            [Events(release: "7.116"), Events()],
            pair: FieldPair(base: "7.116", candidate: "7.117"))
        #expect(Self.problem(other).contains("there is 7.116:7.117. No event of 7.129 was rolled up on the newest day"))
    }

    @Test func daysThatAreNotThereAreReportedFromReleasesThatAreNot() throws {
        let (store, half) = (Store(), Store())
        try store.rollUp(FieldGateTests.page("Search"))
        #expect(Self.problem(store) { $0.since = CalendarDay("2026-01-04") }.contains("2026-01-01 to 2026-01-03"))
        #expect(Self.problem(store) { $0.until = CalendarDay("2026-01-02") } == "exit code 0")
        try half.rollUp([Events()])
        #expect(Self.problem(half).contains("has no event of 7.129 on 2026-01-01 to 2026-01-03"))
    }

    /// A metric that both releases stopped sending can't be missed by a comparison, so it is named.
    @Test func anExpectedMetricThatNeitherReleaseSendsIsNamed() throws {
        let store = Store()
        try store.rollUp(FieldGateTests.page("Search"))
        let report = try FieldGateTests.report(store) {
            $0.policy.expected = [ExpectedPage(page: Page("Search"), metrics: ["rclt", "ttil", "drop_events"])]
            for id in ["ttil@p90", "ttil@p95"] {
                $0.policy.metrics[id] = MetricSettings(gate: Setting(true, from: .builtIn))
            }
        }
        let idle = report.diagnostics.map(\.message).filter { $0.contains("judges nothing") }
        #expect(idle.count == 1 && idle[0].hasPrefix("'ttil@p95' judges nothing in a check of releases"), "\(idle)")
        let said = report.diagnostics.map(\.message).filter { $0.contains("which `expected` names") }
        #expect(said.count == 1 && said[0].hasPrefix("No event of either release has rclt,"), "\(said)")
    }

    /// A day's weights are those of all its events, so a part of them can't replace the day.
    @Test func aDayThatLacksLaterEventsIsNoPass() throws {
        let store = Store()
        try store.rollUp(FieldGateTests.page("Search"))
        try store.rollUp([Events(level: 3_000, days: 2...2)], pair: nil, name: "late")
        let report = try FieldGateTests.report(store)
        #expect(report.exitCode == 66 && report.outcome == .error)
        #expect(report.headline.contains("2026-01-02 of 7.117:7.129 lacks events that were rolled up later"))
        #expect(report.headline.hasSuffix("--pair '7.117:7.129'`."))
        #expect(try FieldGateTests.report(store) { $0.until = CalendarDay("2026-01-01") }.exitCode == 3)
    }

    /// A day before the new release isn't compared, so a late file of it changes nothing.
    @Test func aDayOfOneReleaseMayLackLaterEvents() throws {
        let store = Store()
        try store.rollUp(
            [Events(days: 1...4), Events(release: "7.129", days: 2...4)], days: 1...4)
        let before = try FieldGateTests.report(store).headline
        try store.rollUp([Events(level: 3_000, days: 1...1)], pair: nil, name: "late")
        #expect(try FieldGateTests.report(store).headline == before)
    }

    @Test func aPairThatLacksLaterDaysIsNotGreen() throws {
        let store = Store()
        try store.rollUp(FieldGateTests.page("Search"), days: 1...2)
        try store.rollUp(
            FieldGateTests.page("Search") + [Events(days: 4...4)], pair: nil, days: 3...4, name: "b")
        let report = try FieldGateTests.report(store)
        #expect(report.exitCode == 66 && report.outcome == .error)
        #expect(report.headline.contains("2026-01-03 has events of both releases and isn't rolled up as a pair"))
        #expect(try FieldGateTests.report(store) { $0.until = CalendarDay("2026-01-02") }.exitCode == 0)
    }

    @Test func aPairOfOtherEventsThanTheRollUpIsNotGreen() throws {
        let store = Store()
        try store.rollUp(FieldGateTests.page("Search") + FieldGateTests.fine)
        let other = Store()
        try other.rollUp(FieldGateTests.fine)
        for day in ["2026-01-01", "2026-01-02"] {
            let pair = "Field/pairs/7-117-"
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(store.folder)/Field/pairs")
            let name = try #require(names.first { "Field/pairs/\($0)".hasPrefix(pair) })
            let path = "\(store.folder)/Field/pairs/\(name)/\(day).csv.gz"
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(
                atPath: "\(other.folder)/Field/pairs/\(name)/\(day).csv.gz", toPath: path)
        }
        let report = try FieldGateTests.report(store)
        #expect(report.exitCode == 66)
        #expect(
            report.headline.contains(
                "2026-01-01, 2026-01-02 of 7.117:7.129 have other events than the roll-up of the same days"),
            "\(report.headline)")
    }
}
