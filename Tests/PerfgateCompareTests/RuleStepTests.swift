import Foundation
import PerfgateModel
import Testing

@testable import PerfgateCompare

/// Each step of the rule reports its input and its result, and the first step that decides is the last one asked.
struct RuleStepTests {
    typealias Question = ExplanationTests.Question
    typealias Finding = RuleStep.Found

    private static let settled = [[500.0, 510, 490, 505, 495], [502, 512, 492, 507, 497], [498, 508, 488, 503, 493]]
    private static func raised(_ by: Double) -> [[Double]] { [[500, 510, 490, 505, 495].map { $0 + by }] }

    static let cases: [(question: Question, found: [Finding])] = [
        (Question(baseline: settled, candidate: []), [.noEvents]),
        (Question(candidate: []), [.measured, .noLimit, .noBaseline]),
        (Question(candidate: [[500]], limit: Limit(400)), [.measured, .overLimit]),
        (Question(candidate: [[500]], limit: Limit(600)), [.measured, .withinLimit, .noBaseline]),
        (Question(candidate: [[500]]), [.measured, .noLimit, .noBaseline]),
        (
            Question(baseline: [[0, 0]], candidate: [[1, 1]], minChange: 0),
            [.measured, .noLimit, .noTolerance]
        ),
        (
            Question(baseline: raised(0), candidate: raised(1_000), comparisons: 500),
            [.measured, .noLimit, .comparable, .gross]
        ),
        (
            Question(baseline: [[500, 500]], candidate: [[9_000, 9_000]], comparisons: 500),
            [.measured, .noLimit, .comparable, .tooFewSamples, .cannotTell]
        ),
        (
            Question(baseline: settled, candidate: [[5_000]], comparisons: 500),
            [.measured, .noLimit, .comparable, .doubled]
        ),
        (
            Question(baseline: settled, candidate: [[5_000, 900]], comparisons: 500),
            [.measured, .noLimit, .comparable, .tooFewSamples, .cannotTell]
        ),
        (
            Question(baseline: raised(0), candidate: raised(100), comparisons: 500),
            [.measured, .noLimit, .comparable, .noGap, .cannotTell]
        ),
        (
            Question(baseline: settled, candidate: raised(100)),
            [.measured, .noLimit, .comparable, .enoughSamples, .worse]
        ),
        (
            Question(baseline: settled, candidate: raised(100), confirmation: .rerun),
            [.measured, .noLimit, .comparable, .enoughSamples, .suspect]
        ),
        (
            Question(
                baseline: settled, candidate: [[500, 700], [700, 500], [700, 490]], confirmation: .rerun),
            [.measured, .noLimit, .comparable, .enoughSamples, .notConfirmed]
        ),
        (
            Question(baseline: settled, candidate: [[400, 450, 570, 570, 430, 560, 565, 440, 575]]),
            [.measured, .noLimit, .comparable, .enoughSamples, .worseByChance]
        ),
        (
            Question(baseline: settled, candidate: raised(-100)),
            [.measured, .noLimit, .comparable, .enoughSamples, .notWorse, .better]
        ),
        (
            Question(baseline: settled, candidate: [[430, 600, 430]]),
            [.measured, .noLimit, .comparable, .enoughSamples, .notWorse, .betterByChance, .noObjection]
        ),
        (
            Question(baseline: settled, candidate: raised(10)),
            [.measured, .noLimit, .comparable, .enoughSamples, .notWorse, .notBetter, .noObjection]
        ),
    ]

    @Test(arguments: cases.indices)
    func everyStepSaysWhatItFound(_ index: Int) throws {
        let (question, found) = Self.cases[index]
        #expect(try question.asked().rule.map(\.found) == found)
    }

    /// The steps name exactly the numbers that they used.
    @Test func theStepsHoldTheirNumbers() throws {
        let result = try Question(baseline: Self.settled, candidate: Self.raised(100), limit: Limit(700)).asked()
        let (numbers, rule) = (try #require(result.numbers), result.rule)
        #expect(rule[1] == RuleStep(.withinLimit, subject: .median, value: 600, bound: 700))
        #expect(rule[3] == RuleStep(.enoughSamples, p: numbers.pMin, alpha: numbers.alpha))
        #expect(rule[4] == RuleStep(.worse, value: 100, bound: 50, p: numbers.p, alpha: numbers.alpha))
        let gross = try Question(baseline: Self.raised(0), candidate: Self.raised(1_000), comparisons: 500).asked()
        #expect(gross.rule[3] == RuleStep(.gross, value: 980, bound: 250))
    }

    /// Findings are in the order of the steps, and every step but the last can pass on to the next.
    @Test func everyFindingBelongsToItsStep() {
        let numbers = Finding.allCases.map(\.step.number)
        #expect(numbers == numbers.sorted() && Set(numbers) == Set(1...RuleStep.Name.allCases.count))
        for name in RuleStep.Name.allCases {
            let found = Finding.allCases.filter { $0.step == name }
            #expect(found.contains { $0.isDeciding })
            #expect(found.contains { !$0.isDeciding } == (name != .passed))
        }
    }

    /// The documentation lists the requirements of the first step, in the order in which they are asked.
    @Test func theDocumentedRequirementsAreTheRule() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/PerfgateCLI/Documentation.docc/Verdict.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = text.components(separatedBy: "### The requirements\n").dropFirst().first ?? ""
        let rows = section.components(separatedBy: "\n### ")[0].split(separator: "\n").filter { $0.hasPrefix("| `") }
        let rule = Requirement.all.map { asked in
            "| `\(asked.found.rawValue)` | \(asked.amount) | \(asked.metrics ?? "all metrics") | \(asked.needed) | "
                + "\(asked.excuse ?? "–") |"
        }
        #expect(rows.map(String.init) == rule)
    }

    /// A comparison that one step decides.
    static func result(_ step: RuleStep) -> CellResult {
        var facts = CellResult.Facts(
            .page(Page("A")), JudgeTests.ttil, in: JudgeTests.phone, verdict: step.found.answer?.verdict ?? .passed)
        facts.rule = [step]
        return CellResult(facts)
    }

    @Test func whatWasNotMeasuredSaysHow() {
        let frames = RuleStep(.framesStopped, value: 0.5, bound: 0.8, run: "r-1", iteration: 3)
        #expect(
            Self.result(frames).reason
                == "Frame ticks cover only 50 % of a scroll in iteration 3 of run r-1: the recorder stopped.")
        let few = Self.result(RuleStep(.tooFew, value: 1, bound: 5)).reason
        #expect(few == "Only 1 iteration of the expected 5 measured it.")
    }

    /// A cell that failed by a limit and by a change was accepted, or got another limit, and failed again.
    @Test func aBrokenLimitHidesNoChange() throws {
        var question = ExplanationTests.Question()
        question.baseline = (0..<5).map { _ in [500, 501, 502, 503, 504] }
        question.candidate = [[700, 701, 702, 703, 704]]
        question.limit = Limit(650)
        let both = try question.asked()
        #expect(
            both.verdict == .overLimit && both.reason.hasPrefix("The median, 702 ms, is above the limit of 650 ms ("))
        #expect(both.reason.contains(" It changed by +200 ms (+39.8 %), "), "\(both.reason)")
        question.confirmation = .rerun
        #expect(try question.asked().reason.contains("in one run, which a second run must confirm"))
        question.baseline = (0..<5).map { _ in [700, 701, 702, 703, 704] }
        #expect(try question.asked().reason == "The median, 702 ms, is above the limit of 650 ms (5 samples of 1 run).")
        question.baseline = []
        #expect(try question.asked().reason == "The median, 702 ms, is above the limit of 650 ms (5 samples of 1 run).")
    }
}
