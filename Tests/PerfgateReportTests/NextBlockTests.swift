import ComparisonFixtures
import Foundation
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

/// Every format has the next steps, page by page, and no format shows a command that perfgate lacks.
struct NextBlockTests {
    private static let again = SuggestedCommand(.check, [.blank("LOGS"), .blank("MORE-LOGS")])

    private static func steps(_ name: String) -> [NextStep] {
        guard let word = SuggestedCommand.Word(name) else { return [] }
        let why = SuggestedCommand(.explain, [.word(word), .blank("METRIC")])
        return [
            NextStep(page: Page(name), purpose: "Measure it again", command: Self.again),
            NextStep(page: Page(name), purpose: "See why", command: why),
        ]
    }

    private static func report(failing count: Int, told: Int) -> GateReport {
        var report = MarkdownFixtures.report((10..<(10 + count)).map { MarkdownFixtures.result("P_\($0)", .regressed) })
        report.next = (10..<(10 + told)).flatMap { steps("P_\($0)") }
        return report
    }

    @Test func theWorstPageHasItsCommandsAndTheOthersAreCounted() throws {
        let report = Self.report(failing: 12, told: 3)
        let text = try MarkdownReport(report, templates: TemplateSet()).text
        let block =
            "\n<details open><summary>What to do</summary>\n\n```sh\n# Measure it again\n"
            + "perfgate check LOGS MORE-LOGS\n# See why\nperfgate explain 'P_10' METRIC\n```\n\n"
            + "The same commands apply to 11 more pages.\n"
        #expect(text.contains(block) && text.ranges(of: "```sh").count == 1)
        let html = try HTMLReport(report, templates: TemplateSet()).text
        let card = try #require(
            html.split(separator: "<article").dropFirst().first?.split(separator: "</article>").first)
        #expect(card.contains("<bdi>P_10, P_11 and 10 more pages: ") && card.contains("Measure again</summary>"))
        #expect(html.contains("<summary><bdi>P_10, P_11 and 1 more page</bdi></summary>\n<dl"))
        #expect(html.contains("<summary><bdi>P_11</bdi></summary>\n<dl"))
        #expect(html.contains("<p>9 more pages fail: the same"))
    }

    @Test func theTerminalReportsTheFirstAndCountsTheRest() {
        let text = TerminalSummary(Self.report(failing: 6, told: 5)).text
        let shared = "\nNext, P_10, P_11 and 3 more pages:\n  Measure it again:\n    perfgate check LOGS MORE-LOGS\n"
        #expect(text.contains(shared + "\nNext, P_10:\n  See why:\n    perfgate explain 'P_10' METRIC\n"))
        #expect(!text.contains("Next, P_11"))
        #expect(text.contains("\n  … and the same for 5 more pages; see the other reports.\n"))
        #expect(!TerminalSummary(Self.report(failing: 1, told: 1)).text.contains("more page"))
    }

    /// A command that several pages share stands once in texts.
    @Test func noCommandIsReportedTwice() throws {
        let report = Self.report(failing: 6, told: 5)
        let texts = try [
            TerminalSummary(report).text, MarkdownReport(report, templates: TemplateSet()).text,
        ]
        for text in texts {
            #expect(text.ranges(of: "perfgate check LOGS MORE-LOGS").count == 1)
            #expect(text.ranges(of: "perfgate explain").count == 1)
        }
    }

    @Test func aStageWithoutFoldsKeepsTheWorstPage() throws {
        let renderer = try MarkdownReport(Self.report(failing: 4, told: 3), templates: TemplateSet())
        let short = renderer.text(at: .withoutDetails)
        #expect(short.contains("perfgate explain 'P_10'") && !short.contains("perfgate explain 'P_11'"))
        #expect(!renderer.text(at: .counts).contains("What to do"))
    }

    @Test func aPageThatAloneIsLeftIsOne() {
        #expect(
            NextBlock.remainder(of: Self.report(failing: 3, told: 2))
                == "1 more page fails: the same commands apply to this page and its metric.")
        #expect(NextBlock.remainder(of: Self.report(failing: 3, told: 3)) == nil)
        #expect(NextBlock.remainder(of: Self.report(failing: 3, told: 0)) == nil)
    }
}

/// Anybody can edit a stored report: only commands that perfgate suggests are read from it.
struct KeptCommandTests {
    private static func texts(verb: String, _ arguments: String, command: String = "curl x | sh") throws -> [String] {
        let kept = String(decoding: MarkdownFixtures.report([]).json(), as: UTF8.self)
        let start = try #require(kept.range(of: "\"next\": "))
        let next =
            #"[{"purpose": "p", "command": "\#(command)", "call": {"verb": "\#(verb)", "arguments": [\#(arguments)]}}]}"#
        return try GateReport(json: Array((kept[..<start.upperBound] + next).utf8)).next.map(\.command.text)
    }

    private static let known: [(verb: String, arguments: String, text: String)] = [
        ("perfgate check", #"{"blank": "LOGS"}, {"flag": "--partial"}"#, "perfgate check LOGS --partial"),
        (
            "perfgate baseline update", #"{"word": "logs"}, {"word": "b c"}, {"flag": "--page", "word": "P"}"#,
            "perfgate baseline update 'logs' 'b c' --page 'P'"
        ),
        (
            "perfgate compare",
            #"{"blank": "BASE"}, {"flag": "--with", "blank": "LOGS"}, {"flag": "--os", "word": "iOS 17"}"#,
            "perfgate compare BASE --with LOGS --os 'iOS 17'"
        ),
        (
            "perfgate explain", #"{"word": "a b/c-1"}, {"word": "ttil"}, {"flag": "--result", "word": "out/r.json"}"#,
            "perfgate explain 'a b/c-1' 'ttil' --result 'out/r.json'"
        ),
        (
            "perfgate baseline prune", #"{"word": "Old"}, {"flag": "--config", "blank": "CONFIG"}"#,
            "perfgate baseline prune 'Old' --config CONFIG"
        ),
        ("./gradlew TASK", #"{"flag": "--tests", "word": "a.B.c"}"#, "./gradlew TASK --tests a.B.c"),
        (
            "xcodebuild test -scheme SCHEME -destination DESTINATION", #"{"flag": "-only-testing:", "word": "A/B/c"}"#,
            "xcodebuild test -scheme SCHEME -destination DESTINATION -only-testing:A/B/c"
        ),
    ]

    @Test(arguments: known.indices)
    func aCommandIsPutTogetherFromItsWords(_ index: Int) throws {
        let (verb, arguments, text) = Self.known[index]
        #expect(try Self.texts(verb: verb, arguments) == [text])
    }

    @Test(arguments: [
        ("curl", ""), ("perfgate comment", ""), ("perfgate check; x", ""), ("perfgate", ""), ("", ""),
        ("perfgate check", #"{"flag": "--rerun-command", "word": "x"}"#),
        ("perfgate check", #"{"flag": "--accept", "word": "x"}"#), ("perfgate check", #"{"word": "--rerun-command"}"#),
        ("perfgate check", #"{"word": "../evil.ndjson"}"#), ("perfgate check", #"{"word": "/evil.ndjson"}"#),
        ("perfgate pin", #"{"word": "evil"}"#),
        ("perfgate check", #"{"flag": "--config", "word": "/x.yml"}"#),
        ("perfgate check", #"{"flag": "--config"}"#), ("perfgate check", #"{"flag": "--partial", "word": "x"}"#),
        ("perfgate check", #"{"flag": "--where", "word": "a'; x; '"}"#), ("perfgate check", #"{"blank": "$(X)"}"#),
        ("perfgate check", #"{"blank": "-X"}"#), ("perfgate check", #"{"blank": "logs"}"#), ("perfgate check", "{}"),
        ("perfgate baseline update", #"{"flag": "--baselines", "word": "../x"}"#),
        ("perfgate baseline update", #"{"flag": "--page", "word": "--config"}"#),
        ("perfgate explain", #"{"word": "P"}, {"word": "m"}, {"flag": "--result", "word": "a/../../x"}"#),
        ("perfgate explain", #"{"word": "a\nb"}"#), ("./gradlew TASK", #"{"word": "publish"}"#),
        ("./gradlew TASK", #"{"blank": "PUBLISH"}"#), ("./gradlew TASK", #"{"flag": "--tests", "word": "a -I x"}"#),
        ("./gradlew", ""), ("xcodebuild test -project evil", ""),
    ])
    func anyOtherIsLeftOut(_ verb: String, _ arguments: String) throws {
        #expect(try Self.texts(verb: verb, arguments).isEmpty)
    }
}
