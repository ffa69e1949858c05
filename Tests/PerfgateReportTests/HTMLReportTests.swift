import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateReport

struct HTMLReportTests {
    private func render(_ report: GateReport, _ assets: HTMLReport.Assets = .inline) throws -> String {
        try HTMLReport(report, templates: TemplateSet(), assets: assets).text
    }

    @Test func aReportWithEveryVerdict() throws {
        try MarkdownGolden(name: "mixed.html").expect(render(MarkdownFixtures.mixed, .external))
    }

    @Test func aReportWithNothingInItHasNoEmptySections() throws {
        let report = GateReport(tool: "perfgate 0.1.0", outcome: .passed, exitCode: 0, headline: "Nothing fails.")
        let text = try render(report)
        #expect(!text.contains("<section") && text.contains("<h1 class=\"passed\">Nothing fails.</h1>"))
    }

    @Test func whatFailsAgainstAPinnedReferenceHasItsRow() throws {
        var report = MarkdownFixtures.report([MarkdownFixtures.result("Search", .passed)])
        let worse = MarkdownFixtures.result("Search", .regressed, numbers: MarkdownFixtures.numbers)
        report.pinned = PinnedFindings(name: "7.129 <old>", comparisons: [worse])
        let text = try render(report)
        #expect(text.ranges(of: "ttil, against 7.129 &lt;old&gt;").count == 1)
        #expect(text.ranges(of: "id=\"\(HTMLAnchor.metric("ttil", of: worse.place))\"").count == 1)
    }

    @Test func thePageAsksNobodyForAnything() throws {
        let text = try render(MarkdownFixtures.mixed)
        for part in ["<script", "<link", "<img", " src=", " style=", " onclick=", "://", "url(", "@import"] {
            #expect(!text.contains(part), "\(part)")
        }
        #expect(text.contains("default-src 'none'; style-src 'unsafe-inline'\""))
    }

    /// A large app: 500 pages with 8 metrics each, 50 samples against 10, and 120 of them worse.
    private static let large = MarkdownFixtures.report(
        (0..<500).flatMap { page in
            (0..<8).map { metric in
                let samples = (0..<60).map { 500.1 + Double($0 % 50) + Double(page) / 7 }
                let verdict: Verdict = page < 120 && metric == 3 ? .regressed : .passed
                var result = MarkdownFixtures.result(
                    "Section of the app \(page)", verdict,
                    Metric(id: "metric_\(metric)", unit: .milliseconds, better: .lower),
                    baseline: Array(samples.prefix(50)), candidate: Array(samples.suffix(10)),
                    numbers: MarkdownFixtures.numbers)
                result.baseline?.history = (0..<10).map { 500.1 + Double($0 * metric) }
                result.candidate?.history = [552.7]
                result.reason = String(repeating: "A reason with its numbers. ", count: 9)
                return result
            }
        })

    @Test func aLargeReportStaysBelow5MBAndShowsAllThatGotWorse() throws {
        let text = try render(Self.large)
        #expect(text.utf8.count < 5_000_000 && text.utf8.count > 3_500_000, "\(text.utf8.count)")
        #expect(text.ranges(of: "<svg").count > 120)
        let anchors = Set(text.matches(of: /\sid="([^"]*)"/).map { String($0.1) })
        for result in Self.large.comparisons {
            #expect(anchors.contains(HTMLAnchor.metric(result.metric.id, of: result.place)))
        }
        let worse = text.ranges(of: "metric_3</bdi>: <span class=\"worse\">").count
        #expect(worse == 120)
        let brief = try #require(text.firstMatch(of: /([0-9]+) comparisons stand in rows alone/)).1
        #expect(text.ranges(of: "<tr id=").count == Int(brief))
    }

    /// Two releases of a large app: 540 pages with 9 metrics at two quantiles each, most of which can't be told.
    @Test func aLargeReportOfReleasesShowsAllThatGotWorse() throws {
        let side = ReleaseNumbers.Side(
            release: "7.117", events: 4_000, effectiveEvents: 2_000, designEffect: 1.5, isDesignEffectMeasured: true,
            quantiles: [400.5, 500.5, 700.5, 1_000.5])
        let spread = ReleaseNumbers.Spread(
            lower: 100, upper: 2_000, base: Array(repeating: 238, count: 42),
            candidate: Array(repeating: 237, count: 42))
        let report = MarkdownFixtures.report(
            (0..<540).flatMap { page in
                (0..<18).map { metric in
                    var result = MarkdownFixtures.result(
                        "Section \(page)",
                        page < 60 && metric == 3 ? .regressed : metric < 10 ? .inconclusive : .passed,
                        Metric(id: "metric_\(metric)@p90", unit: .milliseconds, better: .lower),
                        numbers: MarkdownFixtures.numbers)
                    result.baseline = .init(
                        count: 4_000, runs: 14, center: 700.5, samples: nil,
                        quantiles: Array(repeating: 500.5, count: 7),
                        shares: (10..<24).map { .init(run: "2026-11-\($0)", count: 280) },
                        history: (0..<14).map { 700.5 + Double($0) })
                    result.candidate = result.baseline
                    result.releases = ReleaseNumbers(
                        base: side, candidate: side, days: 14, overlap: 0.9, spread: spread)
                    result.reason = String(repeating: "A reason with its numbers. ", count: 16)
                    return result
                }
            })
        let text = try render(report)
        #expect(text.utf8.count < 5_000_000, "\(text.utf8.count)")
        #expect(text.ranges(of: "@p90</bdi>: <span class=\"worse\">").count == 60)
        #expect(text.ranges(of: "how the values of 7.117 spread").count >= 60)
        #expect(text.contains("8720 more comparisons stand at their pages alone."))
        let anchors = Set(text.matches(of: /\sid="([^"]*)"/).map { String($0.1) })
        for result in report.comparisons {
            #expect(anchors.contains(HTMLAnchor.metric(result.metric.id, of: result.place)))
        }
    }

    @Test func aPageShowsTheFramesScrollsAndPhasesOfItsWorst() throws {
        let text = try render(MarkdownFixtures.mixed)
        let page = try #require(text.split(separator: "<section").first { $0.contains("<h2><bdi>Search</bdi>") })
        #expect(page.contains("<p>Run r-8f2, launch-1, iteration 3, 3 scrolls.</p>"))
        #expect(page.contains("<tr><th scope=\"row\">0</th><td class=\"number\">4 s</td><td class=\"number\">1</td>"))
        #expect(page.contains("1 milder scroll is left out."))
        #expect(page.contains("<p>Run r-8f2, iteration 1, which lasted 8.05 s.</p>"))
        #expect(page.contains("<dd>427.7 ms</dd>"))
        #expect(text.ranges(of: "Frames of the worst iteration").count == 1)
    }

    @Test func tracesHaveTheirShareOfALargeReport() throws {
        var report = Self.large
        for index in report.pages.indices {
            let scrolls = (0..<20).map { number in
                ScrollTrace(
                    number: number, dropEvents: 9, worstDrop: 3, droppedFrames: 20, durationMS: 4_000,
                    timeline: MarkdownFixtures.timeline(hitchAt: number, longest: 99, count: 48))
            }
            report.pages[index].trace = PageTrace(
                frames: FrameTrace(run: "r", iteration: 0, scrollCount: 20, scrolls: scrolls),
                visit: MarkdownFixtures.trace.visit)
        }
        let text = try render(report)
        #expect(text.utf8.count < 5_000_000, "\(text.utf8.count)")
        #expect(text.utf8.count > 3_500_000, "\(text.utf8.count)")
        #expect(text.ranges(of: "Frames of the worst iteration").count > 10)
        #expect(text.ranges(of: "metric_3</bdi>: <span class=\"worse\">").count == 120)
    }

    @Test func aSmallReportShowsEveryComparisonWhole() throws {
        let text = try render(MarkdownFixtures.mixed)
        #expect(!text.contains("stand in rows alone") && !text.contains("<tr id="))
        #expect(text.ranges(of: "<article").count == MarkdownFixtures.mixed.comparisons.count)
    }

    @Test func theContentsNameEveryPageOnceWithItsWorstVerdict() throws {
        let text = try render(
            MarkdownFixtures.report([
                MarkdownFixtures.result("A", .passed),
                MarkdownFixtures.result("A", .improved, Metric(id: "ttfl", unit: .milliseconds, better: .lower)),
                MarkdownFixtures.result("B", .regressed), MarkdownFixtures.result("C", .regressed, gated: false),
            ]))
        let contents = try #require(text.split(separator: "<nav").last?.split(separator: "</nav>").first)
        #expect(contents.contains("Pages (3)") && contents.ranges(of: "<li>").count == 3)
        #expect(contents.contains("<bdi>B</bdi></a>: <span class=\"worse\">▲ worse</span>"))
        #expect(contents.contains("<bdi>A</bdi></a>: <span class=\"good\">▼ improved</span>"))
        #expect(try !render(MarkdownFixtures.report([MarkdownFixtures.result("A", .passed)])).contains("<nav"))
    }

    @Test func externalAssetsLeaveTheStyleSheetToAFile() throws {
        let external = try HTMLReport(MarkdownFixtures.mixed, templates: TemplateSet(), assets: .external)
        #expect(external.text.contains("<link rel=\"stylesheet\" href=\"report.css\">"))
        #expect(!external.text.contains("<style>") && external.styleSheet?.contains("color-scheme") == true)
        #expect(try HTMLReport(MarkdownFixtures.mixed, templates: TemplateSet()).styleSheet == nil)
    }

    @Test func aNameCantBecomeMarkup() throws {
        let hostile = MarkdownFixtures.hostile
        var results = Verdict.allCases.map { MarkdownFixtures.result(hostile, $0, limit: Limit(1)) }
        results += [MarkdownFixtures.result(hostile, .passed, Metric(id: hostile, unit: Unit(hostile), better: .lower))]
        var report = MarkdownFixtures.report(results, headline: hostile)
        report.notes = [hostile]
        report.next = [NextStep(purpose: hostile, command: MarkdownFixtures.acceptance(page: hostile))]
        report.diagnostics = [Diagnostic(.badLine, path: hostile, hostile)]
        let text = try render(report)
        for part in ["<script", "</testcase", "<!-- www", "\u{1B}", "\u{FFFE}", "\u{202E}", "{{"] {
            #expect(!text.replacing("{{headline}}", with: "").contains(part), "\(part.debugDescription)")
        }
        #expect(!Array(text.unicodeScalars).contains(["<", "\u{301}"]))
    }

    @Test func everyLinkHasItsPlaceAndEveryPlaceIsThereOnce() throws {
        let text = try render(MarkdownFixtures.mixed)
        let ids = text.matches(of: /\sid="([^"]*)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count)
        let links = text.matches(of: /href="#([^"]*)"/).map { String($0.1) }
        let pages = Set(MarkdownFixtures.mixed.comparisons.map(\.place)).count
        #expect(links.count == MarkdownFixtures.mixed.comparisons.count + pages && Set(links).isSubset(of: ids))
    }

    @Test func anAnchorDependsOnThePageTheEnvironmentAndTheMetricAlone() {
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
