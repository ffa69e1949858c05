import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateKit

struct ExitStatusTests {
    private static func result(_ verdict: Verdict, gated: Bool = true) -> CellResult {
        CellResult(
            page: Page("Search"), metric: Metric(id: "ttil", unit: .milliseconds, better: .lower),
            environment: Environment([]), isGated: gated, verdict: verdict, detail: nil, reason: "")
    }

    private static func status(_ faults: [FaultyInput], _ results: [CellResult]) -> PerfgateKit.ExitStatus {
        ExitStatus(inputs: faults, comparisons: results, failing: FailingKinds())
    }

    @Test func everyFailureHasItsCode() {
        #expect(([nil] + Failure.allCases).map { ExitStatus($0).rawValue } == [0, 2, 3, 5])
    }

    @Test func ungatedComparisonsNeverFail() {
        #expect(Self.status([], [Self.result(.regressed, gated: false)]) == .passed)
    }

    @Test func theMostUrgentCodeWins() {
        let bad = FaultyInput(path: "a", fault: .badData, message: "")
        let none = FaultyInput(path: "b", fault: .notFound, message: "")
        let regressed = [Self.result(.regressed)]
        #expect(Self.status([], regressed) == .failed)
        #expect(Self.status([bad], regressed) == .badData)
        #expect(Self.status([bad, none], regressed) == .noInput)
        #expect(ExitStatus.mostUrgent([.inconclusive, .noBaseline]) == .noBaseline)
        #expect(ExitStatus.mostUrgent([]) == .passed)
        #expect(Set(ExitStatus.urgency) == Set(ExitStatus.allCases))
    }

    @Test func softeningKeepsErrors() {
        let softened = ExitStatus.allCases.map { $0.softened.rawValue }
        #expect(softened == [0, 0, 0, 0, 0, 64, 65, 66, 70, 73, 78])
    }

    /// Reading commands fail for an unreadable file, for a run that was cut off, and without measurements.
    @Test func whatIsOnlyReadHasAStatus() {
        var measurements = Measurements()
        #expect(ExitStatus(reading: measurements) == .noInput)
        let result = Self.result(.passed)
        measurements.cells[result.cell] = CellMeasurement(metric: result.metric, runs: [])
        #expect(ExitStatus(reading: measurements) == .passed)
        measurements.runs = [
            Run(id: "r", context: Context(), streams: [Run.Stream(path: "r.ndjson", faults: ["It was cut."])])
        ]
        #expect(ExitStatus(reading: measurements) == .badData)
        measurements.faultyInputs = [FaultyInput(path: "x", fault: .notFound, message: "It is not there.")]
        #expect(ExitStatus(reading: measurements) == .noInput)
    }
}
