import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateReport

@Suite struct HTMLReportTests {
    private func render(_ report: GateReport, _ assets: HTMLReport.Assets = .inline) throws -> String {
        try HTMLReport(report, templates: TemplateSet(), assets: assets).text
    }

    @Test func `a report with every verdict`() throws {
        try MarkdownGolden(name: "mixed.html").expect(render(MarkdownFixtures.mixed, .external))
    }

    @Test func `a report with nothing in it has no empty sections`() throws {
        let report = GateReport(tool: "perfgate 0.1.0", outcome: .passed, exitCode: 0, headline: "Nothing fails.")
        let text = try render(report)
        #expect(!text.contains("<section") && text.contains("<h1 class=\"passed\">Nothing fails.</h1>"))
    }

    @Test func `the page asks nobody for anything`() throws {
        let text = try render(MarkdownFixtures.mixed)
        for part in ["<script", "<link", "<img", " src=", " style=", " onclick=", "://", "url(", "@import"] {
            #expect(!text.contains(part), "\(part)")
        }
        #expect(text.contains("default-src 'none'; style-src 'unsafe-inline'\""))
    }

    @Test func `external assets leave the style sheet to a file`() throws {
        let external = try HTMLReport(MarkdownFixtures.mixed, templates: TemplateSet(), assets: .external)
        #expect(external.text.contains("<link rel=\"stylesheet\" href=\"report.css\">"))
        #expect(!external.text.contains("<style>") && external.styleSheet?.contains("color-scheme") == true)
        #expect(try HTMLReport(MarkdownFixtures.mixed, templates: TemplateSet()).styleSheet == nil)
    }

    @Test func `a name can't become markup`() throws {
        let hostile = MarkdownFixtures.hostile
        var results = Verdict.allCases.map { MarkdownFixtures.result(hostile, $0, limit: Limit(1)) }
        results += [MarkdownFixtures.result(hostile, .passed, Metric(id: hostile, unit: Unit(hostile), better: .lower))]
        var report = MarkdownFixtures.report(results, headline: hostile)
        report.notes = [hostile]
        report.next = [NextStep(purpose: hostile, command: hostile)]
        report.diagnostics = [Diagnostic(.badLine, path: hostile, hostile)]
        let text = try render(report)
        for part in ["<script", "</testcase", "<!-- www", "\u{1B}", "\u{FFFE}", "\u{202E}", "{{"] {
            #expect(!text.replacing("{{headline}}", with: "").contains(part), "\(part.debugDescription)")
        }
        #expect(!Array(text.unicodeScalars).contains(["<", "\u{301}"]))
    }

    @Test func `every link has its place and every place is there once`() throws {
        let text = try render(MarkdownFixtures.mixed)
        let ids = text.matches(of: /\sid="([^"]*)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count)
        let links = text.matches(of: /href="#([^"]*)"/).map { String($0.1) }
        #expect(links.count == MarkdownFixtures.mixed.comparisons.count && Set(links).isSubset(of: ids))
    }

    @Test func `an anchor depends on the page, the environment and the metric alone`() {
        let place = PageInEnvironment(page: Page("Search é"), environment: MarkdownFixtures.phone)
        let other = PageInEnvironment(page: Page("Search é"), environment: Environment([]))
        #expect(HTMLAnchor.page(place).hasPrefix("search-"))
        #expect(HTMLAnchor.page(place) != HTMLAnchor.page(other))
        #expect(HTMLAnchor.metric("ttil", of: place) == HTMLAnchor.page(place) + "-ttil")
        #expect(HTMLAnchor.metric("a b", of: place) != HTMLAnchor.metric("a-b", of: place))
        let accents = [Page("\u{E9}"), Page("e\u{301}")].map {
            PageInEnvironment(page: $0, environment: other.environment)
        }
        #expect(HTMLAnchor.page(accents[0]) != HTMLAnchor.page(accents[1]))
    }
}
