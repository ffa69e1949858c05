import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

/// Leads are shown once per page in tables, beside every single comparison that got worse, and nowhere else.
struct LeadTests {
    private static let lookAt = "Where to look: SearchView: body 23"

    /// A page with two worse comparisons and a passed one; its leads contain these texts.
    private static func report(_ leads: [String] = ["SearchView: body 23, limit 10"]) -> GateReport {
        let fps = Metric(id: "fps_mean", unit: .framesPerSecond, better: .higher)
        let drops = Metric(id: "dropped_frames", unit: .frames, better: .lower)
        var report = MarkdownFixtures.report([
            MarkdownFixtures.result("Search", .regressed, numbers: MarkdownFixtures.numbers),
            MarkdownFixtures.result("Search", .overLimit, drops, candidate: [3, 3], limit: Limit(1)),
            MarkdownFixtures.result("Search", .passed, fps),
        ])
        report.pages[0].leads = leads
        return report
    }

    private static func count(in text: String) -> Int { text.ranges(of: lookAt).count }

    @Test func aTableSaysItOnceAPage() throws {
        let report = Self.report()
        #expect(Self.count(in: TerminalSummary(report).text) == 1)
        #expect(Self.count(in: try MarkdownReport(report, templates: TemplateSet()).text) == 1)
        // The two findings and the page's section contain it.
        #expect(Self.count(in: try HTMLReport(report, templates: TemplateSet()).text) == 3)
    }

    @Test func aFailingCaseAndAnAnnotationSayItEach() throws {
        let report = Self.report()
        let junit = String(decoding: try JUnitReport(report).bytes(), as: UTF8.self)
        #expect(junit.matches(of: /<failure [^>]*Where to look: SearchView: body 23, limit 10\."/).count == 2)
        #expect(Self.count(in: GitHubAnnotations(report).text) == 2)
    }

    @Test func anExplanationSaysItOfWhatGotWorseOnly() {
        let report = Self.report()
        let said = report.comparisons.map { Self.count(in: ExplanationText(Explanation($0), in: report).text) }
        #expect(said == [1, 1, 0])
    }

    @Test func aPageThatFailsOnlyAgainstAPinnedReferenceSaysItThere() throws {
        var report = MarkdownFixtures.report([MarkdownFixtures.result("Search", .passed)])
        report.pages[0].leads = ["SearchView: body 23, limit 10"]
        let worse = MarkdownFixtures.result("Search", .regressed, numbers: MarkdownFixtures.numbers)
        report.pinned = PinnedFindings(name: "7.129", comparisons: [worse])
        #expect(Self.count(in: TerminalSummary(report).text) == 1)
        #expect(Self.count(in: try MarkdownReport(report, templates: TemplateSet()).text) == 1)
    }

    @Test func aLeadCantLeaveItsPlace() throws {
        let report = Self.report([MarkdownFixtures.hostile])
        let html = try HTMLReport(report, templates: TemplateSet()).text
        #expect(!html.contains("<script") && html.contains("Where to look: &lt;/testcase&gt;"))
        let markdown = try MarkdownReport(report, templates: TemplateSet()).text
        #expect(!markdown.contains("<script") && !markdown.contains("xxx" + String(repeating: "x", count: 400)))
        for line in TerminalSummary(report).text.split(separator: "\n") {
            #expect(!line.contains("\u{1B}") && !line.drop { $0 == " " }.hasPrefix("::"))
        }
    }

    @Test func aLargeReportStaysBelow4MB() throws {
        let samples = (0..<50).map { 500.1 + Double($0) }
        var report = MarkdownFixtures.report(
            (0..<1_000).map { page in
                MarkdownFixtures.result(
                    "Page \(page)", .regressed, baseline: samples, candidate: samples, numbers: MarkdownFixtures.numbers
                )
            })
        let leads = (1...3).map {
            "SearchView\($0): body 23, limit 10, was 9 in the baseline; closure stored: Search.swift:38"
        }
        for index in report.pages.indices { report.pages[index].leads = leads }
        let size = try HTMLReport(report, templates: TemplateSet()).text.utf8.count
        #expect(size < 4_000_000 && size > 2_000_000, "\(size)")
    }

    /// Runs of pairs come in the order of their identifiers, where pair 10 is before pair 2.
    @Test func theRunsOfPairsAreExplainedInTheOrderOfThePairs() {
        var result = MarkdownFixtures.result("Search", .regressed, candidate: [1, 10, 2])
        var facts = result.facts
        facts.candidate?.shares = ["1", "10", "2"].map { pair in
            var share = CellResult.Side.RunShare()
            (share.run, share.pair) = ("run-\(pair)", pair)
            return share
        }
        result = CellResult(facts)
        let text = ExplanationText(Explanation(result), in: MarkdownFixtures.report([result])).text
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.filter { $0.hasPrefix("run-") } == ["run-1: 1", "run-2: 2", "run-10: 10"], "\(text)")
    }
}
