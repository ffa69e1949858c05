import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateKit

/// The headline counts exactly the run's failures.
struct HeadlineTests {
    private static func result(
        _ page: String, _ verdict: Verdict, _ detail: VerdictDetail? = nil, runs: Int = 1
    ) -> CellResult {
        CellResult(
            page: Page(page), metric: Metric(id: "ttil", unit: .milliseconds, better: .lower),
            environment: CalibrationTests.environment, isGated: true, verdict: verdict, detail: detail, reason: "",
            candidate: .init(count: 5, runs: runs, center: 1, samples: nil),
            limit: verdict == .overLimit ? Limit(0.5) : nil)
    }

    private static func headline(_ results: [CellResult], _ policy: Policy) -> String {
        let findings = GateFindings(tool: "", policy: policy, comparisons: results)
        return findings.headline(ExitStatus.mostUrgent(results.map { ExitStatus(findings.failing.failure(of: $0)) }))
    }

    private static func policy(_ change: (inout Policy) -> Void) -> Policy {
        var policy = Policy()
        change(&policy)
        return policy
    }

    private static let table: [(results: [CellResult], policy: Policy, headline: String)] = [
        (
            [
                result("A", .inconclusive, .needMore), result("B", .inconclusive, .needMore, runs: 2),
                result("C", .passed),
            ],
            policy { $0.confirmation = .rerun },
            "Can\'t tell: A: time to initial load changed, too few measurements to tell. 1 of 3 comparisons is inconclusive and fails by "
                + "the policy."
        ),
        (
            [result("A", .inconclusive, .needMore), result("B", .inconclusive, .confirm)],
            policy { $0.inconclusive = .fail },
            "Can\'t tell: A: time to initial load changed, too few measurements to tell; 1 more finding. 2 of 2 comparisons are inconclusive "
                + "and fail by the policy."
        ),
        (
            [result("A", .inconclusive, .needMore), result("C", .passed)], Policy(),
            "None of 2 comparisons fails."
        ),
        (
            [result("A", .overLimit), result("B", .missing, .excused), result("C", .passed)], Policy(),
            "A: time to initial load 1 ms, the limit is 0.5 ms. 1 of 3 comparisons failed."
        ),
        (
            [result("A", .missing, .excused), result("B", .missing)], Policy(),
            "B was not measured. 1 of 2 comparisons failed."
        ),
        (
            [result("A", .noBaseline), result("C", .passed)], policy { $0.noBaseline = .fail },
            "1 of 2 comparisons had no baseline, which fails by `no_baseline`: store one from runs of the "
                + "main branch."
        ),
    ]

    @Test(arguments: table.indices)
    func saysWhatIsSo(_ index: Int) {
        let (results, policy, headline) = Self.table[index]
        #expect(Self.headline(results, policy) == headline)
    }
}
