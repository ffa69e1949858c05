import Foundation
import PagePerformance
import PerfgateCompare
import PerfgateField
import PerfgateModel
import PerfgateStats
import Testing

@testable import PerfgateKit

/// The gate for releases, on stores of events at the quantiles of a log-normal distribution, so there is no randomness.
struct FieldGateTests {
    /// The measurements of one release's users on one page, on some days of January 2026.
    struct Events: Sendable {
        var app = "shop"
        var page = "Search"
        var release = "7.117"
        var metric = "ttil_ms"
        var level = 1_000.0
        var days = 1...3
        var count = 400
        var device = "iPhone14,2"
        /// The number of the slowest values that are sent as -1.
        var lost = 0
        /// The share of visits that fail; `nil`: they have no outcome.
        var failing: Double?

        func lines(on day: Int) -> [String] {
            guard days.contains(day) else { return [] }
            return (0..<count).map { place in
                let time = level * exp(0.5 * Normal.quantile((Double(place) + 0.5) / Double(count)))
                let value = place < count - lost ? time : -1
                let outcome = failing.map { Double(place) < $0 * Double(count) ? "error" : "loaded" }
                let told = outcome.map { #""outcome":"\#($0)","# } ?? ""
                return
                    #"{"at":"2026-01-0\#(day)T10:00:00Z","app":"\#(app)","app_version":"\#(release)","page":"\#(page)","#
                    + #""device":"\#(device)",\#(told)"\#(metric)":\#(value)}"#
            }
        }
    }

    /// A store in a separate folder, removed with the value.
    final class Store {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-gate-\(UUID().uuidString)").path
        var store: FieldStore { FieldStore(folder: "\(folder)/Field") }

        /// Rolls events up, one file per day.
        func rollUp(
            _ events: [Events], pair: FieldPair? = FieldGateTests.pair, days: ClosedRange<Int> = 1...9,
            by strata: [FieldStratum] = [], name: String = "a"
        ) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            var options = FieldOptions()
            (options.pair, options.mapping.strata) = (pair, strata)
            let paths = try days.compactMap { day -> String? in
                let lines = events.flatMap { $0.lines(on: day) }
                guard !lines.isEmpty else { return nil }
                let path = "\(folder)/\(name)-\(day).ndjson"
                try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: path))
                return path
            }
            _ = try FieldRollUp.run(paths, options, into: store)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }
    }

    static let pair = FieldPair(base: "7.117", candidate: "7.129")

    /// Both releases of a page; the newer one has a different level.
    static func page(_ name: String, _ level: Double = 1_000, app: String = "shop") -> [Events] {
        [Events(app: app, page: name), Events(app: app, page: name, release: "7.129", level: level)]
    }

    static func report(
        _ events: [Events], by strata: [FieldStratum] = [], _ change: (inout FieldGate) -> Void = { _ in }
    ) throws -> GateReport {
        let store = Store()
        try store.rollUp(events, by: strata)
        return try report(store, change)
    }

    static func report(_ store: Store, _ change: (inout FieldGate) -> Void = { _ in }) throws -> GateReport {
        var gate = FieldGate()
        gate.today = CalendarDay("2026-01-10")
        gate.call = Invocation(options: [.option(.base, "7.117"), .option(.candidate, "7.129")], result: "r.json")
        change(&gate)
        return try gate.report(on: store.store, pair)
    }

    static let fine = page("Cart")

    @Test func aPageThatGotWorseFails() throws {
        let report = try Self.report(Self.page("Search", 1_300) + Self.fine)
        #expect(report.exitCode == 2 && report.outcome == .failed)
        #expect(
            report.headline
                == "Search: time to initial load (p90) 30 % longer (1900.5 → 2474 ms). 2 of 4 comparisons failed. "
                + "7.129 against 7.117, 3 shared days with 2400 events of the new release.")
        #expect(report.runs.isEmpty && report.environments.map(\.gatedCells) == [4])
        #expect(
            report.next.map(\.command.text) == [
                "perfgate explain 'Search' 'ttil@p90' --result 'r.json'",
                "perfgate waive 'Search' 'ttil@p90' --result 'r.json' --until YYYY-MM-DD --reason 'why it may'",
                "perfgate waive 'Search' 'ttil@p50' --result 'r.json' --until YYYY-MM-DD --reason 'why it may'",
                "perfgate field rollup EVENTS --pair '7.117:7.129'",
                "perfgate field check --base '7.117' --candidate '7.129'",
            ])
        let soft = try Self.report(Self.page("Search", 1_300)) { $0.isSoft = true }
        #expect(soft.exitCode == 0 && soft.outcome == .failed)
    }

    @Test(arguments: [0, 20]) func valuesThatCantBeReadAreCounted(lost: Int) throws {
        let report = try Self.report([Events(), Events(release: "7.129", lost: lost)])
        let told = report.diagnostics.filter { $0.code == .skippedRecords }.map(\.message)
        #expect(told == (lost == 0 ? [] : ["60 negative or unreadable values of these days aren't counted."]))
    }

    @Test func aRemnantOfAPageIsMissing() throws {
        let rest = [Events(), Events(release: "7.129", days: 1...1, count: 3)]
        let report = try Self.report(rest + Self.fine)
        #expect(report.exitCode == 2)
        let missing = report.comparisons.filter { $0.verdict == .missing }
        #expect(missing.map(\.metric.id) == ["ttil@p50", "ttil@p90"])
        #expect(
            missing.first?.reason
                == "3 events of the page came from 7.129, and about 602 were expected.")
    }

    @Test func eventsOfAClockThatIsWrongAreNoEventsOfThePage() throws {
        let ahead = [Events(), Events(release: "7.129", days: 9...9)]
        let report = try Self.report(ahead + Self.fine)
        #expect(report.exitCode == 2)
        #expect(report.comparisons.filter { $0.verdict == .missing }.count == 2)
    }

    @Test func smallPagesThatNobodyCameByAreReported() throws {
        let small = [Events(page: "Orders", count: 20)]
        let report = try Self.report(Self.page("Search") + Self.fine + small)
        #expect(report.exitCode == 0)
        #expect(
            report.notes == [
                "1 page has no event of 7.129, too few to be expected to call that missing, first Orders."
            ])
    }

    @Test func usersWhomTheOtherReleaseHasNotAreReported() throws {
        let new = [
            Events(release: "7.129", level: 3_000, count: 300, device: "iPhone19,1"),
            Events(page: "Cart", release: "7.129", level: 3_000, count: 300, device: "iPhone19,1"),
        ]
        let report = try Self.report(Self.page("Search") + Self.fine + new)
        #expect(report.notes.contains { $0.hasPrefix("Only 78 % of the traffic overlaps. ") }, "\(report.notes)")
    }

    @Test func aLimitOfTestRunsIsNotedWhereItHoldsForNothing() throws {
        let report = try Self.report(Self.fine) {
            $0.policy.metrics["ttil"] = MetricSettings(limit: Setting(Limit(1), from: .builtIn))
        }
        #expect(report.exitCode == 0)
        #expect(report.diagnostics.map(\.severity) == [.note])
        #expect(report.diagnostics.first?.message.hasSuffix("field: { metrics: { ttil: { p90: … } } }.") == true)
    }

    @Test func aReleaseLikeTheOneBeforePasses() throws {
        let report = try Self.report(Self.page("Search") + Self.fine)
        #expect(report.exitCode == 0)
        #expect(report.headline.hasPrefix("None of 4 comparisons got worse. 7.129 against 7.117, "))
        #expect(report.next.isEmpty && report.diagnostics.isEmpty)
    }

    @Test func whatCantBeReportedFailsWhereThePolicySaysSo() throws {
        let events = Self.page("Search", 1_120).map { events -> Events in
            var events = events
            events.count = 170
            return events
        }
        #expect(try Self.report(events + Self.fine).exitCode == 0)
        let strict = try Self.report(events + Self.fine) { $0.policy.inconclusive = .fail }
        #expect(strict.exitCode == 3 && strict.headline.contains("inconclusive"))
        #expect(
            strict.next.map(\.command.text).suffix(2) == [
                "perfgate field rollup EVENTS --pair '7.117:7.129'",
                "perfgate field check --base '7.117' --candidate '7.129'",
            ])
    }

    @Test func tooLittleExposureIsNoPass() throws {
        let events = Self.page("Search").map { events -> Events in
            var events = events
            events.days = 2...2
            return events
        }
        let report = try Self.report(events)
        #expect(report.exitCode == 3)
        #expect(report.headline.contains("with so few shared days or events, so nothing can pass. 7.129 against"))
    }

    @Test func aReleaseOfOtherPagesHasNothingToCompareWith() throws {
        let report = try Self.report([
            Events(page: "Cart", days: 1...1, count: 20), Events(release: "7.129", days: 2...3),
        ])
        #expect(report.comparisons.contains { $0.verdict == .noBaseline && $0.detail == .nothingCompared })
        #expect(report.exitCode == 5)
    }

    @Test func aPageWithoutEventsIsMissing() throws {
        let report = try Self.report(Self.fine + [Events(page: "Search")])
        #expect(report.comparisons.filter { $0.verdict == .missing }.map(\.page.name) == ["Search", "Search"])
        #expect(report.exitCode == 2)
    }

    @Test func whatIsExpectedIsMissed() throws {
        let report = try Self.report(Self.fine) {
            $0.policy.expected = [ExpectedPage(page: Page("Checkout"), metrics: ["ttil", "dropped_frames"])]
        }
        #expect(report.exitCode == 2)
        #expect(report.comparisons.filter { $0.verdict == .missing }.map(\.metric.id) == ["ttil@p50", "ttil@p90"])
    }

    @Test func limitsHoldAtTheirQuantile() throws {
        func limit(_ value: Double) -> MetricSettings {
            MetricSettings(limit: Setting(Limit(value), from: .configuration(path: "perfgate.yml", line: 7)))
        }
        let report = try Self.report(Self.fine) {
            $0.policy.field = ["ttil@p75": limit(1_200), "ttil@p99": limit(9_000), "tiil@p50": limit(1)]
        }
        #expect(report.exitCode == 2)
        #expect(report.comparisons.filter(\.isOverLimit).map(\.metric.id) == ["ttil@p75"])
        #expect(report.diagnostics.map(\.code) == [.unusedSetting] && report.diagnostics.first?.line == 7)
    }

    @Test func aWaiverNamesAQuantile() throws {
        func waiver(_ metric: String, _ ceiling: Double, _ environment: [String: FieldValue] = [:]) -> Waiver {
            Waiver(
                page: Page("Search"), metric: metric, environment: environment, ceiling: ceiling,
                until: CalendarDay("2026-02-01") ?? CalendarDay(number: 0), reason: "map", from: .builtIn)
        }
        let shop: [String: FieldValue] = ["app": .text("shop")]
        let report = try Self.report(Self.page("Search", 1_300)) {
            $0.policy.waivers = [
                waiver("ttil@p50", 1_400, shop), waiver("ttil@p90", 5_000), waiver("ttil", 1_000),
            ]
        }
        #expect(report.exitCode == 0)
        #expect(report.comparisons.map(\.verdict) == [.waived, .waived])
        // The limit of `ttil` is for test runs.
        #expect(report.diagnostics.isEmpty)
        let expired = try Self.report(Self.page("Search", 1_300)) {
            $0.policy.waivers = [waiver("ttil@p50", 1_400)]
            $0.today = CalendarDay("2026-02-01")
        }
        #expect(expired.exitCode == 2 && expired.diagnostics.map(\.code) == [.expiredWaiver])
    }

    @Test func everyAppIsAPairOfItsOwn() throws {
        let store = Store()
        try store.rollUp(Self.page("Search", 1_300, app: "android") + Self.page("Search", app: "ios"))
        let both = try Self.report(store)
        #expect(both.environments.map(\.environment.description) == ["android, 7.117 → 7.129", "ios, 7.117 → 7.129"])
        #expect(both.exitCode == 2 && both.comparisons.count == 4)
        #expect(try Self.report(store) { $0.app = "ios" }.exitCode == 0)
        #expect(try Self.report(store) { $0.app = "android" }.exitCode == 2)
        #expect(throws: FieldGateError.self) { try Self.report(store) { $0.app = "web" } }
    }

    @Test func saysHowMuchBothReleasesWereUsed() throws {
        let events =
            Self.page("Search") + [
                Events(count: 200, device: "iPhone11,8"), Events(days: 4...4),
                Events(release: "7.129", metric: "ttfl_ms", days: 1...1, count: 9),
            ]
        let report = try Self.report(events, by: [.deviceClass])
        let traffic = try #require(report.environments.first?.releases)
        #expect(traffic.days.map(\.day) == ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"])
        #expect(traffic.days.map(\.events.base) == [600, 600, 600, 400])
        #expect(traffic.events == .init(base: 1_800, candidate: 1_200))
        // 400 and 400 events of one device in both releases, of 600 and 400 in all.
        #expect(abs(traffic.overlap - 200.0 / 240) < 0.001)
        #expect(
            traffic.strata == [
                .init(name: "device_class", value: "iPhone11,8", events: .init(base: 600)),
                .init(name: "device_class", value: "iPhone14,2", events: .init(base: 1_200, candidate: 1_200)),
            ])
        #expect(traffic.scores.isEmpty)
    }

    /// The direction and unit of a team's own metric come from the configuration.
    @Test func aDeclaredDirectionHolds() throws {
        let store = Store()
        let folder = store.folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let lines = (1...3).flatMap { day in
            [("7.117", 90.0), ("7.129", 60)].flatMap { release, level in
                [
                    #"{"type":"run","run_id":"\#(release)-\#(day)","app":"shop","app_version":"\#(release)","#
                        + #""started_at":"2026-01-0\#(day)T10:00:00Z"}"#
                ]
                    + (0..<400).map {
                        #"{"type":"metric","page":"Search","metric":"smoothness","values":[\#(level + Double($0) / 100)]}"#
                    }
            }
        }
        let path = "\(folder)/own.ndjson"
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: path))
        var options = FieldOptions()
        options.pair = Self.pair
        _ = try FieldRollUp.run([path], options, into: store.store)
        let declared = KnownMetrics.Declaration(unit: Unit("%"), better: .higher, origin: "perfgate.yml:3")
        let report = try Self.report(store) {
            $0.known = KnownMetrics(own: ["smoothness": declared])
            $0.policy.metrics["smoothness"] = MetricSettings(gate: Setting(true, from: .builtIn))
        }
        #expect(report.exitCode == 2)
        #expect(report.comparisons.map(\.metric.unit.symbol) == ["%", "%"])
    }
}
