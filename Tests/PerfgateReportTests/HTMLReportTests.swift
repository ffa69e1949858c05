import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
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
        #expect(!text.contains("<section") && text.contains("<h1>Nothing fails.</h1>"))
    }

    @Test func whatFailsAgainstAPinnedReferenceHasItsRow() throws {
        var report = MarkdownFixtures.report([MarkdownFixtures.result("Search", .passed)])
        let worse = MarkdownFixtures.result("Search", .regressed, numbers: MarkdownFixtures.numbers)
        report.pinned = PinnedFindings(name: "7.129 <old>", comparisons: [worse])
        let text = try render(report)
        #expect(text.ranges(of: "<code>ttil</code>, against 7.129 &lt;old&gt;").count == 1)
        #expect(text.contains("<h2>Worse than 7.129 &lt;old&gt;</h2>"))
        #expect(text.ranges(of: "id=\"\(HTMLAnchor.metric("ttil", of: worse.place))\"").count == 1)
    }

    /// A share of slow loads decided, which the medians don't show.
    @Test func aCardSaysWhatDecided() throws {
        let share = CellResult.Share(cut: .quadruple, bound: 2_000, baselineOver: 0, candidateOver: 2, p: 1e-6)
        var numbers = MarkdownFixtures.numbers
        (numbers.shares, numbers.shareAlpha, numbers.decidedBy) = ([share], 1e-4, .share)
        let slow = MarkdownFixtures.result("Search", .regressed, numbers: numbers)
            .with { $0.remarks = [.slowShare(share, again: nil)] }
        let text = try render(MarkdownFixtures.report([slow]))
        #expect(
            text.contains("<strong class=\"verdict worse long\">2 of 5 loads took more than 4 times the usual"),
            "\(text)")
    }

    /// What fails without being worse has a card too, and what is worse without failing hasn't.
    @Test func theCardsAreWhatFails() throws {
        var report = MarkdownFixtures.report([MarkdownFixtures.result("New", .noBaseline, baseline: nil)])
        report.failing.noBaseline = true
        #expect(try render(report).contains("<h2>What failed: 1 of 1 comparison</h2>"))
        report.failing.noBaseline = false
        #expect(try !render(report).contains("What failed"))
    }

    /// Hangs of a page whose names are hostile, in each report that people read.
    @Test func namesOfCallsAreOnlyText() throws {
        var stack = ReleaseTraffic.Hangs.Stack()
        stack.page = Page("<b>|@here")
        stack.frames = ["<script>alert(1)</script>", "a\n::error::b\u{1B}[31m", "[x](//y)|"]
        stack.candidate = .init(hangs: 3, milliseconds: 4_500)
        var hangs = ReleaseTraffic.Hangs()
        (hangs.stacks, hangs.left) = ([stack], 2)
        var report = MarkdownFixtures.report([MarkdownFixtures.result("Search", .passed)])
        var traffic = ReleaseTraffic(base: "7.117", candidate: "7.129", days: [])
        traffic.hangs = hangs
        report.environments[0].releases = traffic
        let html = try render(report)
        #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt; ← a ::error::b") && !html.contains("<script"))
        #expect(html.contains("<td class=\"number\">–</td><td class=\"number\">3</td>"))
        #expect(html.contains("2 stacks with less time"))
        let markdown = MarkdownReport(report, templates: try TemplateSet()).text
        #expect(markdown.contains("- &lt;b&gt;\\|@\u{200B}here: &lt;script&gt;") && !markdown.contains("[x]("))
        #expect(markdown.contains("– → 3 hangs, – → 4500 ms"))
        let lines = TerminalSummary(report).text.split(separator: "\n")
        #expect(lines.contains("      – → 3 hangs, – → 4500 ms") && lines.contains("    … and 2 more stacks"))
        #expect(!lines.contains { $0.drop { $0 == " " }.hasPrefix("::") || $0.contains("\u{1B}") })
    }

    @Test func thePageAsksNobodyForAnything() throws {
        let text = try render(MarkdownFixtures.mixed)
        for part in ["<script", "<link", "<img", " src=", " style=", " onclick=", "://", "url(", "@import"] {
            #expect(!text.contains(part), "\(part)")
        }
        #expect(text.contains("default-src 'none'; style-src 'unsafe-inline'\""))
    }

    @Test func aComparisonOfAllPagesIsNoPageOfItsOwn() throws {
        let pages = (0..<12).map { MarkdownFixtures.result("Page \($0)", .passed) }
        let all = MarkdownFixtures.result("every page", .passed, CellResult.Subject.allPagesMetric)
        let text = try render(MarkdownFixtures.report(pages + [all]))
        #expect(text.contains("<h2>12 pages, worst first</h2>"))
        #expect(!text.contains("<details class=\"pages\">"))
    }

    @Test func theOnlyPageIsOpen() throws {
        let text = try render(MarkdownFixtures.report([MarkdownFixtures.result("Search", .passed)]))
        #expect(text.contains(/<details class="page" id="[^"]*" open>/))
    }

    /// A large app: 500 pages with 8 metrics each, 50 samples against 10, and 120 worse pages.
    private static let large = MarkdownFixtures.report(
        (0..<500).flatMap { page in
            (0..<8).map { metric in
                let samples = (0..<60).map { 500.1 + Double($0 % 50) + Double(page) / 7 }
                let verdict: Verdict = page < 120 && metric == 3 ? .regressed : .passed
                var result = MarkdownFixtures.result(
                    "Section of the app \(page)", verdict,
                    Metric(id: "metric_\(metric)", unit: .milliseconds, better: .lower),
                    baseline: Array(samples.prefix(50)), candidate: Array(samples.suffix(10)),
                    numbers: MarkdownFixtures.numbers
                ).facts
                result.baseline?.history = (0..<10).map { 500.1 + Double($0 * metric) }
                result.candidate?.history = [552.7]
                result.said = String(repeating: "A reason with its numbers. ", count: 9)
                return CellResult(result)
            }
        })

    @Test func aLargeReportStaysBelow4MBAndShowsAllThatGotWorse() throws {
        let text = try render(Self.large)
        #expect(text.utf8.count < 4_000_000 && text.utf8.count > 1_000_000, "\(text.utf8.count)")
        #expect(Self.wholeCells(text, "worse-cell") == 120)
        let anchors = Set(text.matches(of: /\sid="([^"]*)"/).map { String($0.1) })
        for result in Self.large.comparisons where result.isRemarkable {
            #expect(anchors.contains(HTMLAnchor.metric(result.metric.id, of: result.place)))
        }
        #expect(text.ranges(of: "<tr class=\"cell passed-cell ").count == 3_880)
        #expect(!text.contains("are in the JSON report") && !text.contains("has no room"))
    }

    /// 900 pages got worse in three metrics each.
    @Test func plotsWithoutRoomAreCountedWithTheCommandThatWritesThem() throws {
        var report = MarkdownFixtures.report(
            (0..<2_700).map { number in
                var result = Self.large.comparisons[3].facts
                result.subject = .page(Page("Page \(number / 3)"))
                result.metric = Metric(id: "metric_\(number % 3)", unit: .milliseconds, better: .lower)
                result.verdict = .regressed
                return CellResult(result)
            })
        let text = try render(report)
        let bare = text.ranges(of: "<div class=\"cell ").count
        #expect(bare > 0 && text.contains("<p>This report has no room for the plots of \(bare) comparisons. <code>"))
        #expect(text.contains("<code>perfgate report RESULT --page PAGE --html FILE</code> writes them for one page."))
        let explain = SuggestedCommand(.explain, [.option(.result, "out/result.json")])
        report.next = [NextStep(purpose: "See why", command: explain)]
        #expect(try render(report).contains("<code>perfgate report &#39;out/result.json&#39; --page PAGE --html"))
    }

    /// How many comparisons of a class unfold, and have a plot there or on their card.
    private static func wholeCells(_ text: String, _ style: String) -> Int {
        let cells = text.split(separator: "<details class=\"cell ").filter { $0.hasPrefix(style) }
        let cards = text.split(separator: "<article class=\"card ").filter { $0.hasPrefix(style) }
        return (cells + cards).count { $0.contains(/<figure><svg width="100%" height="19[26]"/) }
    }

    /// A report of 1,400 pages with 35 metrics: more rows than the page has room for.
    @Test func whatHasNoRoomIsCountedAndAllThatFailsKeepsItsPlot() throws {
        let report = MarkdownFixtures.report(
            (0..<1_400).flatMap { page in
                (0..<35).map { metric in
                    MarkdownFixtures.result(
                        "Page \(page)", page < 60 && metric == 3 ? .regressed : .passed,
                        Metric(id: "metric_\(metric)", unit: .milliseconds, better: .lower),
                        numbers: MarkdownFixtures.numbers)
                }
            })
        let text = try render(report)
        #expect(text.utf8.count < 4_000_000 && text.utf8.count > 3_000_000, "\(text.utf8.count)")
        #expect(Self.wholeCells(text, "worse-cell") == 60)
        let left = try #require(text.firstMatch(of: /([0-9]+) comparisons are only in the JSON report/))
            .1
        let rows = ["details", "div", "tr"].reduce(0) { $0 + text.ranges(of: "<\($1) class=\"cell ").count }
        #expect(rows + (Int(left) ?? 0) == report.comparisons.count)
        Self.expectPlaces(ofLinksIn: text)
    }

    /// The last of 20,000 pages has no section, and is worse than the pinned reference.
    @Test func aFindingWithoutRoomForItsRowHasNoLink() throws {
        var report = MarkdownFixtures.report((0..<20_000).map { MarkdownFixtures.result("Page \($0)", .passed) })
        let worse = MarkdownFixtures.result("Page 9999", .regressed, numbers: MarkdownFixtures.numbers)
        report.pinned = PinnedFindings(name: "7.129", comparisons: [worse])
        let text = try render(report)
        #expect(text.contains(", against 7.129"))
        Self.expectPlaces(ofLinksIn: text)
    }

    private static func expectPlaces(ofLinksIn text: String) {
        let ids = Set(text.matches(of: /\sid="([^"]*)"/).map { String($0.1) })
        let lost = text.matches(of: /href="#([^"]*)"/).map { String($0.1) }.filter { !ids.contains($0) }
        #expect(lost.isEmpty, "\(lost.prefix(3))")
    }

    /// Two releases of a large app: 540 pages with 9 metrics at two quantiles each, mostly inconclusive.
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
                        numbers: MarkdownFixtures.numbers
                    ).facts
                    result.baseline = .init(
                        count: 4_000, runs: 14, center: 700.5, samples: nil,
                        quantiles: Array(repeating: 500.5, count: 7),
                        shares: (10..<24).map { .init(run: "2026-11-\($0)", count: 280) },
                        history: (0..<14).map { 700.5 + Double($0) })
                    result.candidate = result.baseline
                    result.releases = ReleaseNumbers(
                        base: side, candidate: side, days: 14, overlap: 0.9, spread: spread)
                    result.said = String(repeating: "A reason with its numbers. ", count: 16)
                    return CellResult(result)
                }
            })
        let text = try render(report)
        #expect(text.utf8.count < 4_000_000, "\(text.utf8.count)")
        #expect(Self.wholeCells(text, "worse-cell") == 60)
        #expect(text.ranges(of: "distribution of 7.117").count >= 60)
        let anchors = Set(text.matches(of: /\sid="([^"]*)"/).map { String($0.1) })
        for result in report.comparisons where result.verdict != .passed {
            #expect(anchors.contains(HTMLAnchor.metric(result.metric.id, of: result.place)))
        }
    }

    @Test func aPageShowsTheFramesScrollsAndPhasesOfItsWorst() throws {
        let text = try render(MarkdownFixtures.mixed)
        let page = try #require(
            text.split(separator: "<details class=\"page").first { $0.contains("<h3><bdi>Search</bdi>") })
        #expect(page.contains("<p>Run r-8f2, launch-1, iteration 3, 3 scrolls.</p>"))
        #expect(page.contains("<tr><th scope=\"row\">0</th><td class=\"number\">4 s</td><td class=\"number\">1</td>"))
        #expect(page.contains("1 milder scroll is left out."))
        #expect(page.contains("<p>Run r-8f2, iteration 1, which lasted 8.05 s.</p>"))
        #expect(page.contains("<li>time to initial load <code>ttil</code> 427.7 ms<"))
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
        #expect(text.utf8.count < 4_000_000, "\(text.utf8.count)")
        #expect(text.utf8.count > 3_000_000, "\(text.utf8.count)")
        let drawn = text.ranges(of: "Frames of the worst iteration").count
        #expect(drawn > 10 && text.contains("for the frames and phases of \(report.pages.count - drawn) pages. <code>"))
        #expect(Self.wholeCells(text, "worse-cell") == 120)
    }

    @Test func aSmallReportShowsEveryNotableComparisonWholeAndTheOthersInATable() throws {
        let text = try render(MarkdownFixtures.mixed)
        let all = MarkdownFixtures.mixed.comparisons
        let notable = all.filter(\.isRemarkable)
        #expect(text.ranges(of: "<details class=\"cell ").count == notable.count)
        #expect(!text.contains("<div class=\"cell"))
        #expect(text.ranges(of: "<tr class=\"cell ").count == all.count - notable.count)
        let open = notable.count { $0.verdict != .noBaseline }
        #expect(text.matches(of: /<details class="cell [^"]*" open>/).count == open && open < notable.count)
        #expect(text.ranges(of: "<article class=\"card ").count == 3)
        // The plot of a card isn't repeated below it.
        let plots = all.count { $0.isRemarkable && ($0.candidate?.samples ?? $0.baseline?.samples) != nil }
        #expect(text.ranges(of: "<figcaption><span class=\"baseline\">○").count <= plots)
    }

    /// What fails the run has a card with the choices of the reader; what can't be told is a line below.
    @Test func aCardHasItsNumbersAndEachChoiceAsAButton() throws {
        let unsure = MarkdownFixtures.result("Home", .inconclusive, numbers: MarkdownFixtures.numbers)
        var report = MarkdownFixtures.report([
            MarkdownFixtures.result("Search", .regressed, numbers: MarkdownFixtures.numbers), unsure,
        ])
        let verbs: [(SuggestedCommand.Verb, String)] = [
            (.waive, "Fix later"), (.update, "Accept"), (.bisect, "Find the commit"), (.check, "Measure again"),
        ]
        report.next = verbs.map { verb, name in
            NextStep(page: Page("Search"), purpose: "To \(name)", command: SuggestedCommand(verb, []))
        }
        let text = try render(report)
        let card = try #require(text.split(separator: "<article").last?.split(separator: "</article>").first)
        #expect(text.ranges(of: "<article").count == 1 && !card.contains("Home"))
        #expect(
            card.contains(/<p class="change">[^<]* → [^<]* <strong class="verdict worse">\+[0-9]+ %<\/strong><\/p>/))
        let buttons = card.matches(of: /<details><summary>([^<]*)<\/summary>/).map { String($0.1) }
        #expect(buttons == verbs.reversed().map(\.1))
        #expect(card.contains("<a href=\"#\(HTMLAnchor.metric("ttil", of: report.comparisons[0].place))\">See why</a>"))
        #expect(text.contains("<li><span class=\"verdict unsure\">? can&#39;t tell</span> <a"))
        #expect(!text.contains("What to do"))
    }

    @Test func theListOfPagesSaysInWordsWhatEachCameTo() throws {
        let text = try render(
            MarkdownFixtures.report([
                MarkdownFixtures.result("A", .passed),
                MarkdownFixtures.result("A", .improved, Metric(id: "ttfl", unit: .milliseconds, better: .lower)),
                MarkdownFixtures.result("B", .regressed), MarkdownFixtures.result("C", .regressed, gated: false),
            ]))
        #expect(text.contains("<h2>3 pages, worst first</h2>"))
        let names = text.matches(of: /<h3><bdi>([^<]*)<\/bdi><\/h3>/).map { String($0.1) }
        #expect(names == ["B", "A", "C"])
        #expect(text.contains("<span class=\"verdict worse\">1 worse</span></span></summary>"))
        #expect(
            text.contains(
                "<span class=\"verdict good\">1 improved</span>, <span class=\"verdict good\">1 passed</span>"))
    }

    /// Every filter hides rows only by a rule of the style sheet.
    @Test func everyFilterHasItsRule() throws {
        let report = MarkdownFixtures.mixed
        let text = try render(report)
        let filters = text.matches(of: /<input type="radio" name="[a-z]*" id="show-([^"]*)"/).map { String($0.1) }
        #expect(filters.count > 6 && Set(filters).count == filters.count)
        for filter in filters where filter != "all" && filter != "metrics" {
            #expect(text.contains("main:has(#show-\(filter):checked) :is(.cell:not(.\(filter)),"), "\(filter)")
            #expect(text.firstMatch(of: try Regex("class=\"cell [^\"]*\\b\(filter)\\b")) != nil, "\(filter)")
        }
        let sheet = try HTMLReport(report, templates: TemplateSet(), assets: .external).styleSheet
        #expect(sheet?.contains("#show-worse-cell:checked") == true)
    }

    @Test func theHeadNamesTheChangeAndLinksIt() throws {
        var report = MarkdownFixtures.mixed
        report.job = ReportedJob(
            branch: "feed<fast>", request: "#7", requestAddress: "https://git.example/o/a/pull/7",
            commits: "https://git.example/o/a/commit/")
        let text = try render(report)
        #expect(text.contains("<a href=\"https://git.example/o/a/commit/4be1a09\"><bdi>commit 4be1a09</bdi></a>"))
        #expect(text.contains("<a href=\"https://git.example/o/a/pull/7\"><bdi>#7, feed&lt;fast&gt;</bdi></a>"))
        report.job = ReportedJob(requestAddress: "javascript:alert(1)", commits: "javascript:")
        #expect(try !render(report).contains("javascript:"))
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
        let notable = Finding.all(of: MarkdownFixtures.mixed.comparisons.filter(\.isRemarkable))
        #expect(links.count >= notable.count && Set(links).isSubset(of: ids))
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
