import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// What a reader is told to do next can be pasted into a shell, and names what it is about.
struct NextStepsTests {
    private static func commands(_ metric: String, _ verdict: Verdict) -> [String] {
        let result = ComparisonResult(
            page: Page("Search"), metric: Metric(id: metric, unit: .milliseconds, better: .lower),
            environment: CalibrationTests.environment, isGated: true, verdict: verdict, reason: "")
        return NextSteps(comparisons: [result], faults: [], pageArgument: { ShellWord($0.name).quoted }).steps
            .map(\.command)
    }

    private static let accepting = "perfgate baseline update LOGS --page 'Search'"
    private static let reason = "--accept 'why it is worth it'"

    @Test(arguments: ["ttil", "first frame", "app.launch/first_frame-2"])
    func aMetricKeepsItsName(_ metric: String) {
        #expect(Self.commands(metric, .regressed) == ["\(Self.accepting) --metric '\(metric)' \(Self.reason)"])
        #expect(
            Self.commands(metric, .overLimit)
                == ["perfgate waive 'Search' '\(metric)' LOGS --until YYYY-MM-DD --reason 'why it may'"])
    }

    @Test(arguments: ["", "-x", "launch (cold)", "it's", "a\nb", "`id`", "a::b", "größe", "\u{202E}a"])
    func aMetricThatCannotBePastedIsNotNamed(_ metric: String) {
        #expect(Self.commands(metric, .regressed) == ["\(Self.accepting) \(Self.reason)"])
        #expect(Self.commands(metric, .overLimit).isEmpty)
    }
}
