import PerfgateModel
import Testing

@testable import PerfgateCompare

struct ExitStatusTests {
    static func result(_ verdict: Verdict, _ detail: VerdictDetail? = nil, gated: Bool = true) -> CellResult {
        CellResult(
            page: Page("Search"), metric: Metric(id: "ttil", unit: .milliseconds, better: .lower),
            environment: Environment([]), isGated: gated, verdict: verdict, detail: detail, reason: "")
    }

    @Test(arguments: [
        (Verdict.regressed, 2), (.overLimit, 2), (.missing, 2), (.inconclusive, 0), (.noBaseline, 0), (.waived, 0),
        (.improved, 0), (.passed, 0),
    ])
    func standardPolicy(_ verdict: Verdict, _ code: Int) {
        #expect(ExitStatus(of: Self.result(verdict), policy: Policy()).rawValue == code)
    }

    @Test func policyDecidesWhatDoubtCosts() {
        var policy = Policy()
        policy.inconclusive = .fail
        policy.noBaseline = .fail
        policy.missing = .warn
        #expect(ExitStatus(of: Self.result(.inconclusive), policy: policy) == .inconclusive)
        #expect(ExitStatus(of: Self.result(.noBaseline), policy: policy) == .noBaseline)
        #expect(ExitStatus(of: Self.result(.missing), policy: policy) == .passed)
    }

    @Test func confirmationMakesSuspectsAnswerThree() {
        var policy = Policy()
        policy.confirmation = .rerun
        #expect(ExitStatus(of: Self.result(.inconclusive, .confirm), policy: policy) == .inconclusive)
    }

    @Test func aPartialRunExcusesMissingPages() {
        #expect(ExitStatus(of: Self.result(.missing, .excused), policy: Policy()) == .passed)
    }

    @Test func ungatedComparisonsNeverFail() {
        let results = [Self.result(.regressed, gated: false)]
        #expect(ExitStatus(inputs: [], comparisons: results, policy: Policy()) == .passed)
    }

    @Test func theMostUrgentCodeWins() {
        let bad = FaultyInput(path: "a", fault: .badData, message: "")
        let none = FaultyInput(path: "b", fault: .notFound, message: "")
        let regressed = [Self.result(.regressed)]
        #expect(ExitStatus(inputs: [bad], comparisons: regressed, policy: Policy()) == .badData)
        #expect(ExitStatus(inputs: [bad, none], comparisons: regressed, policy: Policy()) == .noInput)
        #expect(ExitStatus.mostUrgent([.inconclusive, .noBaseline]) == .noBaseline)
        #expect(ExitStatus.mostUrgent([]) == .passed)
        #expect(Set(ExitStatus.urgency) == Set(ExitStatus.allCases))
    }

    @Test func softeningKeepsErrors() {
        let softened = ExitStatus.allCases.map { $0.softened.rawValue }
        #expect(softened == [0, 0, 0, 0, 64, 65, 66, 70, 73, 78])
    }

    @Test(arguments: [
        (VerdictDetail.confirm, 1, true), (.needMore, 1, true), (.needMore, 2, false), (.noTolerance, 1, false),
    ])
    func confirmationFailsOnlyWhatAnotherRunMayDecide(_ detail: VerdictDetail, _ runs: Int, _ fails: Bool) {
        var policy = Policy()
        policy.confirmation = .rerun
        var result = Self.result(.inconclusive, detail)
        result.candidate = CellResult.Side(count: 5, runs: runs, center: 500, samples: nil)
        #expect(ExitStatus(of: result, policy: policy) == (fails ? .inconclusive : .passed))
        policy.inconclusive = .fail
        #expect(ExitStatus(of: result, policy: policy) == .inconclusive)
    }

    /// What is only read fails by what can't be read, by a run that was cut, and where nothing was measured.
    @Test func whatIsOnlyReadHasAStatus() {
        var measurements = Measurements()
        #expect(ExitStatus(reading: measurements) == .noInput)
        measurements.cells[JudgeTests.cell("A")] = CellMeasurement(metric: JudgeTests.ttil, runs: [])
        #expect(ExitStatus(reading: measurements) == .passed)
        measurements.runs = [
            Run(id: "r", context: Context(), streams: [Run.Stream(path: "r.ndjson", faults: ["It was cut."])])
        ]
        #expect(ExitStatus(reading: measurements) == .badData)
        measurements.faultyInputs = [FaultyInput(path: "x", fault: .notFound, message: "It is not there.")]
        #expect(ExitStatus(reading: measurements) == .noInput)
    }
}
