import Foundation
import PerfgateCompare
import PerfgateModel
import PerfgateStats
import Testing

@testable import PerfgateReport

struct BisectFormsTests {
    private static let hostile = "<script>alert(1)</script> | `x` @all ::error::\u{202E} ##[group]"

    private func report(_ outcome: BisectReport.Outcome, steps: [CommitSearch.Found] = []) -> BisectReport {
        let commits = (0..<6).map {
            BisectCommit(hash: String(repeating: "\($0)", count: 40), subject: Self.hostile, author: "@kim <b>")
        }
        var report = BisectReport(
            tool: "perfgate", page: Self.hostile, metric: Metric(id: "ttil", unit: .milliseconds, better: .lower),
            commits: commits, outcome: outcome)
        report.steps = steps
        report.runs = [.init(position: 0, value: 600), .init(position: 5, value: 700), .init(position: 2, value: 610)]
        (report.builds, report.minutes, report.runsNeeded, report.difference) = (3, 12, 8, 0.12)
        return report
    }

    private func step(_ good: Int, _ bad: Int, json more: String = "") throws -> CommitSearch.Found {
        let text = """
            {"good":\(good),"bad":\(bad),"probability":0.981,"share":0.098,"interval":[0.06,0.14],"before":600,"after":660,"runs":6\(more)}
            """
        return try JSONDecoder().decode(CommitSearch.Found.self, from: Data(text.utf8))
    }

    @Test func wordsOfEachAnswer() throws {
        let named = report(.named, steps: [try step(2, 3, json: ",\"other\":0.071,\"reverted\":-0.05")]).sentences
        #expect(
            named[0].contains("333333333 “") && named[0].contains("made it 9.8 % slower (95 % interval 6 to 14 %)."))
        #expect(
            named[1]
                == "98 % sure after 3 runs of 3 commits. Confirmed by 6 runs of it and of 222222222 before it, in turn."
        )
        #expect(named[2] == "About 7.1 % more came with other commits: --resume --all finds them.")
        #expect(named[3] == "Later commits took back about 5 %.")
        let set = report(.named, steps: [try step(1, 3)]).sentences[0]
        #expect(
            set.contains("one of these 2 commits made it") && set.contains("Only the last can be measured: 222222222"))
        #expect(
            report(.nothing).sentences[0].contains(
                "000000000 is not better than 555555555 here (+12 %): nothing to find."))
        #expect(report(.outside).sentences[0].contains("000000000 is already 12 % slower than its baseline"))
        var open = report(.undecided)
        (open.probabilities, open.unmeasurable) = ([0.05, 0.6, 0.2, 0.05, 0], [2])
        #expect(
            open.sentences[0].hasSuffix(
                "can't tell between these 4 commits (222222222 60 %, 333333333 20 %, 111111111 5 %, …; that nothing changed: "
                    + "10 %): about 8 more runs. 1 commit can't be measured."))
    }

    @Test func namesCantBreakAForm() throws {
        var report = report(.named, steps: [try step(2, 3)])
        report.commitAddress = "javascript:"
        let html = HTMLBisect(report, templates: try TemplateSet()).text
        #expect(!html.contains("<script") && !html.contains("javascript:") && !html.contains("\u{202E}"))
        let markdown = report.markdown()
        #expect(!markdown.contains("<script") && !markdown.contains(" @all") && !markdown.contains(" @kim"))
        #expect(markdown.contains("| `333333333` "))
        let text = report.text
        #expect(!text.contains("##[") && text.split(separator: "\n").allSatisfy { !$0.hasPrefix("::") })
        report.commitAddress = "https://example.com/commit/"
        #expect(
            report.markdown().contains(
                "[333333333](https://example.com/commit/\(String(repeating: "3", count: 40)))"))
    }

    @Test func aStoredReportIsReadOnlyIfItIsPlausible() throws {
        let report = report(.named, steps: [try step(2, 3)])
        let bytes = try report.json()
        #expect(BisectReport(json: bytes) == report)
        let text = String(decoding: bytes, as: UTF8.self)
        for (old, new) in [
            ("\"bad\" : 3", "\"bad\" : 9"), ("\"position\" : 5", "\"position\" : 6"),
            ("\"schema\" : 1", "\"schema\" : 2"),
            (String(repeating: "4", count: 40), "--output=x"), ("\"good\" : 2", "\"good\" : -1"),
            ("\"minutes\" : 12", "\"minutes\" : 1e300"),
        ] {
            #expect(BisectReport(json: Array(text.replacing(old, with: new).utf8)) == nil, "\(new)")
        }
        #expect(BisectReport(json: Array("{\"type\":\"bisect\"}".utf8)) == nil)
    }

    @Test func thePictureHasAMarkForEachPartOfTheRange() {
        #expect(BisectReport.picture(of: []) == "")
        #expect(BisectReport.picture(of: [0.5, 0.25, 0]) == "█▅▁")
        #expect(BisectReport.picture(of: Array(repeating: 0.01, count: 4_096)).count == 48)
    }
}
