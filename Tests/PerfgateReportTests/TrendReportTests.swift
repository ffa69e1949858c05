import Foundation
@testable import PerfgateCompare
import PerfgateModel
import PerfgateTemplates
import SeededRandom
import Testing

@testable import PerfgateReport

struct TrendReportTests {
    private static let first = CalendarDay("2026-09-01")?.number ?? 0

    /// A graph over days; the level changes by a factor on day 40.
    private static func graph(
        _ page: String, _ metric: Metric = Metric(.ttil), days: Int = 60, by factor: Double = 1, at start: Int = 40,
        lines: Int = 0, noise: Int = 0, spread: Double = 0.01
    ) -> TrendGraph {
        var generator = SeededGenerator(seed: UInt64(page.utf8.count + noise))
        let values = (0..<days).map { day in
            let value = 500 * (day < start ? 1 : factor) * generator.uniform(1 - spread...1 + spread)
            return TrendGraph.Value(
                place: first + day, count: 12_345, center: value, high: 2 * value, level: 1.3 * value)
        }
        return TrendGraph(
            page: Page(page), metric: metric, level: MetricQuantile(of: metric, percent: 75).metric, centerName: "p50",
            values: values, lines: (0..<lines).map { TrendGraph.Line(name: "iOS <\($0)>", values: values) },
            .init())
    }

    private static func report(_ graphs: [TrendGraph], days: Int = 60, app: String = "com.example.shop") -> TrendReport
    {
        let releases = [
            "7.117": Dictionary(uniqueKeysWithValues: (0..<days).map { (first + $0, $0 < 40 ? 900 : 50) }),
            "7.129": Dictionary(uniqueKeysWithValues: (40..<max(41, days)).map { (first + $0, 800) }),
        ]
        return TrendReport(
            tool: "perfgate 0.1.0",
            groups: [
                TrendGroup(
                    Environment([.init(name: "app", value: .text(app))]), .days(first...first + days - 1), graphs,
                    ReleaseAdoption(releases))
            ])
    }

    private static func html(_ report: TrendReport) throws -> String {
        try HTMLTrend(report, templates: TemplateSet()).text
    }

    @Test func aPageWithADriftAsItLooks() throws {
        let graphs = [Self.graph("Search", days: 44), Self.graph("Cart", days: 44, by: 1.12, at: 30)]
        let report = Self.report(graphs, days: 44)
        let body = try #require(try Self.html(report).components(separatedBy: "</style>").last)
        let script = String(decoding: BuiltInTemplates.trendScript, as: UTF8.self)
        let main = body.components(separatedBy: "<main>")[1].replacing(script, with: "")
        try MarkdownGolden(name: "trend.html").expect("<main>" + main)
    }

    @Test func aDriftIsNamedWithItsRelease() throws {
        let report = Self.report([Self.graph("Search"), Self.graph("Cart", by: 1.12)])
        let text = TrendText(report).text
        #expect(text.contains("com.example.shop: 60 days (2026-09-01 … 2026-10-30), 2 graphs of 2 pages\n"))
        #expect(
            text.contains(
                "  Drift: 1 finding for the worse\n  2026-10-11, as release 7.129 spread:\n    Cart: time to initial load (p75) [ttil@p75] "
            ))
        #expect(text.hasSuffix("ms (+12 %), worse\n"), "\(text)")
        let html = try Self.html(report)
        #expect(
            html.contains(
                "<h1 class=\"failed\"><bdi>Cart: time to initial load (p75) +12 % since <time>2026-10-11</time></bdi></h1>"
            ))
        #expect(html.contains("<p>Since 2026-10-11, as release 7.129 spread</p>"))
        // The card has the p75 that was judged: 1.3 × 500 ms, with the levels of both segments.
        let card = html.components(separatedBy: "<article class=\"card worse-cell\">")
        try #require(card.count == 2)
        #expect(card[1].contains("<p class=\"change\">651 → 729 ms <strong class=\"worse\">+12 %</strong></p>"))
        #expect(card[1].contains("<path class=\"level\" vector-effect=\"non-scaling-stroke\" d=\"M0 "))
        let check = "perfgate field check --base &#39;7.117&#39; --candidate &#39;7.129&#39;</pre>"
        #expect(card[1].contains("perfgate field rollup EVENTS --pair &#39;7.117:7.129&#39;\n\(check)"))
    }

    @Test func fewDaysAreReported() throws {
        let text = TrendText(Self.report([Self.graph("Search", days: 9)], days: 9)).text
        #expect(text.contains("9 days can't show drift: it takes 14"))
    }

    @Test func thePageAsksNobodyForAnything() throws {
        let text = try Self.html(Self.report([Self.graph("Search", by: 1.2), Self.graph("Cart", lines: 3)]))
        let markup = text.replacing(String(decoding: BuiltInTemplates.trendScript, as: UTF8.self), with: "")
        for part in ["<link", "<img", " src=", " style=", " onclick=", "://", "url(", "@import"] {
            #expect(!markup.contains(part), "\(part)")
        }
        let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src '\(BuiltInTemplates.trendScriptHash)'\""
        #expect(text.contains(policy))
        #expect(text.ranges(of: "<script").count == 2)
    }

    /// The hash in the page's policy is computed by another program.
    @Test func theScriptHasItsHashAndIsSmall() throws {
        #expect(BuiltInTemplates.trendScript.count <= 15_000)
        #expect(BuiltInTemplates.trendScript.allSatisfy { $0 < 0x80 })
        let file = FileManager.default.temporaryDirectory.appending(path: "trend-\(UUID().uuidString).js")
        try Data(BuiltInTemplates.trendScript).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (call, output) = (Process(), Pipe())
        let path = "/usr/bin/shasum"
        let isPerl = FileManager.default.isExecutableFile(atPath: path)
        call.executableURL = URL(filePath: isPerl ? path : "/usr/bin/sha256sum")
        call.arguments = (isPerl ? ["-a", "256"] : []) + [file.path]
        call.standardOutput = output
        try call.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        call.waitUntilExit()
        let digits = Array(text.prefix(64))
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        try #require(bytes.count == 32, "\(text)")
        #expect(BuiltInTemplates.trendScriptHash == "sha256-" + Data(bytes).base64EncodedString())
    }

    @Test func everyLinkHasATargetAndEveryDrawingATitle() throws {
        let report = Self.report((0..<12).map { Self.graph("Page \($0)", by: $0 == 3 ? 1.3 : 1, lines: $0 % 2 * 3) })
        let text = try Self.html(report)
        #expect(text.ranges(of: "<figure>").count == 12)
        #expect(text.ranges(of: "role=\"img\"><title>").count == 12 + 12 + 1)
        let anchors = Set(text.matches(of: /\sid="([^"]*)"/).map { String($0.1) })
        let links = Set(text.matches(of: /href="#([^"]*)"/).map { String($0.1) })
        #expect(links.isSubset(of: anchors), "\(links.subtracting(anchors))")
        // The strip, and each page.
        #expect(links.count == 1 + 12 + 1 && links.contains("page=Page%203&amp;metric=ttil"))
    }

    @Test func onlyImprovementsArentRed() throws {
        let better = try Self.html(Self.report([Self.graph("Search", by: 0.8), Self.graph("Cart")]))
        #expect(better.contains("<h1 class=\"passed\"><bdi>Search: time to initial load (p75) −20 % since "))
        #expect(better.contains("<article class=\"card good-cell\">") && !better.contains("worse-cell\">"))
        let calm = try Self.html(Self.report([Self.graph("Search")]))
        #expect(calm.contains("<h1 class=\"passed\"><bdi>No lasting change</bdi></h1>") && !calm.contains("<article"))
        let few = try Self.html(Self.report([Self.graph("Search", days: 9)], days: 9))
        #expect(few.contains("<h1 class=\"inconclusive\"><bdi>9 days can&#39;t show drift: it takes 14</bdi></h1>"))
    }

    /// Worse gated changes precede others, whatever their size.
    @Test func theWorseCardsAreFirst() throws {
        let report = Self.report([Self.graph("Better", by: 0.5, at: 20), Self.graph("Worse", by: 1.1)])
        let text = try Self.html(report)
        let titles = text.matches(of: /<h3><span class="verdict [a-z]*">([▲▼a-z, ]*)<.span>/).map { String($0.1) }
        #expect(titles == ["▲ worse", "▼ better"])
    }

    @Test func aWorseMetricThatIsntGatedIsAmberAndBelow() throws {
        var terms = DriftSeries.Terms()
        terms.isGated = false
        func ungated(_ page: String) -> TrendGraph {
            let (metric, values) = (Metric(.fpsMax), Self.graph(page, by: 0.5).values)
            return TrendGraph(
                page: Page(page), metric: metric, level: metric, centerName: "median", values: values, terms)
        }
        let amber = try Self.html(Self.report([ungated("Cart"), Self.graph("Search")]))
        #expect(
            amber.contains(
                "<h1 class=\"inconclusive\"><bdi>Cart: highest frame rate −50 % since <time>2026-10-11</time> (not gated)"
            ))
        #expect(
            amber.contains(
                "<article class=\"card unsure-cell\">\n<h3><span class=\"verdict unsure\">▲ worse, not gated</span>"))
        // Its metric is only among the page's own graphs.
        #expect(
            !amber.contains("highest frame rate <code>fps_max</code><") && amber.contains("<b>highest frame rate</b>"))
        let red = try Self.html(Self.report([ungated("Cart"), Self.graph("Search", by: 1.1, at: 20)]))
        #expect(red.contains("<h1 class=\"failed\"><bdi>Search: time to initial load (p75) +10 % since"))
        let titles = red.matches(of: /<h3><span class="verdict [a-z]*">([▲▼a-z, ]*)<.span>/).map { String($0.1) }
        #expect(titles == ["▲ worse", "▲ worse, not gated"])
    }

    /// The table has a column for each gated metric, with last value and change; equal curves are one.
    @Test func theTableShowsLastValuesAndChanges() throws {
        let twin = Metric(id: "ttil_twin", unit: .milliseconds, better: .lower)
        let report = Self.report([
            Self.graph("Search", by: 1.2), Self.graph("Search", twin, by: 1.2), Self.graph("Cart"),
            Self.graph("Cart", twin),
        ])
        let text = try Self.html(report)
        #expect(text.contains("<th scope=\"col\">time to initial load (p75) <code>ttil, ttil_twin</code>"))
        let cells = text.matches(of: /<td class="worse" data-c="0.18">.*?<.svg>7[78][0-9] ms <b>\+20 %<.b>/)
        #expect(cells.count == 1)
        #expect(text.ranges(of: "<td data-c=").count == 1)
        #expect(text.ranges(of: "<figure>").count == 2)
        #expect(text.contains("</code>, <code id=\"page=Search&amp;metric=ttil_twin\">ttil_twin</code>"))
    }

    /// A change of a small or zero base is given in the unit, and never as a percentage with four digits.
    @Test(arguments: [
        (100.0, 127.0, "+27 %"), (100, 104.26, "+4.3 %"), (10, 30, "+20 ms"), (0, 30, "+30 ms"), (20, 1_000, "+980 ms"),
    ])
    func aChangeIsReadable(before: Double, after: Double, text: String) {
        #expect(TrendWords.amount(before, after, "ms", 16) == text)
        #expect(TrendWords.short(83.43, beside: 115.2) == 83 && TrendWords.short(115.2) == 115)
        #expect(TrendWords.short(83.43, beside: 99.9) == 83.43 && TrendWords.short(0.14, beside: 115) == 0.14)
    }

    /// The documentation's app has 537 pages, nine metrics and twelve weeks. The size of a page is measured on few, with
    /// the resolution for all; graphs that are drawn without the script have a fixed room.
    @Test(arguments: [90, 400, 1_500])
    func everyPageOfALargeAppFitsIn3MB(days: Int) throws {
        let (pages, metrics) = (537, 9)
        let size = TrendSize(values: pages * metrics * days * 3)
        func bytes(_ pages: Int) throws -> Int {
            let graphs = (0..<pages).flatMap { page in
                (0..<metrics).map { number in
                    let metric = Metric(id: "metric_\(number)", unit: .milliseconds, better: .lower)
                    let factor = page == number ? 1.1 : 1
                    return Self.graph(
                        "Section of the app \(page)", metric, days: days, by: factor, noise: 100 * page + number,
                        spread: 0.3)
                }
            }
            var page = HTMLTrend(Self.report(graphs, days: days), templates: try TemplateSet())
            page.size = size
            return page.text.utf8.count
        }
        let (few, more) = (try bytes(9), try bytes(11))
        let all = more + (more - few) / 2 * (pages - 11)
        #expect(all < 2_800_000 && all > 1_500_000, "\(all)")
        #expect(size.step == (days == 90 ? 1 : days == 400 ? 7 : 28) && size.width == 1)
    }

    @Test func aSmallReportShowsEveryDay() throws {
        let report = Self.report(
            (0..<6).flatMap { page in
                (0..<15).map { number in
                    let metric = Metric(id: "m\(number)", unit: .milliseconds, better: .lower)
                    return Self.graph("Page \(page)", metric, days: 90, noise: 100 * page + number)
                }
            }, days: 90)
        let page = HTMLTrend(report, templates: try TemplateSet())
        #expect(page.size.step == 1 && page.size.width == 2)
        #expect(page.text.utf8.count < 400_000)
    }

    /// The data of the script are the curves: digits of base 90, two for each day, of an axis from 0.
    @Test func theDataAreIndicesOnAnAxis() throws {
        let values = [0.0, 100, 50].enumerated().map {
            TrendGraph.Value(place: Self.first + $0 + ($0 == 2 ? 1 : 0), count: 20, center: $1, high: nil, level: $1)
        }
        let graph = TrendGraph(
            page: Page("A <b>\t"), metric: Metric(.ttil), level: Metric(.ttil), centerName: "median", values: values,
            .init())
        let text = try Self.html(Self.report([graph], days: 4))
        let data = try #require(
            text.components(separatedBy: "id=\"data\">").last?.components(separatedBy: "</script>")[0])
        let lines = data.split(separator: "\n").map(String.init)
        #expect(lines[0] == "2" && lines[1] == "group\t2026-09-01\t2026-09-02\t2026-09-03\t2026-09-04")
        #expect(lines.contains("metric\tttil\ttime%20to%20initial%20load\tms"))
        #expect(lines.suffix(3).first?.hasPrefix("page\tA%20%3Cb%3E") == true)
        // 8099 are both digits at most; a half of it is 4050 = 45 · 90. The third day has no value.
        #expect(lines.suffix(2) == ["figure\t0.0\t100.0\t2\t0", "0\tmedian\t%%~~  R%"], "\(lines)")
        #expect(TrendSize(values: 1_000_000).text([23, nil]) == "! ")
    }

    @Test func namesCantLeaveTheirPlaces() throws {
        let name = "</title><script>alert(1)</script>\"'&\u{202E}\u{1B}[31m\n::error::x"
        let metric = Metric(id: name, unit: Unit(name), better: .lower)
        let report = Self.report([Self.graph(name, metric, by: 1.2, lines: 2)], app: name)
        let html = try Self.html(report)
        #expect(html.ranges(of: "<script").count == 2 && html.ranges(of: "</script").count == 2)
        #expect(!html.contains("\u{1B}") && !html.contains("\u{202E}"))
        #expect(!html.contains("iOS <0>") && html.contains("iOS &lt;0&gt;"))
        let text = TrendText(report).text
        #expect(!text.contains("\u{1B}") && !text.contains("\n::") && !text.contains("\u{202E}"))
        let json = String(decoding: JSONTrend(report).bytes(), as: UTF8.self)
        #expect(!json.contains("\u{1B}"))
    }

    @Test(arguments: [[0.0], [-3, 5], [1e300, -1e300], [0, 0, 0], [Double.greatestFiniteMagnitude, 1]])
    func everyNumberHasAPlaceInTheDrawing(numbers: [Double]) throws {
        let values = numbers.enumerated().map {
            TrendGraph.Value(place: Self.first + $0, count: 1, center: $1, high: nil, level: $1)
        }
        let graph = TrendGraph(
            page: Page("p"), metric: Metric(.ttil), level: Metric(.ttil), centerName: "p50", values: values,
            .init())
        let text = try Self.html(Self.report([graph]))
        let markup = try #require(text.components(separatedBy: "<main>").last?.components(separatedBy: "<script>")[0])
        #expect(markup.contains("<path class=\"k0\" vector-effect=\"non-scaling-stroke\" d=\"M0 "))
        #expect(!markup.contains("nan") && !markup.contains("inf"))
    }

    @Test func aGapIsAGap() throws {
        let values = [0, 1, 2, 7, 9].map {
            TrendGraph.Value(place: Self.first + $0, count: 1, center: 5, high: nil, level: 5)
        }
        let graph = TrendGraph(
            page: Page("p"), metric: Metric(.ttil), level: Metric(.ttil), centerName: "p50", values: values,
            .init())
        let text = try Self.html(Self.report([graph], days: 10))
        // A column is 1 wide; an isolated day is a point.
        #expect(text.contains("vector-effect=\"non-scaling-stroke\" d=\"M0 90h0h2M7 90h0M9 90h0\"/>"))
    }

    @Test func linesAreDistinguishedWithoutColours() throws {
        let text = try Self.html(Self.report([Self.graph("Search", lines: 6)]))
        let caption = try #require(
            text.components(separatedBy: "<figcaption>").last?.components(separatedBy: "</figcaption>")[0])
        #expect(caption.matches(of: /class="k([0-9])"/).map { String($0.1) } == ["0", "3", "4", "5", "6", "7", "8"])
        #expect(caption.contains("iOS &lt;5&gt; "))
        let style = try TemplateSet().styleSheet
        let dashes = (3...8).compactMap { kind in
            style.firstMatch(
                of: try! Regex("\\.k\(kind) \\{.*stroke-dasharray: ([0-9 ]*);", as: (Substring, Substring).self)
            )
            .map { String($0.1) }
        }
        #expect(Set(dashes).count == 6)
    }

    @Test func runsNameTheCommitsBetweenWhichAChangeCame() throws {
        let text = try Self.trendOfRuns(commit: "c0ffee")
        #expect(
            text.contains(
                "  r13, 2026-10-04, commits c0ffee12..c0ffee13, versions 7.1 → 7.2:\n    Search: time to initial load [ttil] "
            ),
            "\(text)")
        let search =
            "perfgate bisect 'c0ffee12' 'c0ffee13' --page 'Search' --metric 'ttil' --change '11' --run COMMAND\n"
        #expect(text.contains("    Find the commit: \(search)"), "\(text)")
        // A word that git would take for an option isn't a commit.
        let hostile = try Self.trendOfRuns(commit: "--output=x")
        #expect(!hostile.contains("--output") && hostile.contains("r13, 2026-10-04, versions 7.1 → 7.2:"), "\(hostile)")
    }

    private static func trendOfRuns(commit: String) throws -> String {
        let runs = (1...24).compactMap { number in
            Timestamp(secondsSince1970: 1_790_000_000 + number * 86_400) as Timestamp?
        }.enumerated().map {
            TrendRun(id: "r\($0 + 1)", start: $1, commit: "\(commit)\($0 + 1)", version: $0 < 12 ? "7.1" : "7.2")
        }
        var generator = SeededGenerator(seed: 2)
        let values = (1...24).map { place in
            let value = (place < 13 ? 500 : 560) * generator.uniform(0.99...1.01)
            return TrendGraph.Value(place: place, count: 10, center: value, high: nil, level: value)
        }
        let graph = TrendGraph(
            page: Page("Search"), metric: Metric(.ttil), level: Metric(.ttil), centerName: "median", values: values,
            .init(hasWeekdays: false))
        let group = TrendGroup(Environment([.init(name: "device", value: .text("iPhone12,1"))]), .runs(runs), [graph])
        let report = TrendReport(tool: "perfgate 0.1.0", groups: [group])
        let html = try html(report)
        #expect(html.contains("the run's median, or its mean for counts and rates"))
        #expect(html.contains("<tr><th scope=\"row\"><bdi>r13</bdi></th><td>2026-10-04"))
        return TrendText(report).text
    }
}
