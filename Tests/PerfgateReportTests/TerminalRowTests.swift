import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateReport

/// Which rows of the summary stand for several comparisons.
struct TerminalRowTests {
    private static func result(_ page: String, _ device: String, _ verdict: Verdict, known: Bool) -> CellResult {
        CellResult(
            page: Page(page), metric: Metric(id: "ttil", unit: .milliseconds, better: .lower),
            environment: EnvironmentKey(["device"]).environment(of: Context(["device": .text(device)])),
            isGated: true, verdict: verdict, reason: "because",
            baseline: known ? CellResult.Side(count: 1, runs: 1, center: 1, samples: [1]) : nil)
    }

    private static func rows(_ results: [CellResult]) -> [String] {
        TerminalRow.all(of: results.filter { $0.verdict != .passed }, among: results).map { row in
            switch row {
            case .comparison(let result): "\(result.page) \(result.environment)"
            case .environment(let environment, let count): "\(count) \(environment)"
            }
        }
    }

    @Test func anEnvironmentWithoutAnyBaselineIsOneRow() {
        let results = [
            Self.result("A", "new", .overLimit, known: false), Self.result("A", "old", .noBaseline, known: false),
            Self.result("B", "new", .noBaseline, known: false), Self.result("C", "new", .noBaseline, known: false),
            Self.result("D", "one", .noBaseline, known: false), Self.result("E", "old", .passed, known: true),
        ]
        #expect(Self.rows(results) == ["A new", "A old", "2 new", "D one"])
    }

    @Test func theRowNamesTheEnvironment() {
        let results = ["A", "B"].map { Self.result($0, "new\u{1B}", .noBaseline, known: false) }
        let report = GateReport(
            tool: "t", outcome: .passed, exitCode: 0, headline: "h", comparisons: results)
        let lines = TerminalSummary(report).text.split(separator: "\n")
        #expect(lines.contains("  can't tell: 2 comparisons"))
        #expect(lines.contains("      There is no baseline for new\u{FFFD}, so only limits hold."))
    }
}
