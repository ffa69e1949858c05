import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

/// A long report opens what is worst, and counts what it folds.
struct HTMLFoldTests {
    private func render(_ report: GateReport) throws -> String {
        try HTMLReport(report, templates: TemplateSet()).text
    }

    @Test func aLargeReportIsFoldedByOutcomeAndOpensTheWorstAlone() throws {
        let report = MarkdownFixtures.report(
            (0..<500).map { MarkdownFixtures.result("Page \($0)", $0 < 120 ? .regressed : .passed) })
        let text = try render(report)
        #expect(text.ranges(of: "<details class=\"page\"").count == 500)
        #expect(text.matches(of: /<details class="page" id="[^"]*" open>/).count == 4)
        let folds = Array(text.split(separator: "<details class=\"pages\"><summary>").dropFirst())
        #expect(folds.map { $0.ranges(of: "<details class=\"page\"").count } == [108, 380])
        let titles = folds.compactMap { $0.split(separator: ":").first }
        #expect(titles == ["108 more pages", "380 more pages"])
        #expect(folds[0].contains(">worse or not measured<") && folds[1].contains(">nothing notable<"))
        #expect(text.contains(":is(.cell:not(.worse-cell), :is(.page, .pages):not(:has(.worse-cell)))"))
    }

    @Test func findingsBeyondTheFirstAreFoldedWithTheirCounts() throws {
        let report = MarkdownFixtures.report(
            (0..<100).map { number in
                let metric = Metric(id: "metric_\(number)", unit: .milliseconds, better: .lower)
                return MarkdownFixtures.result(
                    "Page \(number)", number < 70 ? .regressed : .inconclusive, metric,
                    numbers: MarkdownFixtures.numbers)
            })
        let section = try #require(try render(report).split(separator: "<section id=\"findings\">").last)
        let list = try #require(section.split(separator: "<ul class=\"findings\">").dropFirst().first)
        let end = try #require(list.firstRange(of: "</ul>"))
        let (open, folded) = (list[..<end.lowerBound], list[end.upperBound...])
        #expect(open.ranges(of: "<li>").count == 9)
        #expect(
            folded.contains(
                "85 more findings: <span class=\"verdict worse\">55 worse</span>, <span class=\"verdict unsure\">30 can&#39;t tell</span></summary>"
            ))
        #expect(section.contains("<p>34 more findings below.</p>"))
    }
}
