import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateKit

/// The notes on comparisons that are too small to fail.
struct NotesTests {
    private static func note(pairs: Int) -> [String] {
        let side = CellResult.Side(count: 6, runs: 3, center: 500, samples: nil)
        let result = CellResult(
            page: Page("A"), metric: Metric(id: "ttil", unit: .milliseconds, better: .lower),
            environment: CalibrationTests.environment, isGated: true, verdict: .passed, reason: "", baseline: side,
            candidate: side,
            numbers: CellResult.Numbers(
                delta: 0, shift: 0, interval: nil, p: 1, pImprove: 1, pZero: 1, pMin: 0.005, alpha: 0.001,
                comparisons: 100, marginShare: 1, pairs: pairs))
        return [GateFindings(tool: "", policy: Policy(), comparisons: [result]).limitsOnly].compactMap(\.self)
    }

    private static let opening =
        "1 of 1 comparisons have too few samples to detect a regression; only limits and gross changes can fail; "

    @Test func samplesHelpWhereAllAreComparedTogether() {
        #expect(Self.note(pairs: 0) == [Self.opening + "7 iterations per run against this baseline would be enough."])
    }

    /// The required samples of runs measured in turn depend on their pairs, not only on their number.
    @Test func pairsNeedMoreRuns() {
        #expect(Self.note(pairs: 3) == [Self.opening + "more baseline runs are needed."])
    }
}
