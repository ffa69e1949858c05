import ComparisonFixtures
import PerfgateModel
import PerfgateStats
import Testing

@testable import PerfgateCompare

struct FailingKindsTests {
    static func result(_ verdict: Verdict, _ detail: VerdictDetail? = nil) -> CellResult {
        CellResult(
            page: Page("Search"), metric: Metric(id: "ttil", unit: .milliseconds, better: .lower),
            environment: Environment([]), isGated: true, verdict: verdict, detail: detail, reason: "")
    }

    @Test(arguments: [
        (Verdict.regressed, Failure?.some(.failed)), (.overLimit, .failed), (.missing, .failed), (.inconclusive, nil),
        (.noBaseline, nil), (.waived, nil), (.improved, nil), (.passed, nil),
    ])
    func standardPolicy(_ verdict: Verdict, _ failure: Failure?) {
        #expect(FailingKinds(Policy()).failure(of: Self.result(verdict)) == failure)
    }

    @Test func policyDecidesWhatDoubtCosts() {
        var policy = Policy()
        policy.inconclusive = .fail
        policy.noBaseline = .fail
        policy.missing = .warn
        let kinds = FailingKinds(policy)
        #expect(kinds.failure(of: Self.result(.inconclusive)) == .inconclusive)
        #expect(kinds.failure(of: Self.result(.noBaseline)) == .noBaseline)
        #expect(kinds.failure(of: Self.result(.missing)) == nil)
    }

    @Test func confirmationMakesSuspectsFail() {
        var policy = Policy()
        policy.confirmation = .rerun
        #expect(FailingKinds(policy).failure(of: Self.result(.inconclusive, .confirm)) == .inconclusive)
    }

    @Test(arguments: [(1_001.0, true), (999, false)])
    func whatDoubledFailsUnlessThePolicyOnlyWarns(_ center: Double, _ fails: Bool) {
        var facts = Self.result(.inconclusive, .needMore).facts
        facts.baseline = CellResult.Side(count: 5, runs: 1, center: 500, samples: nil)
        facts.candidate = CellResult.Side(count: 5, runs: 2, center: center, samples: nil)
        facts.numbers = CellResult.Numbers(
            delta: center - 500, shift: 0, interval: nil, p: 1, pImprove: 1, pZero: 1, pMin: 0, alpha: 0.005,
            comparisons: 1, marginShare: 0.5)
        facts.tolerance = 50
        let result = CellResult(facts)
        var policy = Policy()
        #expect(FailingKinds(policy).failure(of: result) == (fails ? .inconclusive : nil))
        policy.inconclusiveGross = .warn
        #expect(FailingKinds(policy).failure(of: result) == nil)
    }

    /// Where half of the loads miss a cache, the median of five is often that of the slow half.
    @Test func aLevelThatARunOfTheBaselineHadIsNotGross() {
        var facts = Self.result(.inconclusive, .needMore).facts
        facts.baseline = CellResult.Side(count: 15, runs: 3, center: 500, samples: nil)
        facts.baseline?.history = [490, 1_080, 500]
        facts.candidate = CellResult.Side(count: 5, runs: 1, center: 1_100, samples: nil)
        facts.numbers = CellResult.Numbers(
            delta: 600, shift: 0, interval: nil, p: 1, pImprove: 1, pZero: 1, pMin: 0, alpha: 0.005,
            comparisons: 1, marginShare: 0.5)
        facts.tolerance = 50
        #expect(FailingKinds(Policy()).failure(of: CellResult(facts)) == nil)
        facts.candidate?.center = 1_200
        #expect(FailingKinds(Policy()).failure(of: CellResult(facts)) == .inconclusive)
        // 3 of 5 loads beyond twice the usual are no news beside 7 of 25.
        for (p, failure) in [(0.076, nil), (0.002, Failure.inconclusive)] {
            facts.numbers?.shares = [
                ShareTest(cut: .double, bound: 1_000, baselineOver: 7, candidateOver: 3, p: p)
            ]
            #expect(FailingKinds(Policy()).failure(of: CellResult(facts)) == failure)
        }
    }

    @Test func aPartialRunExcusesMissingPages() {
        #expect(FailingKinds(Policy()).failure(of: Self.result(.missing, .excused)) == nil)
    }

    /// Without a tolerance, every sample must be worse than each of five stored ones.
    @Test(arguments: [
        (Better.lower, [5.0, 6], 5, true), (.lower, [0, 6], 5, false), (.lower, [5, 6], 4, false),
        (.lower, [5], 5, false),
        (.higher, [-5, -6], 5, true), (.higher, [5, 6], 5, false),
    ])
    func everySampleBeyondAToleranceOfZeroIsGross(
        _ better: Better, _ samples: [Double], _ stored: Int, _ expected: Bool
    ) {
        let result = Self.result(.inconclusive, .noTolerance).with {
            $0.metric = Metric(id: "leaks", unit: Unit("count"), better: better)
            $0.baseline = CellResult.Side(
                count: stored, runs: 1, center: 0, samples: Array(repeating: 0, count: stored))
            $0.candidate = CellResult.Side(count: samples.count, runs: 1, center: 0, samples: samples)
        }
        #expect(result.facts.isGrossInconclusive == expected)
    }

    /// A sort by an order with cycles depends on the order before it.
    @Test func resultsAreListedByAnOrderWithoutCycles() {
        let results = Verdict.allCases.flatMap { verdict in
            [20.0, 60, 200].flatMap { delta in
                [0.001, 1].map { p in
                    Self.result(verdict).with {
                        $0.subject = .page(Page("p = \(p)"))
                        $0.tolerance = 50
                        $0.numbers = CellResult.Numbers(
                            delta: delta, shift: 0, interval: nil, p: p, pImprove: 1, pZero: 1, pMin: 0, alpha: 0.005,
                            comparisons: 1, marginShare: 0.5)
                    }
                }
            }
        }
        for first in results {
            for second in results where first < second {
                #expect(!results.contains { second < $0 && $0 < first })
            }
        }
        // A list is sorted by numbers that stand for the results.
        #expect(Array(results.reversed()).sorted() == results.sorted(by: <))
        #expect(results.min()?.isOverLimitAndRegressed == true)
    }

    @Test func aRemovedMetricIsNotPrunedWithItsPage() {
        let advice = { Explanation(Self.result(.missing, $0)).outlook.joined() }
        #expect(advice(.noMetric).contains("--metric"))
        #expect(advice(.noPage).contains("prune") && !advice(.noPage).contains("--metric"))
    }

    @Test(arguments: [
        (VerdictDetail.confirm, 1, true), (.needMore, 1, true), (.needMore, 2, false), (.noTolerance, 1, false),
    ])
    func confirmationFailsOnlyWhatAnotherRunMayDecide(_ detail: VerdictDetail, _ runs: Int, _ fails: Bool) {
        var policy = Policy()
        policy.confirmation = .rerun
        let result = Self.result(.inconclusive, detail).with {
            $0.candidate = CellResult.Side(count: 5, runs: runs, center: 500, samples: nil)
        }
        #expect(FailingKinds(policy).failure(of: result) == (fails ? .inconclusive : nil))
        policy.inconclusive = .fail
        #expect(FailingKinds(policy).failure(of: result) == .inconclusive)
    }
}
