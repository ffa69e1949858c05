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

    private static func headline(_ results: [CellResult], _ failing: FailingKinds = FailingKinds()) -> String {
        let sorted = results.sorted()
        let status = ExitStatus.mostUrgent(sorted.map { ExitStatus(failing.failure(of: $0)) })
        return Headline(status: status, comparisons: sorted, faults: [], failing: failing).text
    }

    private static let table: [(results: [CellResult], failing: FailingKinds, headline: String)] = [
        (
            [
                result("A", .inconclusive, .needMore), result("B", .inconclusive, .needMore, runs: 2),
                result("C", .passed),
            ],
            FailingKinds(suspects: true),
            "Can\'t tell: A: time to initial load changed, too few measurements to tell. 1 of 3 comparisons is inconclusive and fails by "
                + "the policy."
        ),
        (
            [result("A", .inconclusive, .needMore), result("B", .inconclusive, .confirm)],
            FailingKinds(inconclusive: true),
            "Can\'t tell: A: time to initial load changed, too few measurements to tell; 1 more finding. 2 of 2 comparisons are inconclusive "
                + "and fail by the policy."
        ),
        (
            [result("A", .inconclusive, .needMore), result("C", .passed)], FailingKinds(),
            "None of 2 comparisons fails."
        ),
        (
            [result("A", .overLimit), result("B", .missing, .excused), result("C", .passed)], FailingKinds(),
            "A: time to initial load 1 ms, the limit is 0.5 ms. 1 of 3 comparisons failed."
        ),
        (
            [result("A", .missing, .excused), result("B", .missing)], FailingKinds(),
            "B was not measured. 1 of 2 comparisons failed."
        ),
        (
            [result("A", .noBaseline), result("C", .passed)], FailingKinds(noBaseline: true),
            "1 of 2 comparisons had no baseline, which fails by `no_baseline`: store one from runs of the "
                + "main branch."
        ),
    ]

    @Test(arguments: table.indices)
    func saysWhatIsSo(_ index: Int) {
        let (results, failing, headline) = Self.table[index]
        #expect(Self.headline(results, failing) == headline)
    }
}
