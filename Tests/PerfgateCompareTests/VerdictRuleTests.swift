import PerfgateModel
import Testing

@testable import PerfgateCompare

/// Each step of the rule: its decision, and its precedence over the next step.
struct VerdictRuleTests {
    private static let metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)
    /// Fifty samples from 500 to 549 ms in ten runs: the tolerance of 10 % is 52.45 ms.
    private static let settled = (0..<10).map { run in (0..<5).map { Double(500 + 5 * run + $0) } }
    /// Five samples from 500 to 504 ms in one run: five tolerances are 251 ms.
    private static let young = [[500.0, 501, 502, 503, 504]]
    private static let worse = [700.0, 701, 702, 703, 704]
    /// The median is 600 ms, and two of five samples are below all of the baseline's: chance can explain that.
    private static let scattered = [400.0, 410, 600, 610, 620]

    /// The rule's answer.
    private struct Answer: Equatable {
        let verdict: Verdict
        let detail: VerdictDetail?

        init(_ verdict: Verdict, _ detail: VerdictDetail? = nil) {
            self.verdict = verdict
            self.detail = detail
        }
    }

    /// The rule's answer within a run of 500 comparisons.
    private static func decide(
        _ candidate: [[Double]]?, against baseline: [[Double]]?, limit: Double? = nil, tolerance: Double = 0.1,
        minChange: Double = 16, confirmation: Policy.Confirmation = .off, formula: String? = nil
    ) throws -> Answer {
        var entry = baseline.map { Reference.Entry(metric: metric, runs: runs($0)) }
        if let formula { entry?.formula = formula }
        let decision = VerdictRule.decide(
            try CellCase(
                cell: Cell(page: Page("Search"), metric: metric.id, environment: Environment([])), metric: metric,
                policy: CellPolicy(
                    isGated: Setting(true, from: .builtIn), tolerance: Setting(tolerance, from: .builtIn),
                    minChange: Setting(minChange, from: .builtIn),
                    limit: limit.map { Setting(Limit($0), from: .builtIn) }),
                confirmation: confirmation, expectation: Expectation(),
                measurement: candidate.map { CellMeasurement(metric: metric, runs: runs($0)) }, entry: entry,
                comparisons: 500, reruns: Reruns(inOrder: (0..<9).map { "r\($0)" })))
        return Answer(decision.verdict, decision.detail)
    }

    private static func runs(_ values: [[Double]]) -> [RunSamples] {
        values.enumerated().map { number, values in
            RunSamples(
                run: "r\(number)", samples: values.enumerated().map { Sample($0.element, iteration: $0.offset) })
        }
    }

    @Test func theMeasuredStepDecidesWhereNothingWasMeasured() throws {
        let absent = try Self.decide(nil, against: Self.settled, limit: 1)
        #expect(absent == Answer(.missing, .noMetric))
        let quiet = try Self.decide([], against: Self.settled, limit: 1)
        #expect(quiet == Answer(.passed, .noEvents))
    }

    @Test func theLimitStepDecidesBeforeTheBaselineIsAsked() throws {
        #expect(try Self.decide(Self.young, against: nil, limit: 501.9).verdict == .overLimit)
        #expect(try Self.decide([Self.worse], against: Self.settled, limit: 650).verdict == .overLimit)
        // A value equal to the limit passes, and the later steps decide.
        #expect(try Self.decide(Self.young, against: nil, limit: 502).verdict == .noBaseline)
        #expect(try Self.decide([Self.worse], against: Self.settled, limit: 702).verdict == .regressed)
    }

    @Test func theBaselineStepDecidesWhereNothingIsComparable() throws {
        #expect(try Self.decide([Self.worse], against: nil) == Answer(.noBaseline))
        let otherFormula = try Self.decide([Self.worse], against: Self.settled, formula: "2")
        #expect(otherFormula == Answer(.noBaseline, .otherFormula))
    }

    @Test func theBaselineStepDecidesWhereAnyChangeWouldCount() throws {
        let changed = try Self.decide([Self.worse], against: Self.settled, tolerance: 0, minChange: 0)
        #expect(changed == Answer(.inconclusive, .noTolerance))
        let same = try Self.decide(Self.young, against: Self.young, tolerance: 0, minChange: 0)
        #expect(same.verdict == .passed)
    }

    /// With five samples against five, chance fails 1 of 252, too often for 500 comparisons.
    @Test(arguments: [Policy.Confirmation.off, .rerun])
    func theGrossStepDecidesWhereChanceNeverCould(_ confirmation: Policy.Confirmation) throws {
        let gap = try Self.decide([[756, 757, 758, 759, 760]], against: Self.young, confirmation: confirmation)
        #expect(gap == Answer(.regressed, .gross))
        let smaller = try Self.decide([[755, 757, 758, 759, 760]], against: Self.young, confirmation: confirmation)
        #expect(smaller.detail == .needMore)
        let fewer = try Self.decide([[756, 757, 758, 759]], against: Self.young, confirmation: confirmation)
        #expect(fewer.detail == .needMore)
    }

    @Test func theWorseStepFailsWhatChanceDoesNotExplain() throws {
        #expect(try Self.decide([Self.worse], against: Self.settled) == Answer(.regressed))
    }

    @Test func theWorseStepAsksASecondRunWhereSuspectsAreConfirmed() throws {
        let once = try Self.decide([Self.worse], against: Self.settled, confirmation: .rerun)
        #expect(once == Answer(.inconclusive, .confirm))
        let twice = try Self.decide([Self.worse, Self.worse], against: Self.settled, confirmation: .rerun)
        #expect(twice == Answer(.regressed))
        let chance = try Self.decide([Self.scattered, Self.scattered], against: Self.settled, confirmation: .rerun)
        #expect(chance == Answer(.passed, .notConfirmed))
    }

    @Test func theWorseStepPassesWhatChanceExplains() throws {
        #expect(try Self.decide([Self.scattered], against: Self.settled) == Answer(.passed))
    }

    @Test func theWorseStepCannotTellFromTooFewSamples() throws {
        let few = try Self.decide([[700, 701]], against: [[500, 501]])
        #expect(few == Answer(.inconclusive, .needMore))
    }

    @Test func theBetterStepFindsWhatImproved() throws {
        let better = try Self.decide([[300, 301, 302, 303, 304]], against: Self.settled)
        #expect(better == Answer(.improved))
        // For five samples against five chance can explain it, as in the other direction.
        #expect(try Self.decide([[300, 301, 302, 303, 304]], against: Self.young).verdict == .passed)
    }

    @Test func whatNoStepObjectsToPasses() throws {
        let same = try Self.decide([[520, 521, 522, 523, 524]], against: Self.settled)
        #expect(same == Answer(.passed))
    }
}
