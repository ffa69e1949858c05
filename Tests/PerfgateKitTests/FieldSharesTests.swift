import PerfgateCompare
import PerfgateField
import PerfgateModel
import Testing

@testable import PerfgateKit

/// Failures of loads are compared by their share, and another unit is doubted.
struct FieldSharesTests {
    /// The p90 of failures used to be 0 up to a tenth of them, and 1 from then on.
    @Test(arguments: [
        (0.12, 0.48, Verdict.regressed), (0.02, 0.06, .regressed), (0.12, 0.13, .passed), (0.2, 0.05, .improved),
    ])
    func failuresAreComparedByTheirShare(before: Double, after: Double, verdict: Verdict) throws {
        var events = FieldGateTests.page("Search") + FieldGateTests.fine
        (events[0].failing, events[1].failing) = (before, after)
        let report = try FieldGateTests.report(events)
        let failures = report.comparisons.filter { $0.metric.id.hasPrefix("load_failures") }
        #expect(failures.map(\.metric.id) == ["load_failures@share"])
        #expect(failures.map(\.verdict) == [verdict])
        #expect(report.exitCode == (verdict == .regressed ? 2 : 0))
        guard after == 0.48 else { return }
        #expect(report.headline.contains("share of visits that didn't load the page went 0.12 → 0.48"))
        #expect(failures[0].releases?.spread == nil)
    }

    /// Seconds instead of milliseconds look like a thousandfold improvement.
    @Test func anotherUnitIsNoImprovement() throws {
        let report = try FieldGateTests.report(FieldGateTests.page("Search", 1) + FieldGateTests.page("Cart", 1.1))
        #expect(report.diagnostics.map(\.code) == [.unitSlip, .unitSlip])
        #expect(report.diagnostics[0].message.contains("seconds for milliseconds?"))
        #expect(Set(report.comparisons.map(\.verdict)) == [.inconclusive])
        let strict = try FieldGateTests.report(FieldGateTests.page("Search", 1) + FieldGateTests.page("Cart", 1.1)) {
            $0.policy.inconclusive = .fail
        }
        #expect(report.exitCode == 0 && strict.exitCode == 3)
        #expect(try FieldGateTests.report(FieldGateTests.page("Search", 1) + FieldGateTests.fine).diagnostics.isEmpty)
    }

    /// The smallest change of a run's few visits isn't that of thousands.
    @Test func aRunsSmallestChangeIsNotAShares() throws {
        var events = FieldGateTests.page("Search") + FieldGateTests.fine
        (events[0].failing, events[1].failing) = (0.02, 0.11)
        let report = try FieldGateTests.report(events) {
            $0.policy.metrics["load_failures"] = MetricSettings(minChange: Setting(0.1, from: .builtIn))
        }
        #expect(report.exitCode == 2)
    }

    @Test func aShareWithoutASmallestChangeIsJudgedByItsTolerance() throws {
        var events = FieldGateTests.page("Search") + FieldGateTests.fine
        for (after, code) in [(0.48, 2), (0.121, 0)] {
            (events[0].failing, events[1].failing) = (0.12, after)
            let report = try FieldGateTests.report(events) {
                $0.policy.metrics["load_failures@share"] = MetricSettings(minChange: Setting(0, from: .builtIn))
            }
            #expect(report.exitCode == code)
        }
    }

    @Test func aShareHasALimit() throws {
        var events = FieldGateTests.page("Search") + FieldGateTests.fine
        (events[0].failing, events[1].failing) = (0.05, 0.05)
        for (limit, code) in [(0.04, 2), (0.06, 0)] {
            let report = try FieldGateTests.report(events) {
                $0.policy.field["load_failures@share"] = MetricSettings(limit: Setting(Limit(limit), from: .builtIn))
            }
            #expect(report.exitCode == code)
        }
    }
}
