import Foundation
import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateReport

/// What to do next stands in every form, page by page, and no form shows a command that isn't perfgate's own.
struct NextBlockTests {
    private static func steps(_ page: String) -> [NextStep] {
        let page = Page(page)
        return [
            NextStep(page: page, purpose: "Measure it again", command: "perfgate check LOGS MORE-LOGS"),
            NextStep(
                page: page, purpose: "See why", command: "perfgate explain 'Search' 'ttil' --result result.json"),
        ]
    }

    private static func report(failing count: Int, told: Int) -> GateReport {
        var report = MarkdownFixtures.report((10..<(10 + count)).map { MarkdownFixtures.result("P_\($0)", .regressed) })
        report.next = (10..<(10 + told)).flatMap { steps("P_\($0)") }
        return report
    }

    @Test func theWorstPageStandsOpenAndTheOthersFolded() throws {
        let report = Self.report(failing: 12, told: 3)
        let text = try MarkdownReport(report, templates: TemplateSet()).text
        let parts = text.components(separatedBy: "<details")
        #expect(parts[0].contains("\n**Next**, P\\_10\n\n```sh\n# Measure it again\nperfgate check LOGS MORE-LOGS\n"))
        #expect(!parts[0].contains("P\\_11\n\n```"))
        #expect(parts[1].contains("<summary>Next for 2 more pages</summary>"))
        #expect(parts[1].contains("**Next**, P\\_11\n\n```sh\n") && parts[1].contains("**Next**, P\\_12\n"))
        #expect(parts[1].contains("9 more pages fail: the same commands hold for their pages and metrics."))
        let html = try HTMLReport(report, templates: TemplateSet()).text
        #expect(html.contains("<h3><bdi>P_10</bdi></h3>\n<dl>"))
        #expect(html.contains("<summary><bdi>P_11</bdi></summary>\n<dl>"))
        #expect(html.contains("<p>9 more pages fail: the same"))
    }

    @Test func theTerminalTellsTheFirstAndCountsTheRest() {
        let text = TerminalSummary(Self.report(failing: 6, told: 5)).text
        #expect(text.contains("\nNext, P_10:\n  Measure it again:\n    perfgate check LOGS MORE-LOGS\n"))
        #expect(text.contains("\nNext, P_12:\n") && !text.contains("Next, P_13"))
        #expect(text.contains("\n  … and the same for 2 more pages; the other reports tell them.\n"))
        #expect(!TerminalSummary(Self.report(failing: 2, told: 2)).text.contains("more page"))
    }

    @Test func aStageWithoutFoldsKeepsTheWorstPage() throws {
        let renderer = try MarkdownReport(Self.report(failing: 4, told: 3), templates: TemplateSet())
        let short = renderer.text(at: .withoutDetails)
        #expect(short.contains("**Next**, P\\_10") && !short.contains("**Next**, P\\_11"))
        #expect(!renderer.text(at: .counts).contains("Next"))
    }

    @Test func aPageThatAloneIsLeftIsOne() {
        #expect(
            NextBlock.remainder(of: Self.report(failing: 3, told: 2))
                == "1 more page fails: the same commands hold for its page and metric.")
        #expect(NextBlock.remainder(of: Self.report(failing: 3, told: 3)) == nil)
        #expect(NextBlock.remainder(of: Self.report(failing: 3, told: 0)) == nil)
    }

    @Test(arguments: [
        "perfgate check LOGS MORE-LOGS", "perfgate compare BASE --with LOGS MORE-LOGS",
        "perfgate explain 'Search' 'ttil'",
        "perfgate check LOGS --against '7.129' --baselines 'Base' --config CONFIG",
        "perfgate explain 'a b/c-1' 'ttil' --result result.json", "perfgate baseline update LOGS",
        "perfgate baseline update LOGS --page 'Search' --metric 'a' --metric 'b' --accept 'why it is worth it'",
        "perfgate baseline prune 'Old'", "perfgate baseline pin NAME --baselines 'Base'",
        "perfgate waive 'P' 'm' LOGS --until YYYY-MM-DD --reason 'why it may'",
        "xcodebuild test -scheme SCHEME -destination DESTINATION -only-testing:A/B/c -only-testing:A/B/d",
        "./gradlew TASK --tests com.example.SearchTest.scroll",
    ])
    func itsOwnCommandsAreKnown(_ command: String) {
        #expect(PastedCommand.isKnown(command))
    }

    @Test(arguments: [
        "", "perfgate", "curl x", "perfgate check LOGS --rerun-command 'rm -rf x'",
        "perfgate check '--rerun-command' x",
        "perfgate check --rerun'-command' x", "perfgate comment result.json", "perfgate check LOGS; x",
        "perfgate check LOGS\nx", "perfgate explain 'a", "perfgate check $(x)",
        "perfgate check LOGS --config /evil.yml",
        "perfgate baseline update LOGS --baselines ../x", "perfgate explain P m --result 'a/../../x'",
        "perfgate explain P m --result --config", "perfgate baseline update LOGS --accept",
        "xcodebuild test -scheme SCHEME -destination DESTINATION -project evil", "xcodebuild test -project evil",
        "xcodebuild test -scheme SCHEME -destination DESTINATION clean", "./gradlew publish", "./gradlew TASK publish",
        "./gradlew TASK --init-script x", "perfgatex check LOGS", "A=b perfgate check LOGS",
    ])
    func noOtherCommandIs(_ command: String) {
        #expect(!PastedCommand.isKnown(command))
    }
}
